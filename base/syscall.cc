#include "base/syscall.h"

#include <unistd.h>

#include <cerrno>

namespace ringfence {

std::string ErrnoName(int code) {
  struct Row {
    int code;
    const char* name;
  };
  static constexpr Row kRows[] = {
      {EPERM, "EPERM"},     {ENOENT, "ENOENT"}, {EINTR, "EINTR"},   {EIO, "EIO"},
      {ENXIO, "ENXIO"},     {EBADF, "EBADF"},   {EAGAIN, "EAGAIN"}, {ENOMEM, "ENOMEM"},
      {EACCES, "EACCES"},   {EBUSY, "EBUSY"},   {EEXIST, "EEXIST"}, {EXDEV, "EXDEV"},
      {ENOTDIR, "ENOTDIR"}, {EISDIR, "EISDIR"}, {EINVAL, "EINVAL"}, {ENFILE, "ENFILE"},
      {EMFILE, "EMFILE"},   {EFBIG, "EFBIG"},   {ENOSPC, "ENOSPC"}, {EROFS, "EROFS"},
      {EPIPE, "EPIPE"},     {EDQUOT, "EDQUOT"}, {ELOOP, "ELOOP"},   {ENAMETOOLONG, "ENAMETOOLONG"},
      {ENOSYS, "ENOSYS"},   {ESTALE, "ESTALE"}, {ENODEV, "ENODEV"}, {EOVERFLOW, "EOVERFLOW"},
  };
  for (const Row& row : kRows) {
    if (row.code == code) return row.name;
  }
  return "errno " + std::to_string(code);
}

Error SystemError(std::string_view call, int code) {
  return Error{Error::Kind::kSystem, std::string(call), ErrnoName(code), ""};
}

Error SystemError(std::string_view call) { return SystemError(call, errno); }

Result<std::string> ReadAll(int fd, size_t limit, std::string_view what, size_t expected) {
  std::string bytes;
  size_t room = (expected < limit ? expected : limit) + 512;
  for (;;) {
    const size_t size = bytes.size();
    bytes.resize(size + room);
    const ssize_t got = ::read(fd, bytes.data() + size, room);
    if (got < 0 && errno == EINTR) {
      bytes.resize(size);
      continue;
    }
    if (got < 0) return SystemError("read(" + std::string(what) + ")");
    bytes.resize(size + static_cast<size_t>(got));
    if (got == 0) return bytes;
    if (bytes.size() > limit) {
      return Error{Error::Kind::kInvalidConfig, std::string(what),
                   "larger than " + std::to_string(limit) + " bytes", ""};
    }
    if (bytes.size() == size + room) room *= 2;
  }
}

Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return SystemError("write");
    if (put == 0) return SystemError("write", EIO);
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return Unit{};
}

}  // namespace ringfence
