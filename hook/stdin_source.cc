#include "hook/stdin_source.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/syscall.h"

namespace ringfence {
namespace {

// As large as a pipe, and too large for a small stack. There is only one standard input.
std::array<char, 65536> buffer;

}  // namespace

Result<std::string_view> StdinSource::Next() {
  while (!at_end_) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got > 0) return std::string_view(buffer.data(), static_cast<size_t>(got));
    if (got == 0) {
      at_end_ = true;
      break;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      at_end_ = true;
      return SystemError("read(stdin)");
    }
    pollfd wait{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (::poll(&wait, 1, -1) < 0 && errno != EINTR) {  // bounded by the deadline
      at_end_ = true;
      return SystemError("poll(stdin)");
    }
  }
  return std::string_view();
}

void StdinSource::Drain() {
  while (!at_end_) {
    if (const Result<std::string_view> bytes = Next(); !bytes) return;
  }
}

}  // namespace ringfence
