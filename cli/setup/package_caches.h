// The caches of package managers and compilers in the home. Commands in the client's sandbox can
// read them, but write only those that the policy permits.
#pragma once

#include <string>
#include <vector>

#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

// Returns the caches that exist and that commands may not write, such as "~/.npm".
std::vector<std::string> ClosedCaches(const Policy& policy, const Places& places);

}  // namespace ringfence
