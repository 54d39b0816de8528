// Decides which connections the proxy of network.upstream makes, once EvaluateHost() permits them.
// All that leave the user's own networks do. That proxy looks their names up, and ringfence does
// not. A connection within these networks is made directly: to host.ringfence, and to an address
// that is not public and that EvaluateAddress() permits.
//
// Without network.upstream, both functions return false. `host` is canonical (PlainHost()).
#pragma once

#include <cstdint>
#include <string_view>

#include "policy/evaluate/evaluate_tool.h"
#include "policy/rules/address.h"

namespace ringfence {

// True for a name that is left to the proxy without a lookup: not for an address, host.ringfence,
// localhost, a name below it, or one that network.private has.
bool IsLeftToUpstream(std::string_view host, uint16_t port, const Policy& policy);

// True for an address to which only the proxy may connect.
bool IsBeyondUpstream(const Address& address, const Policy& policy);

// The proxy connects to any host for those who reach it, so nothing in the sandbox may. Names are
// compared by EvaluateHost(); this is the denial of a host whose address is the proxy's.
NameDecision DeniedUpstream(std::string_view host, uint16_t port, const Address& address,
                            const Upstream& upstream);

// Continues "it" or "its address ...".
inline constexpr std::string_view kIsUpstream =
    " is the proxy of network.upstream, which connects to every host";

}  // namespace ringfence
