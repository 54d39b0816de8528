// Decides about a connection of a sandbox, as the egress proxy does before it resolves a name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "policy/evaluate/evaluate_host.h"

namespace ringfence {

// `policy.network` is that of the sandbox (SandboxNetwork()); without one, nothing is permitted. A
// host that is an address, or localhost, is evaluated as such (EvaluateAddress()). A connection
// cannot wait for an answer, so what the policy asks about is denied.
HostDecision EvaluateConnection(std::string_view host, uint16_t port, const Policy& policy,
                                Trace* trace = nullptr);

// The cause for a sandbox of this policy that has no network (SandboxNetwork()). `host` is as the
// user or a program named it, with or without a port.
Cause NoNetworkCause(std::string_view host, const Policy& policy);

// In the sandbox of an agent: replaces the remedy by the command that the user types in another
// terminal while the agent runs, if one permits the host. `session` is the agent's own.
void SuggestSession(NameDecision& decision, uint16_t port, const Policy& policy,
                    const std::string& session);

}  // namespace ringfence
