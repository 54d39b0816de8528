#include "hook/audit_log.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>

#include "base/inside.h"
#include "base/sha256.h"
#include "base/syscall.h"
#include "base/text.h"
#include "hook/launcher.h"
#include "hook/state_file.h"

namespace ringfence {
namespace {

constexpr size_t kMaxText = 512;  // of a path, a file name, a pointer
constexpr size_t kMaxWhy = 1024;
constexpr size_t kMaxLine = kMaxAuditLine;
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

void AppendRule(std::string& line, const RulePlace& place) {
  line += ",\"rule\":{\"file\":" + JsonString(CutText(std::string(place.file), kMaxText));
  if (place.line != 0) line += ",\"line\":" + std::to_string(place.line);
  line += ",\"pointer\":" + JsonString(CutText(std::string(place.pointer), kMaxText)) + "}";
}

// The open log, locked.
struct OpenLog {
  UniqueFd fd;
  struct stat facts {};

  uint64_t size() const { return static_cast<uint64_t>(facts.st_size); }
};

bool IsSame(const struct stat& one, const struct stat& other) {
  return one.st_ino == other.st_ino && one.st_dev == other.st_dev;
}

// The file that has the name now; nothing when it was renamed before we had the lock.
Result<std::optional<OpenLog>> OpenLocked(const Path& file) {
  Result<UniqueFd> fd = OpenStateFile(file, StateWrites::kAppended);
  if (!fd) return fd.error();
  if (Status s = LockFile(fd->get(), kLockTries); !s) return s.error();
  OpenLog log{.fd = std::move(*fd)};
  struct stat named {};
  if (::fstat(log.fd.get(), &log.facts) != 0) return SystemError("fstat(" + file.text() + ")");
  if (!S_ISREG(log.facts.st_mode)) return SystemError("open(" + file.text() + ")", EINVAL);
  const bool is_named = ::lstat(file.text().c_str(), &named) == 0 && IsSame(named, log.facts);
  if (!is_named) return std::optional<OpenLog>();
  return std::optional<OpenLog>(std::move(log));
}

// What follows the last newline but one: the last line, whole or torn.
Result<std::string> LastLine(const OpenLog& log, bool* torn) {
  *torn = false;
  const auto size = static_cast<size_t>(log.size());
  if (size == 0) return std::string();
  // Most lines are short: the longest is looked for only when it has to be.
  for (const size_t length : {kShortLine, kMaxLine}) {
    const size_t start = size - std::min(size, length);
    std::string tail(size - start, '\0');
    const ssize_t got = ::pread(log.fd.get(), tail.data(), tail.size(), static_cast<off_t>(start));
    if (got < 0) return SystemError("pread(audit log)");
    // We hold the lock, so what fstat counted is there.
    if (static_cast<size_t>(got) != tail.size()) return SystemError("pread(audit log)", EIO);
    *torn = !tail.ends_with('\n');
    if (!*torn) tail.pop_back();
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
  if (put > 0 && ::ftruncate(log.fd.get(), log.facts.st_size) != 0) {
    return SystemError("ftruncate(audit log)");
  }
  return error;
}

// Whether the log has one of the names that a rotation gives: of a writer that was killed before it
// gave the log's own name to the next file.
bool IsPutAside(const Path& file, const OpenLog& log) {
  if (log.facts.st_nlink < 2) return false;
  const Path folder = file.Parent();
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(folder.text().c_str()), ::closedir);
  if (listing == nullptr) return false;
  const std::string prefix = std::string(file.name()) + ".";
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    struct stat facts {};
    if (name.starts_with(prefix) && name.ends_with('Z') &&
        ::lstat(folder.Child(name).text().c_str(), &facts) == 0 && IsSame(facts, log.facts)) {
      return true;
    }
  }
  return false;
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
  if (!IsPutAside(file, log) && ::link(file.text().c_str(), old.c_str()) != 0) return false;
  return ::rename(fresh.c_str(), file.text().c_str()) == 0;
}

std::string Chained(const std::string& text, const std::string& last) {
  const std::string digest = last.empty() ? std::string(64, '0') : Sha256Hex(last);
  return text + ",\"chain\":\"" + digest + "\"}\n";
}

}  // namespace

std::string AuditTime(int64_t unix_nanoseconds) {
  const UtcTime utc = UtcOf(unix_nanoseconds);
  return DateAndTime(utc, "-", ":") + "." + Digits(utc.nanoseconds / 1000000, 3) + "Z";
}

std::string AuditText(const AuditEntry& entry) {
  std::string line = "{\"time\":\"" + AuditTime(entry.unix_nanoseconds) + "\"";
  const Event& event = *entry.event;
  Member(line, "event", event.name);
  Member(line, "session", event.session_id);
  Member(line, "agent_id", event.agent_id);
  Member(line, "agent_type", event.agent_type);
  Member(line, "tool", event.tool_name);
  Member(line, "profile", CutText(std::string(entry.profile), kMaxText));
  if (entry.decision != nullptr && !entry.decision->paths.empty()) {
    line += ",\"paths\":[";
    for (const std::string& path : entry.decision->paths) {
      if (&path != &entry.decision->paths.front()) line += ",";
      line += JsonString(CutText(path, kMaxText));
    }
    line += "]";
  }
  Member(line, "verdict", entry.verdict);
  if (entry.decision != nullptr && entry.decision->cause) {
    const Cause& cause = *entry.decision->cause;
    if (cause.place) AppendRule(line, *cause.place);
    Member(line, "why", CutText(cause.why, kMaxWhy));
  }
  Member(line, "why", CutText(std::string(entry.why), kMaxWhy));
  return line + ",\"us\":" + std::to_string(entry.microseconds);
}

Status AppendToAudit(const Path& file, const std::string& text, uint64_t rotate,
                     int64_t unix_nanoseconds) {
  // Inside a sandbox of ringfence's nobody can write the log.
  const Result<bool> sent = SendToLauncher(text);
  if (!sent) return sent.error();
  if (*sent) return Unit{};
  for (int i = 0; i < kRotations; ++i) {
    Result<std::optional<OpenLog>> log = OpenLocked(file);
    if (!log) return log.error();
    if (!*log) continue;
    bool torn = false;
    const Result<std::string> last = LastLine(**log, &torn);
    if (!last) return last.error();
    // A torn line is closed, so that only it is lost.
    const std::string line = (torn ? "\n" : "") + Chained(text, *last);
    const bool is_full = (*log)->size() > 0 && (*log)->size() + line.size() > rotate;
    if (!is_full || !Rotate(file, **log, Chained(text, *last), unix_nanoseconds)) {
      return Write(**log, line);
    }
    return Unit{};
  }
  return SystemError("flock(audit log)", EWOULDBLOCK);
}

}  // namespace ringfence
