// A sandbox inside another has no supervisor of its own: the outer one carries out its calls, in
// the outer Landlock domain. So the inner sandbox hands over its rules, and the outer supervisor
// holds every call of the inner one's processes against them as well. Which processes these are the
// kernel remembers, by a resource limit that has no other use (RLIMIT_LOCKS): children inherit it,
// nobody inside may set it.
#pragma once

#include "base/result.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

// By the inner sandbox: from here on they hold for this process and its children.
Status HandOverRules(const GuardedNames& names);

// By the supervisor. The rules in `file` are the caller's from now on, besides those it had; 0 or
// an errno value.
int TakeRules(const SupervisedCaller& caller, Supervision& supervision, const UniqueFd& file);
// Before a call is answered: what holds for its caller. 0 or an errno value.
int FindRules(const SupervisedCaller& caller, Supervision& supervision);

// `process` is in the innermost sandbox that the caller is in, or in one inside it. Landlock says
// the same of the processes themselves (ptrace(2)), but not when the supervisor asks for them.
bool IsInSandboxOf(const SupervisedCaller& caller, const Supervision& supervision, pid_t process);

}  // namespace ringfence
