// Tried by the confined process itself, as the last thing before the command: what must fail. Any
// surprise is an error, and the command is not run.
#pragma once

#include "base/result.h"
#include "sandbox/plan.h"

namespace ringfence {

Status TestSandbox(const SandboxPlan& plan);

}  // namespace ringfence
