// bind(2): a Unix socket by path makes a name; every other address is bound as it is.
#pragma once

#include "sandbox/linux/call_arguments.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

CallResult AnswerBind(const SupervisedCaller& caller, const CallArguments& arguments,
                      Supervision& supervision);

}  // namespace ringfence
