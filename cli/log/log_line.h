// Parses, filters and formats lines of the audit log: for people, as syslog messages (RFC 5424), as
// frames of a stream (RFC 6587) and as journald messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "audit_log/entry.h"
#include "base/result.h"
#include "cli/common/console.h"

namespace ringfence {

// Returns nothing if `line` is not a whole line of the log with its chain value.
std::optional<AuditEntry> ReadLogLine(std::string_view line);

struct LogFilter {
  std::string event;  // of AuditEntry; "" for any
  std::string tool;   // "*" matches any text
  std::optional<LoggedVerdict> verdict;
  std::string session;  // the beginning of its id
  std::string agent;    // its id or type; "*" matches any text
  std::string stage;    // the beginning of its id
  std::string since;    // in the format of AuditEntry::time

  bool Wants(const AuditEntry& entry) const;
};

// Returns one line without control characters, whatever the entry contains.
std::string ShowLogEntry(const AuditEntry& entry, const Console& console);

// `sequence` numbers the messages of this program, from 1. The message contains `line` as ASCII
// JSON with the same meaning.
std::string SyslogMessage(std::string_view line, const AuditEntry& entry, const std::string& host,
                          uint32_t sequence);

// Returns the message with its length in front (octet counting).
std::string Framed(const std::string& message);

// Returns a datagram of journald's native protocol.
std::string JournalMessage(std::string_view line, const AuditEntry& entry);

// The destination of the lines.
struct LogTarget {
  enum class Kind { kJournal, kTcp, kUdp };
  Kind kind = Kind::kJournal;
  std::string host;  // a name or an address
  uint16_t port = 514;
};

// Parses "journald", "syslog://HOST[:PORT]" or "syslog+udp://HOST[:PORT]"; an IPv6 address is in
// brackets.
Result<LogTarget> ReadLogTarget(const std::string& text);

}  // namespace ringfence
