// Privileges, limits and filters of a confined process, set once it is in its namespaces.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <span>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/plan.h"
#include "sandbox/seccomp_filter.h"

namespace ringfence {

// Maps only this user and group, each to the same id outside (user_namespaces(7)).
Status MapIdentity(uint32_t user, uint32_t group);

// Joins a new session keyring: the inherited one belongs to the host (keyrings(7)).
Status LeaveKeyring();

// Brings up the loopback device, which is down in a new network namespace.
Status RaiseLoopback();

// Ensures that no later execve(2) gains privileges (prctl(2), PR_SET_NO_NEW_PRIVS).
Status ForbidNewPrivileges();

// Prevents other processes of the same user from inspecting this one (PR_SET_DUMPABLE).
Status HideMemory();

// The capabilities that a process keeps, all in its own user namespace.
enum class Kept : uint8_t {
  kNothing,
  kPtrace,    // CAP_SYS_PTRACE, which reaches only the sandbox's processes
  kLowPorts,  // CAP_NET_BIND_SERVICE, for the gateway's ports
};
// Drops every other capability, and the means by which user id 0 regains them.
Status DropCapabilities(Kept kept);

// Sets the limits: no core files and no crash handler, half of the user's queued signals and
// message queues, the number of processes, and processors as far as limits of a single process go.
Status LimitResources(const PlannedLimits& limits);
// Lowers the hard limit for open files a little. The kernel counts the descriptors that all of the
// user's processes have in messages of Unix sockets, and refuses more to a process whose own soft
// limit they exceed: those outside, which have the whole limit, can still send (unix(7),
// ETOOMANYREFS).
Status LeaveDescriptorsInMessages();
// Limits memory, as far as a limit of a single process goes.
Status LimitMemory(const PlannedLimits& limits);

// Restricts this process by Landlock: it may read and execute in the whole view, and write where
// the plan allows it. `caches` are those that are mounted. `proxy_port` is the only TCP port to
// connect to if the plan's network is kProxyPort.
Status RestrictByLandlock(const SandboxPlan& plan, const std::vector<const PlannedCache*>& caches,
                          uint16_t proxy_port);

// From here on, this process and its children connect and bind no TCP socket; those that others
// connect for them still work. Needs Landlock ABI 4.
Status ForbidTcp();

// From here on, signals from this process and its children do not reach processes that have not
// called this, such as the supervisor.
Status KeepSignalsFromParent(int abi);

// The seccomp filters (sandbox/seccomp_filter.h), compiled at build time.
std::span<const sock_filter> GuardFilter(SocketRules sockets);
std::span<const sock_filter> SupervisedFilter(SupervisedExtras extras);

// Both require no_new_privs, last until the process ends, and apply to its children.
Status InstallGuard(SocketRules sockets);
// Returns the descriptor at which the supervised calls arrive (seccomp_unotify(2)).
Result<UniqueFd> InstallSupervised(SupervisedExtras extras);

}  // namespace ringfence
