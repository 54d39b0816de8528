// A small process that sets the user's terminal back when the launcher is killed while it has the
// terminal in raw mode. It holds the terminal and a socket to the launcher, and nothing else.
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

  // Standard input was in the modes `before` and is in `taken` now. When this process ends and the
  // terminal is still in `taken`, it is set back: a shell that has set its own modes meanwhile
  // keeps them. The first call starts the guard. Without one (no processes left) nothing is set
  // back.
  void Watch(const termios& before, const termios& taken);

  pid_t process() const { return guard_; }  // -1 for none

 private:
  UniqueFd launcher_;  // the launcher's end of the pair
  pid_t guard_ = -1;
};

}  // namespace ringfence
