#include "audit_log/system_log.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cstring>

#include "audit_log/line.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/unique_fd.h"

namespace ringfence {
namespace {

// Returns {...,"digest":"...": the digest precedes the line, which a log may cut.
std::string Described(const WrittenLine& line) {
  return "{\"file\":" + AsciiJson(JsonString(line.file)) + ",\"time\":\"" +
         AuditTime(line.unix_nanoseconds) + "\",\"end\":" + std::to_string(line.end) +
         ",\"digest\":\"" + Sha256Hex(line.text) + "\"";
}

}  // namespace

std::string AnchorMessage(const WrittenLine& line) {
  return std::string(kAnchorWord) + Described(line) + "}";
}

std::string LineMessage(const WrittenLine& line) {
  return std::string(kLineWord) + Described(line) + ",\"line\":" + AsciiJson(line.text) + "}";
}

std::string JournalEntry(std::string_view message) {
  return "MESSAGE=" + std::string(message) + "\nPRIORITY=" + std::to_string(kInfo) +
         "\nSYSLOG_FACILITY=" + std::to_string(kAuthPriv) +
         "\nSYSLOG_IDENTIFIER=" + std::string(kSystemLogName) + "\n";
}

// rsyslog skips a fixed number of bytes for the time and uses its own time.
std::string SyslogEntry(std::string_view message, int64_t unix_nanoseconds, long process) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const time_t seconds = unix_nanoseconds / 1'000'000'000;
  tm t{};
  ::gmtime_r(&seconds, &t);
  return "<" + std::to_string(kAuthPriv * 8 + kInfo) + ">" +
         std::string(kMonths.substr(3 * static_cast<size_t>(t.tm_mon), 3)) + " " +
         Digits(t.tm_mday, 2, ' ') + " " + Digits(t.tm_hour, 2) + ":" + Digits(t.tm_min, 2) + ":" +
         Digits(t.tm_sec, 2) + " " + std::string(kSystemLogName) + "[" + std::to_string(process) +
         "]: " + std::string(message);
}

#ifdef __linux__
namespace {

template <size_t N>
bool SendTo(const UniqueFd& from, const char (&name)[N], const std::string& datagram) {
  sockaddr_un address{};
  static_assert(N <= sizeof address.sun_path);
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name, N);
  const void* bytes = &address;
  return ::sendto(from.get(), datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                  static_cast<const sockaddr*>(bytes), sizeof address) >= 0;
}

}  // namespace

void SendToSystemLog(std::string_view message, int64_t unix_nanoseconds) {
  const UniqueFd from(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!from.valid() || SendTo(from, kJournalSocket, JournalEntry(message))) return;
  SendTo(from, kSyslogSocket, SyslogEntry(message, unix_nanoseconds, ::getpid()));
}
#else
void SendToSystemLog(std::string_view, int64_t) {}
#endif

}  // namespace ringfence
