// Starts the program `ringfence` from a process that may have threads.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "ringfence/sandbox.h"

namespace ringfence::sandbox {

// A system call that failed with `code`, an errno value.
Error FailedCall(const char* call, int code);

std::string LauncherOf(const Command& command);

// The words after `ringfence run`, up to the command itself. An error says what is no command.
Expected<std::vector<std::string>> LaunchOptions(const Command& command);

// One start. The child begins with default signal actions and no blocked signals.
struct Launch {
  const Command& command;
  std::vector<std::string> options;  // of `ringfence run`
  int stdout_fd = 1;
  int stderr_fd = 2;
  UniqueFd report;  // the child's end of a pair of sockets
};
Expected<pid_t> Start(Launch launch);

}  // namespace ringfence::sandbox
