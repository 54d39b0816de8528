// Calls of another architecture: of 32-bit programs, and of 64-bit ones by way of int 0x80. They
// have other numbers and hide their arguments from a filter (socketcall(2)), so none is carried
// out.
#pragma once

#include <linux/seccomp.h>

#include "sandbox/linux/caller.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

bool IsForeign(const seccomp_notif& call);

// Ends a 32-bit program and reports why: without its calls it would crash. Any other caller gets
// ENOSYS.
void AnswerForeign(const SupervisedCaller& caller, Supervision& supervision);

}  // namespace ringfence
