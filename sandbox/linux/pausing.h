// The launcher's side of a pause: all processes of the run are stopped until they may go on.
#pragma once

#include "base/unique_fd.h"
#include "sandbox/backend.h"

namespace ringfence {

class Pausing {
 public:
  explicit Pausing(RunPause* pause) : pause_(pause) {}  // nullptr: the run never pauses

  // Called once the command has started.
  void Begin(const UniqueFd& supervisor);
  // Becomes readable when Look() has something to do; -1 for never.
  int notices() const { return has_begun_ && pause_ != nullptr ? pause_->notices() : -1; }
  // The time until Look() is due in any case; `wait` is that of others, -1 for no limit.
  int Milliseconds(int wait) const;
  void Look(const UniqueFd& supervisor, bool has_notice);
  // The supervisor has stopped all processes.
  void HearPaused();

 private:
  RunPause* pause_;
  bool has_begun_ = false;
  bool is_paused_ = false;
};

}  // namespace ringfence
