// Creates the directories that the policy allows but that do not exist yet, before a run and as far
// as the user has permission.
#pragma once

#include <vector>

#include "base/not_copied.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/plan.h"

namespace ringfence {

// Adds to `left_out` those that the user has no permission to create: no process inside could write
// there either.
Status MakePlaces(const SandboxPlan& plan, std::vector<Path>& left_out);

// The same inside the sandbox, for places whose changes a stage keeps.
Status MakeStagedPlaces(const SandboxPlan& plan);

SandboxPlan Without(SandboxPlan plan, const std::vector<Path>& left_out);

// OwnTmp: the host directory for a run's temporary files, unless they are kept in memory: one that
// a session keeps, or one for this run only (SandboxPlan::session_tmp, scratch).
class OwnTmp : NotCopied {
 public:
  explicit OwnTmp(const SandboxPlan& plan) : plan_(plan) {}
  ~OwnTmp();

  Status Make();

  // Directory where the session keeps what its commands write to caches; "/" if it keeps nothing or
  // another of its commands uses the directory.
  const Path& caches() const { return caches_; }

  // Removes session directories unused for days, and those left behind by a launcher that was
  // killed. Called while the command runs.
  void RemoveOld() const;

 private:
  Status MakeSession();
  Status MakeScratch();
  void MakeCaches();

  const SandboxPlan& plan_;
  UniqueFd sessions_;  // the directory of all sessions
  UniqueFd session_;   // locked, so that it is not removed while in use
  UniqueFd scratch_;   // also locked
  Path caches_;
  UniqueFd caches_lock_;
  bool is_first_ = false;
};

}  // namespace ringfence
