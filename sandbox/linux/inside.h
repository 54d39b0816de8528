// The sandbox's side of a start: the first process of the new namespaces carries out the plan step
// by step, starts the command and stays as its supervisor.
#pragma once

#include <csignal>

#include "base/unique_fd.h"
#include "sandbox/inherited.h"
#include "sandbox/plan.h"

namespace ringfence {

struct InsideStart {
  const SandboxPlan& plan;
  UniqueFd channel;            // to the launcher
  const UniqueFd& cgroup;      // to be entered; invalid for none
  int audit = -1;              // the launcher's socket for audit lines, not owned; -1 for none
  const Path& caches;          // where the session keeps what is written to caches; "/" for nowhere
  sigset_t signals;            // those that the command begins with blocked
  const Inherited& inherited;  // what the command gets back
  bool own_terminal = false;   // the command gets a terminal of its own
};

// Never returns. Exits with the sandbox's end; the launcher hears about everything else by the
// channel.
[[noreturn]] void RunInside(InsideStart start);

}  // namespace ringfence
