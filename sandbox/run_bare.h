// Runs a command that is not to be confined, where nothing has to be set up for it.
#pragma once

#include <string>

#include "sandbox/backend.h"

namespace ringfence {

// The command takes this process's place; what comes back says why it could not.
Ended RunBare(const SandboxPlan& plan, const Inherited& inherited);

// The first of plan.programs that may be executed; "" with the reason in `code`.
std::string FindProgram(const SandboxPlan& plan, int* code);

// What a shell says when a program could not be run.
Ended NotRun(const SandboxPlan& plan, int code);

}  // namespace ringfence
