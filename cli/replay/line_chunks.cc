#include "cli/replay/line_chunks.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/syscall.h"

namespace ringfence {
namespace {

constexpr size_t kMaxUnreadableLines = 20;

// Returns the position of the last newline in [from, end), or npos.
size_t LastNewline(const std::string& buffer, size_t from, size_t end) {
  const size_t at = std::string_view(buffer).substr(from, end - from).rfind('\n');
  return at == std::string_view::npos ? std::string::npos : from + at;
}

}  // namespace

LineChunks::LineChunks(int fd, Sizes sizes)
    : sizes_(sizes), fd_(fd), streams_(true), begins_file_(true) {}

LineChunks::LineChunks(const std::vector<TranscriptFile>& files, Sizes sizes)
    : files_(&files), sizes_(sizes) {}

void LineChunks::Miss(const Error& error) {
  if (unreadable_.size() < kMaxUnreadableLines) unreadable_.push_back(error);
}

bool LineChunks::OpenNext() {
  if (files_ == nullptr) return false;
  while (next_file_ < files_->size()) {
    const TranscriptFile& file = (*files_)[next_file_++];
    Result<UniqueFd> fd = OpenTranscript(file);
    if (!fd) {
      Miss({Error::Kind::kSystem, file.shown, fd.error().what, ""});
      continue;
    }
    own_fd_ = std::move(*fd);
    fd_ = own_fd_.get();
    at_end_ = false;
    begins_file_ = true;
    return true;
  }
  return false;
}

// Returns the number of bytes read; 0 at the end of the file or after an error.
size_t LineChunks::ReadSome(std::string& buffer, size_t used) {
  const size_t wanted = std::max(sizes_.chunk, used + sizes_.chunk / 2 + 1);
  if (buffer.size() < wanted) buffer.resize(wanted);
  for (;;) {
    const ssize_t got = ::read(fd_, buffer.data() + used, wanted - used);
    if (got > 0) return static_cast<size_t>(got);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const std::string where = files_ ? (*files_)[next_file_ - 1].shown : "standard input";
      Miss({Error::Kind::kSystem, where, "cannot be read further: " + ErrnoName(errno), ""});
    }
    at_end_ = true;
    return 0;
  }
}

// False if a stream has no more data now: its writer may be waiting for the answer to the data sent
// so far.
bool LineChunks::HasMoreNow() const {
  if (!streams_) return true;
  pollfd question{fd_, POLLIN, 0};
  return ::poll(&question, 1, 0) == 1;
}

bool LineChunks::Fill(Chunk& chunk) {
  size_t used = rest_.size();
  if (chunk.buffer.size() < used) chunk.buffer.resize(used);
  std::ranges::copy(rest_, chunk.buffer.begin());
  rest_.clear();
  size_t newline = LastNewline(chunk.buffer, 0, used);  // several lines may follow a long one
  const auto is_enough = [&] {
    return newline != std::string::npos && (used >= sizes_.chunk || !HasMoreNow());
  };
  while (!at_end_ && !is_enough()) {
    const size_t got = ReadSome(chunk.buffer, used);
    const size_t later = LastNewline(chunk.buffer, used, used + got);
    if (later != std::string::npos) newline = later;
    used += got;
    if (newline == std::string::npos && used > sizes_.line) {
      chunk.size = used;
      return PassOver(chunk);
    }
  }
  const size_t end = at_end_ || newline == std::string::npos ? used : newline + 1;
  rest_.assign(chunk.buffer, end, used - end);
  chunk.text = std::string_view(chunk.buffer).substr(0, end);
  chunk.size = end;
  return end > 0;
}

// Skips to the end of a line that is too long.
bool LineChunks::PassOver(Chunk& chunk) {
  chunk.too_long = true;
  while (!at_end_) {
    const size_t got = ReadSome(chunk.buffer, 0);
    const void* newline = ::memchr(chunk.buffer.data(), '\n', got);
    if (newline == nullptr) {
      chunk.size += got;
      continue;
    }
    const size_t end =
        static_cast<size_t>(static_cast<const char*>(newline) - chunk.buffer.data()) + 1;
    rest_.assign(chunk.buffer, end, got - end);
    chunk.size += end;
    break;
  }
  return true;
}

bool LineChunks::Take(Chunk& chunk) {
  for (;;) {
    chunk.text = {};
    chunk.too_long = false;
    if (chunk.buffer.size() > 2 * sizes_.chunk) std::string().swap(chunk.buffer);
    if (fd_ >= 0 && Fill(chunk)) {
      chunk.number = next_number_++;
      chunk.file = next_file_ == 0 ? 0 : next_file_ - 1;
      chunk.begins_file = begins_file_;
      begins_file_ = false;
      return true;
    }
    fd_ = -1;
    if (!OpenNext()) return false;
  }
}

}  // namespace ringfence
