// Describes Claude Code to the policy and the sandbox. tests/system/client_schema compares its
// table of tools with the client's own schema.
#pragma once

#include "policy/agent.h"

namespace ringfence {

const Agent& ClaudeCode();

}  // namespace ringfence
