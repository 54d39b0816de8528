// A small process that restores the user's terminal if the launcher is killed while the terminal is
// in raw mode. It holds the terminal and a socket to the launcher, and nothing else.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include "base/unique_fd.h"

namespace ringfence {

class TerminalGuard {
 public:
  TerminalGuard() = default;
  TerminalGuard(const TerminalGuard&) = delete;
  TerminalGuard& operator=(const TerminalGuard&) = delete;
  ~TerminalGuard();  // ends the process; the terminal is left as it is

  // Standard input had the modes `before` and now has `taken`. If the terminal still has `taken`
  // when this process ends, the guard restores `before`; a shell that has since set its own modes
  // keeps them. The first call starts the guard. If it cannot be started (no processes left),
  // nothing is restored.
  void Watch(const termios& before, const termios& taken);

  pid_t process() const { return guard_; }  // -1 for none

 private:
  UniqueFd launcher_;  // the launcher's end of the pair
  pid_t guard_ = -1;
};

}  // namespace ringfence
