// Finds what `ringfence allow --session` permitted to single sessions, and the session to permit.
#pragma once

#include <string>
#include <vector>

#include "base/path.h"
#include "base/result.h"
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

// Returns the session that was refused what the user now permits: that of the newest denial of
// `grant` in the last part of the audit log.
Result<std::string> RefusedSession(const Path& audit_file, const GrantTarget& grant);

}  // namespace ringfence
