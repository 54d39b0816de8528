// Starts the program `ringfence` from a process that can have threads.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "ringfence/sandbox.h"

namespace ringfence::sandbox {

// Returns the error of a system call that failed with `code`, an errno value.
Error FailedCall(const char* call, int code);

std::string LauncherOf(const Command& command);

// Returns the words between `ringfence run` and the command; an error says why `command` is
// invalid.
Expected<std::vector<std::string>> LaunchOptions(const Command& command);

// Arguments of Start(). The child begins with default signal actions and no blocked signals.
struct Launch {
  const Command& command;
  std::vector<std::string> options;  // of `ringfence run`
  int stdout_fd = 1;
  int stderr_fd = 2;
  UniqueFd report;  // the child's end of the socket pair
};
Expected<pid_t> Start(Launch launch);

}  // namespace ringfence::sandbox
