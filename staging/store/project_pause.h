// Pauses stages while a user's command works on their project alone.
//
// That command holds the project's lock, and the file of the lock has the id of its stage. The runs
// in other stages of the project watch this file, and pause as long as the lock is held. The kernel
// ends the lock with the process, so a command that is killed leaves nothing paused.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "staging/store/stage_store.h"

namespace ringfence {

// The other stages that were running when a command began to work alone.
struct OtherStages {
  std::vector<std::string> paused;
  std::vector<std::string> running;  // did not pause in time
};

// Makes the running stages of the project pause until `lock`, which the caller holds, is closed.
// Waits a moment for them. `stage` is the caller's own.
Result<OtherStages> PauseOthers(const StageStore& store, const UniqueFd& lock,
                                const StageRecord& stage);

// The id of the stage whose command works on the project alone; "" for none. Meaningful while
// another process holds the lock.
std::string StageAlone(const StageStore& store, const Path& project);

class PauseWatch {
 public:
  // `lock` is the file of the lock, not locked. Fails on macOS, where no run can pause.
  static Result<PauseWatch> Begin(UniqueFd lock);

  // Becomes readable ten times a second, since a command may have begun to work alone.
  int notices() const { return events_.get(); }
  // The id of the stage for which this run has to pause now; "" for none.
  std::string Look() const;

 private:
  PauseWatch(UniqueFd lock, UniqueFd events) : lock_(std::move(lock)), events_(std::move(events)) {}

  std::string Wanted() const;

  UniqueFd lock_;
  UniqueFd events_;  // timerfd_create(2)
};

}  // namespace ringfence
