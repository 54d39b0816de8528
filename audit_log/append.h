// Appending to the audit log: whole lines under any number of writers and after a crash, each with
// the digest of what stands before it. Never file content, never a command.
#pragma once

#include <cstdint>
#include <string>

#include "audit_log/line.h"
#include "base/path.h"
#include "base/result.h"
#include "policy/policy.h"

namespace ringfence {

// Appends `text` (AuditText) to `file`, making it and its folders (mode 0600, 0700) where they are
// missing. At `rules.rotate` bytes the file is first renamed to FILE.<UTC time>, so no line is ever
// lost; the chain goes on in the new file. Waits at most half a second for other writers, and then
// writes without them. What the system's log is to have goes there; nobody waits for that, and it
// cannot fail. Inside a sandbox the launcher outside does all that with its own file.
Status AppendToAudit(const Path& file, const AuditRules& rules, const std::string& text,
                     int64_t unix_nanoseconds);

}  // namespace ringfence
