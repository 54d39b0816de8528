// Runs a command unconfined, if there is nothing to set up.
#pragma once

#include <string>

#include "sandbox/backend.h"

namespace ringfence {

// Replaces this process with the command. Returns only if that fails, with the reason.
Ended RunBare(const SandboxPlan& plan, const Inherited& inherited);

// Returns the first of plan.programs that can be executed; "" with an errno in `code` if none can.
std::string FindProgram(const SandboxPlan& plan, int* code);

// The result for a program that could not be run, with a shell's exit status.
Ended NotRun(const SandboxPlan& plan, int code);

}  // namespace ringfence
