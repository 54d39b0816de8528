#include "base/syscall.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace ringfence {

std::string ErrnoName(int code) {
  struct Row {
    int code;
    const char* name;
  };
  // clang-format off
  static constexpr Row kRows[] = {
      {EPERM, "EPERM"}, {ENOENT, "ENOENT"}, {EINTR, "EINTR"}, {EIO, "EIO"}, {ENXIO, "ENXIO"},
      {EBADF, "EBADF"}, {EAGAIN, "EAGAIN"}, {ENOMEM, "ENOMEM"}, {EACCES, "EACCES"},
      {EBUSY, "EBUSY"}, {EEXIST, "EEXIST"}, {EXDEV, "EXDEV"}, {ENOTDIR, "ENOTDIR"},
      {EISDIR, "EISDIR"}, {EINVAL, "EINVAL"}, {ENFILE, "ENFILE"}, {EMFILE, "EMFILE"},
      {EFBIG, "EFBIG"}, {ENOSPC, "ENOSPC"}, {EROFS, "EROFS"}, {EPIPE, "EPIPE"}, {EDQUOT, "EDQUOT"},
      {ELOOP, "ELOOP"}, {ENAMETOOLONG, "ENAMETOOLONG"}, {ENOSYS, "ENOSYS"}, {ESTALE, "ESTALE"},
      {ENODEV, "ENODEV"}, {EOVERFLOW, "EOVERFLOW"}, {E2BIG, "E2BIG"}, {ENOTTY, "ENOTTY"},
      {ENOEXEC, "ENOEXEC"}, {ETXTBSY, "ETXTBSY"}, {ENETUNREACH, "ENETUNREACH"},
      {EAFNOSUPPORT, "EAFNOSUPPORT"}, {EOPNOTSUPP, "EOPNOTSUPP"}, {EUSERS, "EUSERS"},
      {EMSGSIZE, "EMSGSIZE"}, {ETOOMANYREFS, "ETOOMANYREFS"}};
  // clang-format on
  for (const Row& row : kRows) {
    if (row.code == code) return row.name;
  }
  return "errno " + std::to_string(code);
}

Error SystemError(std::string_view call, int code, Error::About about) {
  return Error{Error::Kind::kSystem, std::string(call), ErrnoName(code), "", code, about};
}

Error SystemError(std::string_view call) { return SystemError(call, errno); }

Status CallStatus(bool is_done, std::string_view call, Error::About about) {
  return is_done ? Status(Unit{}) : SystemError(call, errno, about);
}

Error Errno(int code) { return SystemError("", code); }

UniqueFd OpenFile(const char* path, int flags) {
  return UniqueFd(::openat(AT_FDCWD, path, flags | O_CLOEXEC));
}

Result<std::string> ReadAll(int fd, size_t limit, std::string_view what, size_t expected) {
  constexpr size_t kMore = 512;  // room to detect the end, and for a file that reports size 0
  std::string bytes((expected < limit ? expected : limit) + kMore, '\0');
  size_t size = 0;
  for (;;) {
    const ssize_t got = ::read(fd, bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("read(" + std::string(what) + ")");
    size += static_cast<size_t>(got);
    if (size > limit) {
      return ConfigError(std::string(what), "larger than " + std::to_string(limit) + " bytes");
    }
    // A regular file that returned less than there was room for is at its end (read(2)).
    const bool is_whole = expected > 0 && size == expected;
    if (got == 0 || is_whole) break;
    if (size == bytes.size()) bytes.resize(2 * size);
  }
  bytes.resize(size);
  return bytes;
}

Result<std::string> ReadSystemFile(const std::string& path, size_t limit) {
  const UniqueFd file = OpenFile(path.c_str(), O_RDONLY);
  if (!file.valid()) return SystemError("open(" + path + ")");
  return ReadAll(file.get(), limit, path);
}

int64_t Nanoseconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
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
