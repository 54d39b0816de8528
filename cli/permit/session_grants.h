// Finds what `ringfence allow --session` permitted to single sessions.
#pragma once

#include <string>
#include <vector>

#include "cli/common/grant_target.h"
#include "cli/common/policies.h"

namespace ringfence {

// Returns the sessions that have grants, the newest first; at most twenty.
std::vector<std::string> SessionsWithGrants(const std::string& home);

struct SessionPermit {
  std::string session;
  std::string entry;  // the wider entry that permits it; "" if it has its own entry
};

// Returns the sessions that may do what the policies deny to all others, or a part of it. Changes
// `policies` and restores them at the end.
std::vector<SessionPermit> SessionsThatPermit(const GrantTarget& grant, Context& policies);

// Returns the sessions that have an entry for exactly this grant, the newest first. Changes
// `policies` and restores them at the end.
std::vector<std::string> SessionsWithEntry(const GrantTarget& grant, Context& policies);

}  // namespace ringfence
