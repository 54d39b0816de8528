// The part of the audit log that goes to the system log, where a process that can write the audit
// log cannot change it later: anchors, which are digests of single lines, or the lines themselves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringfence {

// A line that was just written.
struct WrittenLine {
  std::string_view file;
  std::string_view text;  // without its newline
  uint64_t end = 0;       // size of the file after this line
  int64_t unix_nanoseconds = 0;
};

// The messages: a word and one JSON object, always ASCII without control characters. Both contain
// the digest of the line.
inline constexpr std::string_view kAnchorWord = "audit anchor ";
inline constexpr std::string_view kLineWord = "audit line ";
std::string AnchorMessage(const WrittenLine& line);
std::string LineMessage(const WrittenLine& line);

inline constexpr std::string_view kSystemLogName = "ringfence";
inline constexpr int kAuthPriv = 10;  // facility for messages for administrators only
inline constexpr int kInfo = 6;

// A datagram of journald's native protocol, and one in the format that syslog(3) writes to
// /dev/log.
std::string JournalEntry(std::string_view message);
std::string SyslogEntry(std::string_view message, int64_t unix_nanoseconds, long process);

inline constexpr char kJournalSocket[] = "/run/systemd/journal/socket";
inline constexpr char kSyslogSocket[] = "/dev/log";

// Sends to journald, or to /dev/log if that fails. Never waits; drops what cannot be sent.
void SendToSystemLog(std::string_view message, int64_t unix_nanoseconds);

}  // namespace ringfence
