// Formats lines of the audit log as syslog messages (RFC 5424), as frames of a stream (RFC 6587),
// and as journald messages. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/log/log_line.h"

namespace ringfence {

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
