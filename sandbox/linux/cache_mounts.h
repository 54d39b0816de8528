// The plan's caches as overlay mounts: the home's directory is the lower layer, and what is written
// stays in memory or in a session's directory.
#pragma once

#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/plan.h"

namespace ringfence {

class CacheMounts {
 public:
  // `kept` is the session's directory, which no other run uses at the same time; "/" for none.
  CacheMounts(const SandboxPlan& plan, const Path& kept) : plan_(plan), kept_(kept) {}

  // Returns one unattached mount per cache; invalid if the kernel or the file system does not
  // support it, in which case the command has an empty cache elsewhere. Call before anything is
  // read-only or covered.
  Result<std::vector<UniqueFd>> Make();

 private:
  Status MakeInMemory();
  UniqueFd MakeOne(size_t number, const Path& upper) const;

  const SandboxPlan& plan_;
  const Path& kept_;
  std::vector<UniqueFd> sources_;
  std::vector<UniqueFd> made_;
};

}  // namespace ringfence
