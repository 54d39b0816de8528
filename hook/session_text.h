// Describes the policy's boundaries to the model, at the start of a session and in prompts made by
// `ringfence prompt`.
#pragma once

#include <string>

#include "hook/program_sandbox.h"
#include "policy/load/context.h"
#include "policy/policy.h"

namespace ringfence {

// Returns a few lines for the model, without any text of an untrusted policy.
std::string BoundaryText(const Policy& policy, const Context& context, SandboxMode mode,
                         ProgramSandbox sandbox);

}  // namespace ringfence
