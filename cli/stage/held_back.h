// Says which changes of a stage the policy does not let be applied.
#pragma once

#include <set>
#include <string>

#include "base/result.h"
#include "policy/files/cached_files.h"
#include "policy/files/forwarding_view.h"
#include "policy/load/context.h"
#include "staging/change_list.h"
#include "staging/store/record.h"

namespace ringfence {

// The disk without the names that a stage changes: applying a change replaces the name, so what is
// there now, such as the target of a link, does not matter.
class FilesWithout final : public ForwardingView {
 public:
  FilesWithout(const FileView& disk, const Path& project, const ChangeList& changes);

  Result<FileFacts> Look(const Path& path) const override;

 private:
  std::set<std::string, std::less<>> without_;
};

// The policy of a stage's project, as it is now.
class StagePolicy {
 public:
  // `given` has the home and --policy of the command line.
  static Result<StagePolicy> Find(Registration given, const StageRecord& record);

  Result<Policy> Rules() const { return context_.PolicyFor(); }

  // Returns why the change may not be applied; "" if it may.
  std::string WhyHeld(const Change& change, const Policy& policy, const CachedFiles& files) const;

 private:
  StagePolicy(Context context, Path project)
      : context_(std::move(context)), project_(std::move(project)) {}

  Context context_;
  Path project_;
};

}  // namespace ringfence
