// The sandbox's side of a start: the first process in the new namespaces carries out the plan step
// by step, starts the command, and remains as its supervisor.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "sandbox/backend.h"
#include "sandbox/inherited.h"
#include "sandbox/linux/terminal.h"
#include "sandbox/plan.h"

namespace ringfence {

struct InsideStart {
  const SandboxPlan& plan;
  UniqueFd channel;            // to the launcher
  const UniqueFd& cgroup;      // the cgroup to enter; invalid for none
  int audit = -1;              // the launcher's socket for audit lines, not owned; -1 for none
  UniqueFd network;            // to the holder of the network; invalid if it has none
  ProxyPort proxy;             // the only port that can be reached; 0 for no such rule
  const Path& caches;          // where the session keeps changes to caches; "/" for none
  sigset_t signals;            // blocked at the start of the command
  const Inherited& inherited;  // restored for the command
  const std::optional<TerminalStart>& terminal;  // the command's own terminal; nothing for none
};

// Never returns. Exits when the sandbox ends; everything else is reported through the channel.
[[noreturn]] void RunInside(InsideStart start);

// The command's own process, between fork(2) and execve(2).
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
