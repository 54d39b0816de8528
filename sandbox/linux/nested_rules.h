// A sandbox inside another has no supervisor of its own: the outer one carries out its calls, in
// the outer Landlock domain. So the inner sandbox hands over its rules, and the outer supervisor
// also checks every call of the inner processes against them. The kernel marks these processes by a
// resource limit that has no other use (RLIMIT_LOCKS): children inherit it, and no process inside
// may set it.
#pragma once

#include "base/result.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

// Called by the inner sandbox. The rules then hold for this process and its children.
Status HandOverRules(const GuardedNames& names);

// Called by the supervisor. Adds the rules in `file` to those of the caller. Returns 0 or an errno
// value.
int TakeRules(const SupervisedCaller& caller, const UniqueFd& file);
// Finds the rules for a caller, before its call is answered. Returns 0 or an errno value.
int FindRules(const SupervisedCaller& caller);

// True if `process` is in the caller's innermost sandbox or in one inside it. Landlock enforces the
// same when processes act themselves (ptrace(2)), but not when the supervisor acts for them.
bool IsInSandboxOf(const SupervisedCaller& caller, pid_t process);

}  // namespace ringfence
