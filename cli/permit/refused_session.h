// Finds in the audit log the session that was refused what the user now permits.
#pragma once

#include <string>

#include "base/path.h"
#include "base/result.h"
#include "cli/permit/grant_target.h"

namespace ringfence {

// Returns the session of the newest denial of `grant` in the last part of the log.
Result<std::string> RefusedSession(const Path& audit_file, const GrantTarget& grant);

}  // namespace ringfence
