#include "cli/log/log_from_end.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/syscall.h"
#include "cli/log/log_files.h"

namespace ringfence {

Status LogFromEnd::Open() {
  constexpr int kMostTries = 100;  // the log may be rotated before it is opened
  for (int i = 0; i < kMostTries; ++i) {
    if (Status s = PartsOfLog(file_).MoveTo(parts_); !s) return s;
    const bool is_empty = parts_.empty();
    const Result<bool> opened = OpenEarlier();
    if (!opened) return opened.error();
    if (*opened || is_empty) return Unit{};
  }
  return SystemError("open(" + file_.text() + ")", EAGAIN);
}

// Opens the last one of `parts_`. Returns false if there is none, or if the log is another file by
// now.
Result<bool> LogFromEnd::OpenEarlier() {
  while (!parts_.empty()) {
    part_ = std::move(parts_.back());
    parts_.pop_back();
    struct stat facts {};
    Result<UniqueFd> fd = OpenLogPart(part_.name, &facts);
    if (!fd) return fd.error();
    const bool is_there = fd->valid();
    if (part_.is_live && (!is_there || LogPartId(facts) != part_.id)) return false;
    if (!is_there) continue;  // somebody has removed it
    fd_ = std::move(*fd);
    start_ = static_cast<uint64_t>(facts.st_size);
    return true;
  }
  return false;
}

// Puts what precedes `start_` in front of the part of a line that is in the buffer.
Status LogFromEnd::ReadEarlier() {
  constexpr uint64_t kPiece = uint64_t{256} * 1024;
  if (end_ > kLongestLine) end_ = 0;  // not a line of ringfence
  const auto size = static_cast<size_t>(std::min(start_, kPiece));
  buffer_.resize(end_);
  buffer_.insert(0, size, '\0');
  end_ += size;
  start_ -= size;
  read_ += size;
  for (size_t done = 0; done < size;) {
    const ssize_t got =
        ::pread(fd_.get(), buffer_.data() + done, size - done, static_cast<off_t>(start_ + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("read(" + part_.name + ")");
    if (got == 0) return SystemError("read(" + part_.name + ")", EIO);  // it was cut
    done += static_cast<size_t>(got);
  }
  return Unit{};
}

std::optional<std::string_view> LogFromEnd::TakeLine() {
  const std::string_view left(buffer_.data(), end_);
  const size_t newline = left.rfind('\n');
  if (newline != std::string_view::npos) {
    end_ = newline;
    return left.substr(newline + 1);
  }
  if (start_ > 0 || left.empty()) return {};
  end_ = 0;
  return left;  // the first one of the part
}

Result<std::optional<LogFromEnd::Line>> LogFromEnd::Previous() {
  for (;;) {
    if (const auto text = TakeLine()) return std::optional(Line{*text, part_.is_apart});
    if (start_ == 0) {
      const Result<bool> opened = OpenEarlier();
      if (!opened) return opened.error();
      if (!*opened) return std::optional<Line>();
      continue;
    }
    if (read_ >= most_) {
      has_reached_bound_ = true;
      return std::optional<Line>();
    }
    if (Status s = ReadEarlier(); !s) return s.error();
  }
}

}  // namespace ringfence
