// The network holder: a small process that owns the user and network namespaces of a session, so
// that they outlive each sandbox in them. It parses nothing that comes from a sandbox but port
// numbers from the supervisors, and has no capability but to listen on low ports.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/backend.h"
#include "sandbox/plan.h"

namespace ringfence {

struct NetworkStart {
  const SandboxPlan& plan;
  NetworkEntry entry;
  unsigned long flags;  // of clone(2), for the sandbox's first process
};

struct FirstProcess {
  pid_t pid = -1;      // 0 in the first process itself
  pid_t holder = -1;   // the new holder; -1 if the network existed
  UniqueFd network{};  // in the first process: its supervisor's socket to the holder
};

// Forks the first process of a sandbox inside its network, as a child of the calling process.
// Returns in both. A new network gets a holder, also a child of the calling process, which builds
// the gateway while the first process goes on; it lives until the proxy closes its connection.
Result<FirstProcess> CloneIntoNetwork(NetworkStart start);

// For the supervisor: waits until the network is usable.
Status AwaitNetwork(const UniqueFd& holder);

}  // namespace ringfence
