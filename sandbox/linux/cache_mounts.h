// The plan's caches as overlay mounts: the home's directory below, and above it a directory for
// what is written, in memory or in one that a session keeps.
#pragma once

#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/plan.h"

namespace ringfence {

class CacheMounts {
 public:
  // `kept` is the session's directory, which no other run uses meanwhile; "/" for none.
  CacheMounts(const SandboxPlan& plan, const Path& kept) : plan_(plan), kept_(kept) {}

  // One for each cache, not attached yet. Invalid where the kernel or the file system cannot: the
  // command then has an empty cache elsewhere. Before anything is read-only or covered.
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
