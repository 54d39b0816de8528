// Calls that change an existing file, regardless of its name: truncate, chmod, fchmod, utimensat,
// setxattr, removexattr and the like.
#pragma once

#include "sandbox/linux/call_arguments.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

CallResult AnswerHandleCall(const SupervisedCaller& caller, const CallArguments& arguments,
                            Supervision& supervision);

}  // namespace ringfence
