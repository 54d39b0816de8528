#include "hook/audit_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>

#include "base/sha256.h"
#include "base/syscall.h"
#include "base/text.h"

namespace ringfence {
namespace {

constexpr size_t kMaxPathText = 512;
constexpr size_t kMaxLine = 16 * 1024;  // a line is far shorter: 8 paths of 512 bytes, escaped
constexpr size_t kShortLine = 1024;
constexpr int kLockTries = 500;    // one millisecond apart
constexpr int kRotations = 10000;  // by others, while we wait for the lock

struct UtcTime {
  tm parts{};
  long nanoseconds = 0;
};

UtcTime UtcOf(int64_t unix_nanoseconds) {
  UtcTime utc;
  const time_t seconds = unix_nanoseconds / 1000000000;
  utc.nanoseconds = static_cast<long>(unix_nanoseconds % 1000000000);
  ::gmtime_r(&seconds, &utc.parts);
  return utc;
}

std::string Digits(long value, size_t width) {
  std::string text = std::to_string(value);
  return text.size() < width ? std::string(width - text.size(), '0') + text : text;
}

std::string DateAndTime(const UtcTime& utc, const char* dash, const char* colon) {
  const tm& t = utc.parts;
  return Digits(t.tm_year + 1900, 4) + dash + Digits(t.tm_mon + 1, 2) + dash +
         Digits(t.tm_mday, 2) + "T" + Digits(t.tm_hour, 2) + colon + Digits(t.tm_min, 2) + colon +
         Digits(t.tm_sec, 2);
}

void Member(std::string& line, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  line += ",\"" + std::string(name) + "\":" + JsonString(value);
}

std::string CutPath(const std::string& path) {
  return path.size() <= kMaxPathText ? path : path.substr(0, kMaxPathText) + "...";
}

void AppendRule(std::string& line, const RulePlace& place) {
  line += ",\"rule\":{\"file\":" + JsonString(place.file);
  if (place.line != 0) line += ",\"line\":" + std::to_string(place.line);
  line += ",\"pointer\":" + JsonString(place.pointer) + "}";
}

// The open log, locked.
struct OpenLog {
  UniqueFd fd;
  off_t size = 0;
  bool has_other_name = false;
};

Status MakeFolders(const Path& folder) {
  if (folder.is_root()) return Unit{};
  if (::mkdir(folder.text().c_str(), 0700) == 0 || errno == EEXIST) return Unit{};
  if (errno != ENOENT) return SystemError("mkdir(" + folder.text() + ")");
  if (Status s = MakeFolders(folder.Parent()); !s) return s;
  if (::mkdir(folder.text().c_str(), 0700) != 0 && errno != EEXIST) {
    return SystemError("mkdir(" + folder.text() + ")");
  }
  return Unit{};
}

Result<UniqueFd> OpenFile(const Path& file) {
  constexpr int kFlags =
      O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  UniqueFd fd(::openat(AT_FDCWD, file.text().c_str(), kFlags, 0600));
  if (!fd.valid() && errno == ENOENT) {
    if (Status s = MakeFolders(file.Parent()); !s) return s.error();
    fd = UniqueFd(::openat(AT_FDCWD, file.text().c_str(), kFlags, 0600));
  }
  if (!fd.valid()) return SystemError("open(" + file.text() + ")");
  return fd;
}

Status Lock(int fd) {
  for (int i = 0; i < kLockTries; ++i) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return Unit{};
    if (errno != EWOULDBLOCK && errno != EINTR) return SystemError("flock");
    const timespec wait{.tv_sec = 0, .tv_nsec = 1000000};
    ::nanosleep(&wait, nullptr);
  }
  return SystemError("flock", EWOULDBLOCK);
}

// The file that has the name now; nothing when it was renamed before we had the lock.
Result<std::optional<OpenLog>> OpenLocked(const Path& file) {
  Result<UniqueFd> fd = OpenFile(file);
  if (!fd) return fd.error();
  if (Status s = Lock(fd->get()); !s) return s.error();
  struct stat own {};
  struct stat named {};
  if (::fstat(fd->get(), &own) != 0) return SystemError("fstat(" + file.text() + ")");
  if (!S_ISREG(own.st_mode)) return SystemError("open(" + file.text() + ")", EINVAL);
  const bool is_named = ::lstat(file.text().c_str(), &named) == 0 && named.st_ino == own.st_ino &&
                        named.st_dev == own.st_dev;
  if (!is_named) return std::optional<OpenLog>();
  return std::optional<OpenLog>(OpenLog{std::move(*fd), own.st_size, own.st_nlink > 1});
}

// What follows the last newline but one: the last line, whole or torn.
Result<std::string> LastLine(const OpenLog& log, bool* torn) {
  *torn = false;
  if (log.size == 0) return std::string();
  // Most lines are short: the longest is looked for only when it has to be.
  for (const size_t length : {kShortLine, kMaxLine}) {
    const off_t start = std::max<off_t>(0, log.size - static_cast<off_t>(length));
    std::string tail(static_cast<size_t>(log.size - start), '\0');
    const ssize_t got = ::pread(log.fd.get(), tail.data(), tail.size(), start);
    if (got < 0) return SystemError("pread(audit log)");
    // We hold the lock, so what fstat counted is there.
    if (static_cast<size_t>(got) != tail.size()) return SystemError("pread(audit log)", EIO);
    *torn = !tail.ends_with('\n');
    if (!*torn && !tail.empty()) tail.pop_back();
    const size_t newline = tail.rfind('\n');
    if (newline != std::string::npos || start == 0 || length == kMaxLine) {
      return tail.substr(newline + 1);
    }
  }
  return std::string();
}

Status Write(const OpenLog& log, const std::string& line) {
  ssize_t put = ::write(log.fd.get(), line.data(), line.size());
  while (put < 0 && errno == EINTR) put = ::write(log.fd.get(), line.data(), line.size());
  if (put == static_cast<ssize_t>(line.size())) return Unit{};
  const Error error = SystemError("write(audit log)", put < 0 ? errno : ENOSPC);
  if (put > 0 && ::ftruncate(log.fd.get(), log.size) != 0)
    return SystemError("ftruncate(audit log)");
  return error;
}

// The new file gets its first line before it gets the name, so nobody can come between. We hold the
// lock of the old one. False: it could not be done, and the old file goes on.
bool Rotate(const Path& file, const OpenLog& log, const std::string& first_line,
            int64_t unix_nanoseconds) {
  const std::string fresh = file.text() + ".new";
  ::unlink(fresh.c_str());  // of a writer that was killed here
  const UniqueFd fd(::openat(AT_FDCWD, fresh.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid() || !WriteAll(fd.get(), first_line)) return false;
  const UtcTime utc = UtcOf(unix_nanoseconds);
  const std::string old =
      file.text() + "." + DateAndTime(utc, "", "") + "." + Digits(utc.nanoseconds, 9) + "Z";
  // A second name is left by a writer that was killed before the next line.
  if (!log.has_other_name && ::link(file.text().c_str(), old.c_str()) != 0) return false;
  return ::rename(fresh.c_str(), file.text().c_str()) == 0;
}

std::string Chained(const std::string& text, const std::string& last) {
  const std::string digest = last.empty() ? std::string(64, '0') : Sha256Hex(last);
  return text + ",\"chain\":\"" + digest + "\"}\n";
}

}  // namespace

std::string AuditText(const AuditEntry& entry) {
  const UtcTime utc = UtcOf(entry.unix_nanoseconds);
  std::string line = "{\"time\":\"" + DateAndTime(utc, "-", ":") + "." +
                     Digits(utc.nanoseconds / 1000000, 3) + "Z\"";
  const Event& event = *entry.event;
  Member(line, "event", event.name);
  Member(line, "session", event.session_id);
  Member(line, "agent_id", event.agent_id);
  Member(line, "agent_type", event.agent_type);
  Member(line, "tool", event.tool_name);
  Member(line, "profile", entry.profile);
  if (entry.decision != nullptr && !entry.decision->paths.empty()) {
    line += ",\"paths\":[";
    for (const std::string& path : entry.decision->paths) {
      if (&path != &entry.decision->paths.front()) line += ",";
      line += JsonString(CutPath(path));
    }
    line += "]";
  }
  Member(line, "verdict", entry.verdict);
  if (entry.decision != nullptr && entry.decision->cause) {
    const Cause& cause = *entry.decision->cause;
    if (cause.place) AppendRule(line, *cause.place);
    Member(line, "why", cause.why);
  }
  Member(line, "why", entry.why);
  return line + ",\"us\":" + std::to_string(entry.microseconds);
}

Status AppendToAudit(const Path& file, const std::string& text, uint64_t rotate,
                     int64_t unix_nanoseconds) {
  for (int i = 0; i < kRotations; ++i) {
    Result<std::optional<OpenLog>> log = OpenLocked(file);
    if (!log) return log.error();
    if (!*log) continue;
    bool torn = false;
    const Result<std::string> last = LastLine(**log, &torn);
    if (!last) return last.error();
    // A torn line is closed, so that only it is lost.
    const std::string line = (torn ? "\n" : "") + Chained(text, *last);
    const bool is_full =
        (*log)->size > 0 && static_cast<uint64_t>((*log)->size) + line.size() > rotate;
    if (!is_full || !Rotate(file, **log, Chained(text, *last), unix_nanoseconds)) {
      return Write(**log, line);
    }
    return Unit{};
  }
  return SystemError("flock(audit log)", EWOULDBLOCK);
}

}  // namespace ringfence
