// Which session was refused what somebody now permits: the audit log knows.
#pragma once

#include <string>

#include "base/path.h"
#include "base/result.h"
#include "cli/permit/wish.h"

namespace ringfence {

// The session of the newest denial of `wish` in the end of the log.
Result<std::string> RefusedSession(const Path& audit_file, const Wish& wish);

}  // namespace ringfence
