// What `ringfence allow --session` permitted to single sessions.
#pragma once

#include <string>
#include <vector>

#include "cli/common/policies.h"
#include "cli/permit/grant_target.h"

namespace ringfence {

// Sessions for which something was allowed, the newest first; at most twenty.
std::vector<std::string> SessionsWithGrants(const std::string& home);

struct SessionPermit {
  std::string session;
  std::string entry;  // that permits it, where that is a wider one; "": one of its own
};

// The sessions that may what the policies deny to all others, or a part of it. `policies` are
// changed meanwhile and as before at the end.
std::vector<SessionPermit> SessionsThatPermit(const GrantTarget& grant, Context& policies);

}  // namespace ringfence
