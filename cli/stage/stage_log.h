// What `ringfence stage` writes to the audit log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "audit_log/entry.h"
#include "base/path.h"
#include "base/result.h"
#include "policy/places.h"
#include "policy/policy.h"
#include "staging/merge_plan.h"
#include "staging/stage.h"
#include "staging/store/stage_store.h"

namespace ringfence {

class StageLog {
 public:
  // Finds the log of the stage's project and its rules, as the policy has them now. Without a
  // record or a project, it is the user's log. `given` has the home and --policy of the command
  // line.
  static Result<StageLog> Of(const Registration& given, const StageFolder& stage);

  // Appends the entries, and adds the time, the stage and the profile to them. Call it before what
  // they describe is done. An error means that the policy requires the log, so it must not be done.
  // Otherwise a failure is only a warning.
  Status Write(std::vector<AuditEntry> entries) const;

 private:
  StageLog(std::string id, Path file) : id_(std::move(id)), file_(std::move(file)) {}

  std::string id_;
  Path file_;
  AuditRules rules_;
  std::string profile_;
};

// Logs that a stage is removed. A policy that cannot be read does not keep it from being removed.
Status LogRemoval(const Registration& given, const StageFolder& stage, std::string_view by);

// Logs that what an interrupted command had changed is undone.
Status LogRecovery(const Registration& given, const StageFolder& stage);

// Who decided about an apply.
struct Deciders {
  std::string by;         // to apply: "--apply", "answer"
  std::string conflicts;  // about conflicts: "--conflicts staged", "answer"
};

// The entry of an apply, and one for each change of the plan.
std::vector<AuditEntry> ApplyEntries(const Path& project, const MergePlan& plan, uint64_t number,
                                     const Deciders& deciders);

// With the digests of files, if the plan has them (AddDigests()).
AuditEntry ChangeEntry(const PlannedChange& planned, const Path& project);

}  // namespace ringfence
