// The hosts that a confined command may reach.
#pragma once

#include <optional>

#include "policy/policy.h"

namespace ringfence {

// Returns nothing if the sandbox has no network at all: the policy does not mention it, or only an
// untrusted file does. The sandbox of an agent then reaches the agent's own service (@agent-hosts),
// as far as no file denies it.
std::optional<NetworkRules> SandboxNetwork(const Policy& policy, bool is_agent);

// True if no list refuses a host that it does not name: the sandbox is then in the host's network.
bool IsHostNetwork(const NetworkRules& network);

}  // namespace ringfence
