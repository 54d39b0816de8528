// The command's own process, between fork(2) and execve(2).
#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "sandbox/inherited.h"
#include "sandbox/plan.h"

namespace ringfence {

struct CommandStart {
  const SandboxPlan& plan;
  std::vector<std::string> environment;
  UniqueFd launcher;    // the channel; closed by a successful execve(2)
  UniqueFd supervisor;  // receives the listener of the supervised calls
  UniqueFd terminal;    // the controlling terminal; may be invalid
  sigset_t signals;
  const Inherited& inherited;
  mode_t mask;
};

[[noreturn]] void RunCommand(CommandStart start);

}  // namespace ringfence
