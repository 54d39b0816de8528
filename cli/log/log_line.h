// Lines of the audit log: which a filter selects, and how people see them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "audit_log/entry.h"
#include "cli/common/console.h"

namespace ringfence {

// Nothing for text that is not a whole line of the log, with its chain.
std::optional<AuditEntry> ReadLogLine(std::string_view line);

struct LogFilter {
  std::string tool;  // with "*" for any text
  std::string verdict;
  std::string session;  // the beginning of it
  std::string agent;    // its id or its type, with "*"
  std::string since;    // as AuditEntry::time

  bool Wants(const AuditEntry& entry) const;
};

// One line, without control characters whatever the entry holds.
std::string ShowLogEntry(const AuditEntry& entry, const Console& console);

}  // namespace ringfence
