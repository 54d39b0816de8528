// Appends to the audit log: whole lines, with any number of writers and after a crash, each with
// the digest of what precedes it. The log never contains file content or commands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "audit_log/line.h"
#include "base/path.h"
#include "base/result.h"
#include "policy/policy.h"

namespace ringfence {

// Appends `text` (AuditText) to `file`, creating the file and its directories (mode 0600, 0700) if
// they are missing. At `rules.rotate` bytes the file is first renamed to FILE.<UTC time>, so no
// line is ever lost; the chain continues in the new file. Waits at most half a second for other
// writers, then writes without the lock. Sends the system log its part without waiting; that cannot
// fail. Leaves out a line that the hook's other registration has written (twin.h). Inside a sandbox
// the launcher outside does all this with its own file.
Status AppendToAudit(const Path& file, const AuditRules& rules, const std::string& text,
                     int64_t unix_nanoseconds);

struct NewAuditLine {
  std::string text;  // AuditText
  int64_t unix_nanoseconds;
};

// The same for one or more lines: opens, locks and checks the file once for as many as fit. Returns
// how many were appended, counted from the first. An error means that none was.
Result<size_t> AppendToAudit(const Path& file, const AuditRules& rules,
                             std::span<const NewAuditLine> lines);

// Appends all of them. After an error, the first ones can be in the log.
Status AppendAllToAudit(const Path& file, const AuditRules& rules,
                        std::span<const NewAuditLine> lines);

}  // namespace ringfence
