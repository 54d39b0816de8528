// The caches of package managers and compilers in the home, which commands in the client's sandbox
// can read, but write only where the policy permits it.
#pragma once

#include <string>
#include <vector>

#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

// Those that exist and that the policy does not let commands write: "~/.npm".
std::vector<std::string> ClosedCaches(const Policy& policy, const Places& places);

}  // namespace ringfence
