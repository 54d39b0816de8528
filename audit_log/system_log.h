// What of the audit log goes to the system's own log, where whoever can write the audit log cannot
// change it any more: anchors, which are digests of single lines, or the lines themselves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringfence {

// A line that was just written.
struct WrittenLine {
  std::string_view file;
  std::string_view text;  // without its newline
  uint64_t end = 0;       // the size of the file behind it
  int64_t unix_nanoseconds = 0;
};

// The messages: a word and one JSON object, in ASCII without control characters, whatever the line
// holds. Both have the digest of the line.
inline constexpr std::string_view kAnchorWord = "audit anchor ";
inline constexpr std::string_view kLineWord = "audit line ";
std::string AnchorMessage(const WrittenLine& line);
std::string LineMessage(const WrittenLine& line);

inline constexpr std::string_view kSystemLogName = "ringfence";
inline constexpr int kAuthPriv = 10;  // the facility of what only administrators should read
inline constexpr int kInfo = 6;

// A datagram of journald's native protocol, and one as syslog(3) writes it to /dev/log.
std::string JournalEntry(std::string_view message);
std::string SyslogEntry(std::string_view message, int64_t unix_nanoseconds, long process);

inline constexpr char kJournalSocket[] = "/run/systemd/journal/socket";
inline constexpr char kSyslogSocket[] = "/dev/log";

// To journald where it is, else to /dev/log. Never waits; what cannot be sent is not sent.
void SendToSystemLog(std::string_view message, int64_t unix_nanoseconds);

}  // namespace ringfence
