#include "base/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/syscall.h"
#include "base/unique_fd.h"

namespace ringfence {
namespace {

constexpr size_t kMaxFile = 8u << 20;

}  // namespace

Result<FileBytes> ReadRegularFile(const std::string& path) {
  FileBytes bytes;
  UniqueFd fd(::openat(AT_FDCWD, path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid()) {
    if (errno == ENOENT || errno == ENOTDIR) {
      bytes.missing = true;
      return bytes;
    }
    if (errno == ELOOP) {
      return ConfigError(path, "is reached through symbolic links that lead in a circle",
                         "make the link lead to a file, or remove it");
    }
    if (errno == EACCES || errno == EPERM) {
      return ConfigError(path, "cannot be read: permission denied",
                         "make it readable for yourself, and the directories above it too");
    }
    return SystemError("open(" + path + ")");
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return SystemError("fstat(" + path + ")");
  if (!S_ISREG(status.st_mode))
    return ConfigError(path, "is not a regular file", "replace it, or name a regular file");
  Result<std::string> text = ReadAll(fd.get(), kMaxFile, path, static_cast<size_t>(status.st_size));
  if (!text) return text.error();
  bytes.text = std::move(*text);
  bytes.owner = status.st_uid;
  bytes.mode = status.st_mode & 07777;
  return bytes;
}

Result<std::optional<std::string>> ReadIfThere(const std::string& path) {
  Result<FileBytes> bytes = ReadRegularFile(path);
  if (!bytes) return bytes.error();
  if (bytes->missing) return std::optional<std::string>();
  return std::optional<std::string>(std::move(bytes->text));
}

}  // namespace ringfence
