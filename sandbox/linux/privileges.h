// What a confined process gives up, and what it gets instead, once it stands in its namespaces.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "sandbox/plan.h"

namespace ringfence {

// The same user and group as outside, and no others (user_namespaces(7)).
Status MapIdentity(uint32_t user, uint32_t group);

// A session keyring of its own: the one that was inherited belongs to the host (keyrings(7)).
Status LeaveKeyring();

// The loopback device of a new network namespace is down.
Status RaiseLoopback();

// Nothing that is executed from here on gains a right by it (prctl(2), PR_SET_NO_NEW_PRIVS).
Status ForbidNewPrivileges();

// Other processes of the same user cannot look into this one.
Status HideMemory();

enum class Kept : bool { kNothing, kPtrace };
// Takes every capability away, and what user id 0 would give back, but for CAP_SYS_PTRACE where it
// is kept: in a user namespace of its own it reaches only the sandbox's processes.
Status DropCapabilities(Kept kept);

// No core files and no crash handler; half of what the user may have of queued signals and message
// queues; how many processes at once; processors as far as limits of a single process go.
Status LimitResources(const PlannedLimits& limits);
// Memory, as far as a limit of a single process goes.
Status LimitMemory(const PlannedLimits& limits);

// The read-only and executable rights of the whole view, write rights where the plan has them.
// `caches` are those that are mounted.
Status RestrictByLandlock(const SandboxPlan& plan, const std::vector<const PlannedCache*>& caches);

// From here on no signal gets to processes that have not called this, as the supervisor has not.
Status KeepSignalsFromParent(int abi);

}  // namespace ringfence
