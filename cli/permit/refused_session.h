// Which session was refused what somebody now permits: the audit log knows.
#pragma once

#include <string>

#include "base/path.h"
#include "base/result.h"
#include "cli/permit/grant_target.h"

namespace ringfence {

// The session of the newest denial of `grant` in the end of the log.
Result<std::string> RefusedSession(const Path& audit_file, const GrantTarget& grant);

}  // namespace ringfence
