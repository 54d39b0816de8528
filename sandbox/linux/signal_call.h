// kill(2) and the other calls that send signals, if neither a process namespace nor Landlock keeps
// signals inside. Only processes of the sandbox receive them, and never the supervisor.
#pragma once

#include "sandbox/linux/caller.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

// Answers the call. The receiver of a signal from another process sees the supervisor as its sender
// (si_pid).
void AnswerSignal(const SupervisedCaller& caller, const Supervision& supervision);

}  // namespace ringfence
