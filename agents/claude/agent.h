// Claude Code, as the policy and the sandbox know it. tests/system/client_schema compares the table
// of its tools with the client's own schema.
#pragma once

#include "policy/agent.h"

namespace ringfence {

const Agent& ClaudeCode();

}  // namespace ringfence
