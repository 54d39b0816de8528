// OwnTmp: the host's folder for a run's temporary files, where they do not lie in memory: one that
// is kept for a session, or one for this run alone (SandboxPlan::session_tmp, scratch).
#pragma once

#include "base/unique_fd.h"
#include "sandbox/plan.h"

namespace ringfence {

class OwnTmp {
 public:
  explicit OwnTmp(const SandboxPlan& plan) : plan_(plan) {}
  OwnTmp(const OwnTmp&) = delete;
  OwnTmp& operator=(const OwnTmp&) = delete;
  ~OwnTmp();

  Status Make();

  // Where the session keeps what its commands write to caches; "/" where it keeps nothing, or
  // another of its commands uses it.
  const Path& caches() const { return caches_; }

  // Removes those of sessions that nobody has used for days, and those that a launcher which was
  // killed has left. Called while the command runs.
  void RemoveOld() const;

 private:
  Status MakeSession();
  Status MakeScratch();
  void MakeCaches();
  void RemoveOldSessions() const;
  void RemoveLeftScratch() const;

  const SandboxPlan& plan_;
  UniqueFd sessions_;  // the folder of all sessions
  UniqueFd session_;   // locked: a folder in use is not old
  UniqueFd scratch_;   // locked as well
  Path caches_;
  UniqueFd caches_lock_;
  bool is_first_ = false;
};

}  // namespace ringfence
