#include "files/copy_part.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "base/syscall.h"

namespace ringfence {

Status CopyPart(int from, int to, off_t at, off_t end) {
  constexpr off_t kPart = off_t{1} << 20;
  std::string part(static_cast<size_t>(std::min(kPart, end - at)), '\0');
  while (at < end) {
    const auto size = static_cast<size_t>(std::min<off_t>(end - at, kPart));
    const ssize_t got = ::pread(from, part.data(), size, at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("read");
    if (got == 0) return Unit{};  // the file has become shorter
    for (ssize_t done = 0; done < got;) {
      const ssize_t put =
          ::pwrite(to, part.data() + done, static_cast<size_t>(got - done), at + done);
      if (put < 0 && errno != EINTR) return SystemError("write");
      if (put > 0) done += put;
    }
    at += got;
  }
  return Unit{};
}

}  // namespace ringfence
