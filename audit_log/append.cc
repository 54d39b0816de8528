#include "audit_log/append.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "audit_log/system_log.h"
#include "audit_log/twin.h"
#include "base/directory.h"
#include "base/inside.h"
#include "base/launcher.h"
#include "base/same_file.h"
#include "base/state_file.h"
#include "base/syscall.h"

namespace ringfence {
namespace {

constexpr size_t kShortLines = 4096;              // the last line, and others for HasPluginEntry()
constexpr size_t kTwinBytes = size_t{64} * 1024;  // of the log, in which a twin is looked for
constexpr size_t kTornLines = size_t{4} * kMaxAuditLine;  // a whole line and the torn ones after it
constexpr int kLockTries = 500;                           // one millisecond apart
// Lines that one write appends. Meanwhile, a writer without the lock can chain its line to the one
// before them; ChainFollower accepts that as long as they are few.
constexpr size_t kMostTogether = 64;
constexpr int kWriteTries = 20;    // same, for a line being written
constexpr int kRotations = 10000;  // by other writers while this one waits for the lock
constexpr uint64_t kAnchorBytes = 65536;
constexpr int64_t kAnchorSeconds = 15 * 60L;

struct OpenLog {
  UniqueFd fd;
  struct stat facts {};

  uint64_t size() const { return static_cast<uint64_t>(facts.st_size); }
};

Result<OpenLog> OpenLogFile(const Path& file) {
  Result<UniqueFd> fd = OpenStateFile(file, StateWrites::kAppended);
  if (!fd) return fd.error();
  return OpenLog{.fd = std::move(*fd)};
}

Status Look(const Path& file, OpenLog& log) {
  if (::fstat(log.fd.get(), &log.facts) != 0) return SystemError("fstat(" + file.text() + ")");
  if (!S_ISREG(log.facts.st_mode)) return SystemError("open(" + file.text() + ")", EINVAL);
  return Unit{};
}

// False if the file was renamed before this writer got the lock.
bool StillHasName(const Path& file, const OpenLog& log) {
  struct stat named {};
  return ::lstat(file.text().c_str(), &named) == 0 && IsSameFile(named, log.facts);
}

// The end of the log.
struct Tail {
  std::string text;               // from the last whole line on, without the final newline
  bool is_torn = false;           // the final newline is missing
  bool has_plugin_entry = false;  // shortly before the end
};

Result<Tail> ReadTail(const OpenLog& log) {
  Tail tail;
  const auto size = static_cast<size_t>(log.size());
  if (size == 0) return tail;
  // Most lines are short, so more is read only if needed.
  for (const size_t length : {kShortLines, size_t{kMaxAuditLine}, kTornLines}) {
    const size_t start = size - std::min(size, length);
    tail.text.resize(size - start);
    const ssize_t got =
        ::pread(log.fd.get(), tail.text.data(), tail.text.size(), static_cast<off_t>(start));
    if (got < 0) return SystemError("pread(audit log)");
    // Writers do not shorten the file, so a short read is an error.
    if (static_cast<size_t>(got) != tail.text.size()) return SystemError("pread(audit log)", EIO);
    tail.has_plugin_entry = HasPluginEntry(tail.text);
    tail.is_torn = !tail.text.ends_with('\n');
    if (!tail.is_torn) tail.text.pop_back();
    const size_t whole = AuditChainStart(tail.text, start == 0);
    if (whole != std::string::npos) {
      tail.text.erase(0, whole);
      return tail;
    }
  }
  return tail;
}

// True if the other registration of the hook has logged the same call. Logs it twice rather than
// not at all if the log cannot be read.
bool IsLoggedByOther(const OpenLog& log, const Tail& tail, const NewAuditLine& line) {
  if (!tail.has_plugin_entry && !HasPluginEntry(line.text)) return false;
  const auto size = static_cast<size_t>(log.size());
  std::string end(std::min(size, kTwinBytes), '\0');
  const ssize_t got =
      ::pread(log.fd.get(), end.data(), end.size(), static_cast<off_t>(size - end.size()));
  if (got != static_cast<ssize_t>(end.size())) return false;
  return HasTwin(end, line.text, line.unix_nanoseconds);
}

// Writes a line. Removes a partly written one again, but only with the lock held and if nothing
// follows it.
Status Write(const OpenLog& log, const std::string& line, AuditLock lock) {
  ssize_t put = ::write(log.fd.get(), line.data(), line.size());
  while (put < 0 && errno == EINTR) put = ::write(log.fd.get(), line.data(), line.size());
  if (put == static_cast<ssize_t>(line.size())) return Unit{};
  const Error error = SystemError("write(audit log)", put < 0 ? errno : ENOSPC);
  struct stat now {};
  const bool is_last = put > 0 && lock == AuditLock::kHeld && ::fstat(log.fd.get(), &now) == 0 &&
                       now.st_size == log.facts.st_size + put;
  if (is_last && ::ftruncate(log.fd.get(), log.facts.st_size) != 0) {
    return SystemError("ftruncate(audit log)");
  }
  return error;
}

// True if the log already has a rotated name: its writer was killed before it renamed the next file
// to the log's own name.
bool IsPutAside(const Path& file, const OpenLog& log) {
  if (log.facts.st_nlink < 2) return false;
  const Path folder = file.Parent();
  const DirectoryStream listing(::opendir(folder.text().c_str()));
  if (listing == nullptr) return false;
  const std::string prefix = std::string(file.name()) + ".";
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    struct stat facts {};
    if (name.starts_with(prefix) && name.ends_with('Z') &&
        ::lstat(folder.Child(name).text().c_str(), &facts) == 0 && IsSameFile(facts, log.facts)) {
      return true;
    }
  }
  return false;
}

// Writes the first line of the new file before renaming it, so no other writer can come in between.
// The caller holds the lock of the old file. Returns false if this failed; the old file then stays
// in use.
bool Rotate(const Path& file, const OpenLog& log, const std::string& first_line,
            int64_t unix_nanoseconds) {
  const std::string fresh = file.text() + ".new";
  ::unlink(fresh.c_str());  // left by a writer that was killed at this point
  const UniqueFd fd(::openat(AT_FDCWD, fresh.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid() || !WriteAll(fd.get(), first_line)) return false;
  const std::string old = file.text() + "." + AuditFileTime(unix_nanoseconds);
  if (!IsPutAside(file, log) && ::link(file.text().c_str(), old.c_str()) != 0) return false;
  return ::rename(fresh.c_str(), file.text().c_str()) == 0;
}

// The log that lines go to.
struct LogPlace {
  const Path& file;
  const AuditRules& rules;
};

// A line to append to the log.
struct NewLine {
  const Path& file;
  const AuditRules& rules;
  const std::string& text;
  int64_t unix_nanoseconds;

  NewLine(const LogPlace& place, const NewAuditLine& line)
      : file(place.file),
        rules(place.rules),
        text(line.text),
        unix_nanoseconds(line.unix_nanoseconds) {}
};

// True at the beginning of a file, every 64 KiB, and for the first line of each quarter of an hour.
// Uses only the facts that fstat(2) gave anyway.
bool IsAnchorDue(const OpenLog& log, uint64_t end, int64_t unix_nanoseconds) {
  const int64_t seconds = unix_nanoseconds / 1'000'000'000;
  return log.size() == 0 || log.size() / kAnchorBytes != end / kAnchorBytes ||
         log.facts.st_mtime / kAnchorSeconds != seconds / kAnchorSeconds;
}

void TellSystem(const NewLine& added, const std::string& line, uint64_t end, bool is_due) {
  const WrittenLine written{added.file.text(), line, end, added.unix_nanoseconds};
  const bool has_lines = added.rules.system_log == SystemLog::kLines;
  if (!has_lines && (added.rules.system_log == SystemLog::kOff || !is_due)) return;
  SendToSystemLog(has_lines ? LineMessage(written) : AnchorMessage(written),
                  added.unix_nanoseconds);
}

// Appends one line and updates `log` and `tail`. Returns false if the log was rotated: the caller
// must then open the new file.
Result<bool> AppendToLog(const NewLine& added, OpenLog& log, Tail& tail, AuditLock lock) {
  std::string line = ChainedLine(added.text, tail.text, lock);
  // Ends a torn line, so that only that line is lost.
  const std::string bytes = (tail.is_torn ? "\n" : "") + line + "\n";
  const uint64_t end = log.size() + bytes.size();
  const bool is_full = lock == AuditLock::kHeld && log.size() > 0 && end > added.rules.rotate;
  if (is_full && Rotate(added.file, log, line + "\n", added.unix_nanoseconds)) {
    TellSystem(added, line, line.size() + 1, true);
    return false;
  }
  if (Status s = Write(log, bytes, lock); !s) return s.error();
  TellSystem(added, line, end, IsAnchorDue(log, end, added.unix_nanoseconds));
  log.facts.st_size = static_cast<off_t>(end);
  tail = {std::move(line), false, false};
  return true;
}

// Lines with their chain, to be written at once.
struct LineBatch {
  std::string bytes;
  std::vector<std::string> lines;
};

// The next lines, as many as fit into the file.
LineBatch NextBatch(const OpenLog& log, const Tail& tail, uint64_t rotate,
                    std::span<const NewAuditLine> lines) {
  LineBatch batch{.bytes = tail.is_torn ? "\n" : "", .lines = {}};
  std::string_view before = tail.text;
  batch.lines.reserve(kMostTogether);  // `before` points into it
  for (const NewAuditLine& line : lines.first(std::min(lines.size(), kMostTogether))) {
    std::string chained = ChainedLine(line.text, before, AuditLock::kHeld);
    if (log.size() + batch.bytes.size() + chained.size() + 1 > rotate) break;
    batch.bytes += chained + "\n";
    batch.lines.push_back(std::move(chained));
    before = batch.lines.back();
  }
  return batch;
}

// Appends several lines by one write, and updates `log` and `tail`. Returns how many; 0 if they
// must be appended one by one.
Result<size_t> AppendTogether(const LogPlace& place, OpenLog& log, Tail& tail,
                              std::span<const NewAuditLine> lines) {
  LineBatch batch = NextBatch(log, tail, place.rules.rotate, lines);
  if (batch.lines.size() < 2) return 0;
  if (!Write(log, batch.bytes, AuditLock::kHeld)) {
    // A part of them may be there.
    if (Status s = Look(place.file, log); !s) return s.error();
    if (Status s = ReadTail(log).MoveTo(tail); !s) return s.error();
    return 0;
  }
  uint64_t end = log.size() + (tail.is_torn ? 1 : 0);
  for (size_t i = 0; i < batch.lines.size(); ++i) {
    const int64_t time = lines[i].unix_nanoseconds;
    end += batch.lines[i].size() + 1;
    TellSystem({place, lines[i]}, batch.lines[i], end, IsAnchorDue(log, end, time));
    log.facts.st_size = static_cast<off_t>(end);
    log.facts.st_mtime = time / 1'000'000'000;
  }
  tail = {std::move(batch.lines.back()), false, false};
  return batch.lines.size();
}

// False if a writer that did not get the lock has appended a line after the last one.
bool IsAsLeft(const Path& file, OpenLog& log) {
  const uint64_t end = log.size();
  return Look(file, log) && log.size() == end;
}

// The log that lines are appended to, and its end.
struct LogEnd {
  const LogPlace& place;
  OpenLog& log;
  Tail tail;
  AuditLock lock;
};

// Appends the first of the lines, or several by one write, and adds their number to `count`.
// Returns false if the log was rotated.
Result<bool> AppendSome(LogEnd& end, std::span<const NewAuditLine> lines, size_t& count) {
  if (end.lock == AuditLock::kHeld) {
    const Result<size_t> together = AppendTogether(end.place, end.log, end.tail, lines);
    if (!together) return together.error();
    count += *together;
    if (*together > 0) return true;
  }
  Result<bool> is_same = AppendToLog({end.place, lines.front()}, end.log, end.tail, end.lock);
  if (is_same) ++count;
  return is_same;
}

// Appends lines until the log is rotated or another writer comes in between. Returns how many; an
// error means that no line was appended.
Result<size_t> AppendOnce(const LogPlace& place, OpenLog& log, std::span<const NewAuditLine> lines,
                          AuditLock lock) {
  Result<Tail> tail = ReadTail(log);
  if (!tail) return tail.error();
  const bool is_alone = lines.size() == 1 && lock == AuditLock::kHeld;
  if (is_alone && IsLoggedByOther(log, *tail, lines.front())) return 1;
  LogEnd end{place, log, std::move(*tail), lock};
  size_t count = 0;
  while (count < lines.size()) {
    const Result<bool> is_same = AppendSome(end, lines.subspan(count), count);
    if (!is_same && count == 0) return is_same.error();
    if (!is_same || !*is_same || !IsAsLeft(place.file, log)) break;
  }
  return count;
}

// Appends without the lock, so that no process can block the log by holding it.
Result<size_t> AppendUnlocked(const LogPlace& place, std::span<const NewAuditLine> lines) {
  Result<OpenLog> log = OpenLogFile(place.file);
  if (!log) return log.error();
  for (int i = 1;; ++i) {
    if (Status s = Look(place.file, *log); !s) return s.error();
    const Result<Tail> tail = ReadTail(*log);
    if (!tail) return tail.error();
    // If the newline is missing, another line is being written or is torn for good.
    if (!tail->is_torn || i == kWriteTries) {
      return AppendOnce(place, *log, lines, AuditLock::kNotGot);
    }
    WaitForOthers();
  }
}

}  // namespace

Status AppendToAudit(const Path& file, const AuditRules& rules, const std::string& text,
                     int64_t unix_nanoseconds) {
  const NewAuditLine line{text, unix_nanoseconds};
  const Result<size_t> count = AppendToAudit(file, rules, {&line, 1});
  return count ? Status(Unit{}) : Status(count.error());
}

Result<size_t> AppendToAudit(const Path& file, const AuditRules& rules,
                             std::span<const NewAuditLine> lines) {
  const auto sent = SendToLauncher(lines.front().text);
  if (!sent) return sent.error();
  if (*sent) return 1;
  const LogPlace place{file, rules};
  for (int i = 0; i < kRotations; ++i) {
    Result<OpenLog> log = OpenLogFile(file);
    if (!log) return log.error();
    const Result<bool> is_locked = LockFile(log->fd.get(), kLockTries);
    if (!is_locked) return is_locked.error();
    if (!*is_locked) return AppendUnlocked(place, lines);
    if (Status s = Look(file, *log); !s) return s.error();
    if (StillHasName(file, *log)) return AppendOnce(place, *log, lines, AuditLock::kHeld);
  }
  return SystemError("flock(audit log)", EWOULDBLOCK);
}

Status AppendAllToAudit(const Path& file, const AuditRules& rules,
                        std::span<const NewAuditLine> lines) {
  while (!lines.empty()) {
    const Result<size_t> count = AppendToAudit(file, rules, lines);
    if (!count) return count.error();
    lines = lines.subspan(*count);
  }
  return Unit{};
}

}  // namespace ringfence
