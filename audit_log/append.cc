#include "audit_log/append.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "audit_log/system_log.h"
#include "base/directory.h"
#include "base/inside.h"
#include "base/launcher.h"
#include "base/same_file.h"
#include "base/state_file.h"
#include "base/syscall.h"

namespace ringfence {
namespace {

constexpr size_t kShortLine = 1024;
constexpr size_t kTornLines = size_t{4} * kMaxAuditLine;  // a whole line, and torn ones behind it
constexpr int kLockTries = 500;                           // one millisecond apart
constexpr int kWriteTries = 20;    // the same, for a line that is being written
constexpr int kRotations = 10000;  // by others, while we wait for the lock
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

// Not when it was renamed before we had the lock.
bool StillHasName(const Path& file, const OpenLog& log) {
  struct stat named {};
  return ::lstat(file.text().c_str(), &named) == 0 && IsSameFile(named, log.facts);
}

// The end of the log.
struct Tail {
  std::string text;      // from the last whole line on, without the last newline
  bool is_torn = false;  // there is no last newline
};

Result<Tail> ReadTail(const OpenLog& log) {
  Tail tail;
  const auto size = static_cast<size_t>(log.size());
  if (size == 0) return tail;
  // Most lines are short: longer ones are looked for only when it has to be.
  for (const size_t length : {kShortLine, size_t{kMaxAuditLine}, kTornLines}) {
    const size_t start = size - std::min(size, length);
    tail.text.resize(size - start);
    const ssize_t got =
        ::pread(log.fd.get(), tail.text.data(), tail.text.size(), static_cast<off_t>(start));
    if (got < 0) return SystemError("pread(audit log)");
    // Nobody makes the file shorter, so what fstat counted is there.
    if (static_cast<size_t>(got) != tail.text.size()) return SystemError("pread(audit log)", EIO);
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

// Part of a line is taken back, but only with the lock and where nothing stands behind it.
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

// Whether the log has one of the names that a rotation gives: of a writer that was killed before it
// gave the log's own name to the next file.
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

// The new file gets its first line before it gets the name, so nobody can come between. We hold the
// lock of the old one. False: it could not be done, and the old file goes on.
bool Rotate(const Path& file, const OpenLog& log, const std::string& first_line,
            int64_t unix_nanoseconds) {
  const std::string fresh = file.text() + ".new";
  ::unlink(fresh.c_str());  // of a writer that was killed here
  const UniqueFd fd(::openat(AT_FDCWD, fresh.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid() || !WriteAll(fd.get(), first_line)) return false;
  const std::string old = file.text() + "." + AuditFileTime(unix_nanoseconds);
  if (!IsPutAside(file, log) && ::link(file.text().c_str(), old.c_str()) != 0) return false;
  return ::rename(fresh.c_str(), file.text().c_str()) == 0;
}

// A line that goes to the log.
struct NewLine {
  const Path& file;
  const AuditRules& rules;
  const std::string& text;
  int64_t unix_nanoseconds;
};

// At the beginning of a file, each 64 KiB, and with the first line of each quarter of an hour. All
// that is known from what was asked for anyway.
bool IsAnchorDue(const OpenLog& log, uint64_t end, int64_t unix_nanoseconds) {
  const int64_t seconds = unix_nanoseconds / 1'000'000'000;
  return log.size() == 0 || log.size() / kAnchorBytes != end / kAnchorBytes ||
         log.facts.st_mtime / kAnchorSeconds != seconds / kAnchorSeconds;
}

void TellSystem(const NewLine& added, const std::string& line, uint64_t end, bool is_due) {
  const WrittenLine written{added.file.text(), line, end, added.unix_nanoseconds};
  switch (added.rules.system_log) {
    case SystemLog::kOff:
      return;
    case SystemLog::kAnchors:
      if (is_due) SendToSystemLog(AnchorMessage(written), added.unix_nanoseconds);
      return;
    case SystemLog::kLines:
      return SendToSystemLog(LineMessage(written), added.unix_nanoseconds);
  }
}

Status AppendToLog(const NewLine& added, const OpenLog& log, const Tail& tail, AuditLock lock) {
  const std::string line = ChainedLine(added.text, tail.text, lock);
  // A torn line is closed, so that only it is lost.
  const std::string bytes = (tail.is_torn ? "\n" : "") + line + "\n";
  uint64_t end = log.size() + bytes.size();
  const bool is_full = lock == AuditLock::kHeld && log.size() > 0 && end > added.rules.rotate;
  if (is_full && Rotate(added.file, log, line + "\n", added.unix_nanoseconds)) {
    TellSystem(added, line, line.size() + 1, true);
    return Unit{};
  }
  if (Status s = Write(log, bytes, lock); !s) return s;
  TellSystem(added, line, end, IsAnchorDue(log, end, added.unix_nanoseconds));
  return Unit{};
}

// Nobody may keep lines out of the log by its lock.
Status AppendUnlocked(const NewLine& added) {
  Result<OpenLog> log = OpenLogFile(added.file);
  if (!log) return log.error();
  for (int i = 1;; ++i) {
    if (Status s = Look(added.file, *log); !s) return s;
    const Result<Tail> tail = ReadTail(*log);
    if (!tail) return tail.error();
    // Without a newline another line is just being written, or has been torn for good.
    if (!tail->is_torn || i == kWriteTries) {
      return AppendToLog(added, *log, *tail, AuditLock::kNotGot);
    }
    WaitForOthers();
  }
}

}  // namespace

Status AppendToAudit(const Path& file, const AuditRules& rules, const std::string& text,
                     int64_t unix_nanoseconds) {
  const Result<bool> sent = SendToLauncher(text);
  if (!sent) return sent.error();
  if (*sent) return Unit{};
  const NewLine added{file, rules, text, unix_nanoseconds};
  for (int i = 0; i < kRotations; ++i) {
    Result<OpenLog> log = OpenLogFile(file);
    if (!log) return log.error();
    const Result<bool> is_locked = LockFile(log->fd.get(), kLockTries);
    if (!is_locked) return is_locked.error();
    if (!*is_locked) return AppendUnlocked(added);
    if (Status s = Look(file, *log); !s) return s;
    if (!StillHasName(file, *log)) continue;
    const Result<Tail> tail = ReadTail(*log);
    if (!tail) return tail.error();
    return AppendToLog(added, *log, *tail, AuditLock::kHeld);
  }
  return SystemError("flock(audit log)", EWOULDBLOCK);
}

}  // namespace ringfence
