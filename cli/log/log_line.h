// Parses, filters and formats lines of the audit log.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "audit_log/entry.h"
#include "cli/common/console.h"

namespace ringfence {

// Returns nothing if `line` is not a whole line of the log with its chain value.
std::optional<AuditEntry> ReadLogLine(std::string_view line);

struct LogFilter {
  std::string tool;  // "*" matches any text
  std::string verdict;
  std::string session;  // the beginning of its id
  std::string agent;    // its id or type; "*" matches any text
  std::string since;    // in the format of AuditEntry::time

  bool Wants(const AuditEntry& entry) const;
};

// Returns one line without control characters, whatever the entry contains.
std::string ShowLogEntry(const AuditEntry& entry, const Console& console);

}  // namespace ringfence
