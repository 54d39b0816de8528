// Lines of the audit log as messages of the syslog protocol (RFC 5424), and how they stand in a
// stream (RFC 6587) and in journald's. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/log/log_line.h"

namespace ringfence {

// `sequence` counts what this program sends, from 1. The line becomes the message in ASCII, with
// the same meaning.
std::string SyslogMessage(std::string_view line, const AuditEntry& entry, const std::string& host,
                          uint32_t sequence);

// With its length before it: octet counting.
std::string Framed(const std::string& message);

// A datagram of journald's native protocol.
std::string JournalMessage(std::string_view line, const AuditEntry& entry);

// Where lines are sent to.
struct LogTarget {
  enum class Kind { kJournal, kTcp, kUdp };
  Kind kind = Kind::kJournal;
  std::string host;  // a name or an address
  uint16_t port = 514;
};

// "journald", "syslog://HOST[:PORT]", "syslog+udp://HOST[:PORT]"; an IPv6 address in brackets.
Result<LogTarget> ReadLogTarget(const std::string& text);

}  // namespace ringfence
