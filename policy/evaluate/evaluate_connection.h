// Decides about a connection of a sandbox, as the egress proxy does before it resolves a name.
#pragma once

#include <cstdint>
#include <string_view>

#include "policy/evaluate/evaluate_host.h"

namespace ringfence {

// `policy.network` is that of the sandbox (SandboxNetwork()); without one, nothing is permitted. A
// host that is an address is evaluated as such (EvaluateAddress()). A connection cannot wait for an
// answer, so what the policy asks about is denied.
HostDecision EvaluateConnection(std::string_view host, uint16_t port, const Policy& policy,
                                Trace* trace = nullptr);

}  // namespace ringfence
