// Names and addresses of the loopback.
#pragma once

#include "policy/policy.h"

namespace ringfence {

// True for the loopback's addresses and names, and for 0.0.0.0 and ::, which lead there too: an
// entry for them permits this machine to the agent's own tools, and nothing to commands in a
// sandbox, which have a loopback of their own.
bool IsOwnLoopback(const HostRule& rule);

}  // namespace ringfence
