// The seccomp filters (sandbox/seccomp_filter.h), compiled while building, and how they are put on.
#pragma once

#include <linux/filter.h>

#include <span>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/seccomp_filter.h"

namespace ringfence {

std::span<const sock_filter> GuardFilter(SocketRules sockets);
std::span<const sock_filter> SupervisedFilter(SupervisedSignals signals);

// Both need no_new_privs and last until the process ends, its children included.
Status InstallGuard(SocketRules sockets);
// The descriptor at which the supervised calls arrive (seccomp_unotify(2)).
Result<UniqueFd> InstallSupervised(SupervisedSignals signals);

}  // namespace ringfence
