#include "cli/log/log_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <memory>

#include "audit_log/line.h"
#include "base/ascii.h"
#include "base/sha256.h"
#include "base/syscall.h"
#include "base/text.h"
#include "run/messages.h"

namespace ringfence {
namespace {

constexpr size_t kChunk = 65536;

constexpr std::string_view kFileTime = "00000000T000000.000000000Z";

// Reads at most `length` bytes from `start`; "" on an error.
std::string BytesAt(const UniqueFd& fd, off_t start, size_t length) {
  std::string bytes(length, '\0');
  const ssize_t got = ::pread(fd.get(), bytes.data(), bytes.size(), start);
  bytes.resize(got < 0 ? 0 : static_cast<size_t>(got));
  return bytes;
}

std::string FirstChain(const UniqueFd& fd) {
  const std::string head = BytesAt(fd, 0, kLongestLine);
  return std::string(ChainOf(std::string_view(head).substr(0, head.find('\n'))));
}

std::string NextChain(const UniqueFd& fd, off_t size) {
  const off_t start = std::max<off_t>(0, size - static_cast<off_t>(kLongestLine));
  std::string tail = BytesAt(fd, start, static_cast<size_t>(size - start));
  if (tail.ends_with('\n')) tail.pop_back();
  const size_t whole = AuditChainStart(tail, start == 0);
  return whole == std::string::npos ? "" : Sha256Hex(std::string_view(tail).substr(whole));
}

// Returns nothing if the file no longer exists.
Result<std::optional<LogFile>> LookAt(const std::string& name) {
  struct stat facts {};
  const Result<UniqueFd> fd = OpenLogPart(name, &facts);
  if (!fd) return fd.error();
  if (!fd->valid()) return std::optional<LogFile>();
  return std::optional<LogFile>(LogFile{name, LogPartId(facts), FirstChain(*fd),
                                        NextChain(*fd, facts.st_size), false, false});
}

volatile std::sig_atomic_t ended = 0;

void OnSignal(int) { ended = 1; }

}  // namespace

std::pair<dev_t, ino_t> LogPartId(const struct stat& facts) { return {facts.st_dev, facts.st_ino}; }

Result<UniqueFd> OpenLogPart(const std::string& name, struct stat* facts) {
  UniqueFd fd(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid() && errno == ENOENT) return fd;
  const bool is_link = !fd.valid() && errno == ELOOP;
  if (!fd.valid() && !is_link) return SystemError("open(" + name + ")");
  if (!is_link && ::fstat(fd.get(), facts) != 0) return SystemError("fstat(" + name + ")");
  if (is_link || !S_ISREG(facts->st_mode)) {
    return UsageError(name, "is not a regular file", "move it away; the hook makes a new log");
  }
  return fd;
}

void SayWhereApart(const LogLine& line) {
  if (!line.is_apart || line.number != 1) return;
  Say(Printable(line.file) +
      " does not belong to the chain of the log's other files: see ringfence log verify");
}

Result<std::vector<LogFile>> PartsOfLog(const Path& file) {
  const Path folder = file.Parent();
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(folder.text().c_str()), ::closedir);
  if (listing == nullptr && errno == ENOENT) return std::vector<LogFile>();
  if (listing == nullptr) return SystemError("open(" + folder.text() + ")");
  const std::string prefix = std::string(file.name()) + ".";
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (name.starts_with(prefix) && HasForm(name.substr(prefix.size()), kFileTime)) {
      names.push_back(folder.Child(name).text());
    }
  }
  std::ranges::sort(names);
  names.push_back(file.text());
  std::vector<LogFile> files;
  for (const std::string& name : names) {
    Result<std::optional<LogFile>> part = LookAt(name);
    if (!part) return part.error();
    if (!*part) continue;
    files.push_back(std::move(**part));
    files.back().is_live = name == file.text();
  }
  // A rotation that was killed midway leaves the log with a second name.
  const LogFile last = files.empty() ? LogFile{} : files.back();
  if (last.is_live) {
    std::erase_if(files, [&last](const LogFile& part) {
      return part.id == last.id && part.name != last.name;
    });
  }
  return InOrder(std::move(files));
}

Status LogReader::Open(bool may_come) {
  const Result<bool> opened = Advance();
  if (!opened) return opened.error();
  if (*opened) return Unit{};
  if (may_come) {
    Say("waiting for " + Printable(file_.text()));
    return Unit{};
  }
  return UsageError(file_.text(), "does not exist: no call has been logged there",
                    "to read another log: --file FILE");
}

// Lists the files again if one was renamed before it could be opened.
Result<bool> LogReader::Advance() {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    const bool is_last = listed_.empty() || (current_ && listed_.back().id == current_->id);
    if (i > 0 || is_last) {
      if (Status s = PartsOfLog(file_).MoveTo(listed_); !s) return s.error();
    }
    const Result<Opened> opened = OpenNext();
    if (!opened) return opened.error();
    if (*opened != Opened::kRenamed) return *opened == Opened::kNext;
  }
  return false;
}

Result<LogReader::Opened> LogReader::OpenNext() {
  const auto current = std::ranges::find_if(
      listed_, [this](const LogFile& file) { return current_ && file.id == current_->id; });
  // Uses the file's current name, which a rotation may have changed.
  if (current != listed_.end() && !current->is_live) done_.insert(current->name);
  // Starts after the current file; without one, at the first file that was not read yet.
  const auto begin = current == listed_.end() ? listed_.begin() : current + 1;
  const auto next = std::find_if(
      begin, listed_.end(), [this](const LogFile& file) { return !done_.contains(file.name); });
  if (next == listed_.end()) return Opened::kNone;
  struct stat facts {};
  Result<UniqueFd> fd = OpenLogPart(next->name, &facts);
  if (!fd) return fd.error();
  if (!fd->valid() || LogPartId(facts) != next->id) return Opened::kRenamed;
  if (current_ && current_->name != file_.text()) done_.insert(current_->name);
  current_ = *next;
  fd_ = std::move(*fd);
  number_ = 0;
  ++files_read_;
  return Opened::kNext;
}

// True if another file has the log's name by now: no process that holds the lock writes to this one
// any more.
Result<bool> LogReader::IsFinished() const {
  struct stat named {};
  if (::lstat(file_.text().c_str(), &named) != 0) {
    if (errno == ENOENT) return current_->name != file_.text();
    return SystemError("lstat(" + file_.text() + ")");
  }
  return LogPartId(named) != current_->id;
}

LogLine LogReader::Give(size_t end, size_t next) {
  LogLine line;
  line.text = std::string_view(buffer_).substr(begin_, end - begin_);
  line.is_cut = is_cut_;
  line.file = current_->name;
  line.number = ++number_;
  line.size = line.text.size() + dropped_ + 1;
  line.is_apart = current_->is_apart;
  begin_ = searched_ = next;
  is_cut_ = false;
  dropped_ = 0;
  return line;
}

// Returns false at the end of the file, unless the file was truncated meanwhile.
Result<bool> LogReader::ReadMore() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  searched_ = buffer_.size();
  if (buffer_.size() > kLongestLine) {
    dropped_ += buffer_.size() - kLongestLine;
    buffer_.resize(kLongestLine);
    is_cut_ = true;
    searched_ = buffer_.size();
  }
  const size_t size = buffer_.size();
  buffer_.resize(size + kChunk);
  ssize_t got = 0;
  do {
    got = ::read(fd_.get(), buffer_.data() + size, kChunk);
  } while (got < 0 && errno == EINTR);
  const int code = errno;
  buffer_.resize(size + (got > 0 ? static_cast<size_t>(got) : 0));
  if (got < 0) return SystemError("read(" + current_->name + ")", code);
  return got > 0 ? Result<bool>(true) : BeginAgain();
}

// Begins the file again if it is now shorter than what was read. Returns false if it is not.
Result<bool> LogReader::BeginAgain() {
  struct stat facts {};
  if (::fstat(fd_.get(), &facts) != 0) return SystemError("fstat(" + current_->name + ")");
  const off_t place = ::lseek(fd_.get(), 0, SEEK_CUR);
  if (place < 0) return SystemError("lseek(" + current_->name + ")");
  if (facts.st_size >= place) return false;
  if (::lseek(fd_.get(), 0, SEEK_SET) < 0) return SystemError("lseek(" + current_->name + ")");
  Say(Printable(current_->name) +
      " was cut while it was read: it is read again from its beginning");
  buffer_.clear();
  begin_ = searched_ = number_ = dropped_ = 0;
  is_cut_ = false;
  return true;
}

std::optional<LogLine> LogReader::TakeLine() {
  const size_t newline = buffer_.find('\n', searched_);
  if (newline != std::string::npos) return Give(newline, newline + 1);
  searched_ = buffer_.size();
  return {};
}

Result<std::optional<LogLine>> LogReader::Next() {
  if (!current_) {
    const Result<bool> opened = Advance();
    if (!opened) return opened.error();
    if (!*opened) return std::optional<LogLine>();
  }
  return NextFromHere();
}

Result<std::optional<LogLine>> LogReader::NextFromHere() {
  for (bool was_finished = false;;) {
    if (std::optional<LogLine> line = TakeLine()) return line;
    const Result<bool> more = ReadMore();
    if (!more) return more.error();
    if (*more) continue;
    const Result<bool> finished = IsFinished();
    if (!finished) return finished.error();
    if (!*finished) return std::optional<LogLine>();
    // Reads once more: the last lines may have arrived between the read and the check.
    if (!std::exchange(was_finished, true)) continue;
    if (std::optional<LogLine> rest = Rest()) return rest;
    const Result<bool> opened = Advance();
    if (!opened) return opened.error();
    if (!*opened) return std::optional<LogLine>();
    was_finished = false;
  }
}

std::optional<LogLine> LogReader::Rest() {
  if (begin_ >= buffer_.size()) return {};
  return Give(buffer_.size(), buffer_.size());
}

Waiting::Waiting() {
  struct sigaction action {};
  action.sa_handler = OnSignal;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool Waiting::is_over() const { return ended != 0; }

bool Waiting::For(int milliseconds, bool is_watched) const {
  if (ended != 0) return false;
  pollfd output{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  ::poll(&output, is_watched ? 1 : 0, milliseconds);
  const bool is_gone = is_watched && (output.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
  return ended == 0 && !is_gone;
}

}  // namespace ringfence
