// kill(2) and the other calls that send signals, where neither a process namespace nor Landlock
// keeps them inside: only processes of the sandbox get them, and never the supervisor.
#pragma once

#include "sandbox/linux/caller.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

// Answers the call. What the receiver sees as the sender of a signal to another process is the
// supervisor (si_pid).
void AnswerSignal(const SupervisedCaller& caller, const Supervision& supervision);

}  // namespace ringfence
