// Calls of another architecture, made by 32-bit programs or, through int 0x80, by 64-bit programs.
// They have different numbers and hide their arguments from a filter (socketcall(2)), so none is
// carried out.
#pragma once

#include <linux/seccomp.h>

#include "sandbox/linux/caller.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

bool IsForeign(const seccomp_notif& call);

// Ends a 32-bit program, which would crash without its calls, and reports why. Any other caller
// gets ENOSYS.
void AnswerForeign(const SupervisedCaller& caller, Supervision& supervision);

}  // namespace ringfence
