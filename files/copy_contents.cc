#include "files/copy_contents.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "base/syscall.h"
#include "files/system_calls.h"

namespace ringfence {

Result<bool> CopyByHand(int from, int to, off_t at, off_t end) {
  constexpr off_t kPart = off_t{1} << 20;
  std::string part(static_cast<size_t>(std::min(kPart, end - at)), '\0');
  while (at < end) {
    const auto size = static_cast<size_t>(std::min<off_t>(end - at, kPart));
    const ssize_t got = ::pread(from, part.data(), size, at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("read");
    if (got == 0) return false;
    for (ssize_t done = 0; done < got;) {
      const ssize_t put =
          ::pwrite(to, part.data() + done, static_cast<size_t>(got - done), at + done);
      if (put < 0 && errno != EINTR) return SystemError("write");
      if (put > 0) done += put;
    }
    at += got;
  }
  return true;
}

Status CopyContents(int from, int to, off_t size) {
  if (ShareContents(from, to)) return Unit{};
  for (off_t at = 0; at < size;) {
    off_t begin = ::lseek(from, at, SEEK_DATA);
    if (begin < 0 && errno == ENXIO) break;  // only a hole is left
    off_t end = begin < 0 ? size : ::lseek(from, begin, SEEK_HOLE);
    if (begin < 0) begin = at;  // the file system knows no holes
    if (end < 0) end = size;
    const Result<bool> is_whole = CopyPart(from, to, begin, end);
    if (!is_whole) return is_whole.error();
    if (!*is_whole) return Unit{};
    at = end;
  }
  return CallStatus(::ftruncate(to, size) == 0, "ftruncate");
}

}  // namespace ringfence
