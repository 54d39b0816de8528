// What a line of the audit log says, which lines somebody wants, and how they are told to people.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/common/console.h"

namespace ringfence {

struct LogEntry {
  std::string time;  // as the writer of the line says, or the launcher where that was in a sandbox
  std::string event, session, agent_id, agent_type, tool, verdict, why;
  std::string rule;  // "policy.json:6 /write/allow"
  std::vector<std::string> paths;
  bool is_inside = false;
  bool is_unlocked = false;
};

// Nothing for what is no whole line of the log.
std::optional<LogEntry> ReadLogEntry(std::string_view line);

struct LogFilter {
  std::string tool;  // with "*" for any text
  std::string verdict;
  std::string session;  // the beginning of it
  std::string agent;    // its id or its type, with "*"
  std::string since;    // as LogEntry::time

  bool Wants(const LogEntry& entry) const;
};

// One line, without control characters whatever the entry holds.
std::string ShowLogEntry(const LogEntry& entry, const Console& console);

}  // namespace ringfence
