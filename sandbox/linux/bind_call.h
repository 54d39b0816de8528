// bind(2): binding a Unix socket to a path creates a name; all other addresses are bound unchanged.
#pragma once

#include "sandbox/linux/call_arguments.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

CallResult AnswerBind(const SupervisedCaller& caller, const CallArguments& arguments,
                      Supervision& supervision);

}  // namespace ringfence
