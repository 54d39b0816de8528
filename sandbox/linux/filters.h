// The seccomp filters (sandbox/seccomp_filter.h), compiled at build time, and their installation.
#pragma once

#include <linux/filter.h>

#include <span>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/seccomp_filter.h"

namespace ringfence {

std::span<const sock_filter> GuardFilter(SocketRules sockets);
std::span<const sock_filter> SupervisedFilter(SupervisedSignals signals);

// Both require no_new_privs, last until the process ends, and apply to its children.
Status InstallGuard(SocketRules sockets);
// Returns the descriptor at which the supervised calls arrive (seccomp_unotify(2)).
Result<UniqueFd> InstallSupervised(SupervisedSignals signals);

}  // namespace ringfence
