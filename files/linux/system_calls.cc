#include "files/system_calls.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "base/syscall.h"
#include "files/beneath.h"
#include "files/copy_contents.h"

namespace ringfence {
namespace {

bool RenameIn(const UniqueFd& folder, const std::string& from, const std::string& to,
              unsigned flags) {
  return ::renameat2(folder.get(), from.c_str(), folder.get(), to.c_str(), flags) == 0;
}

// True if reading and writing can still copy the bytes. Network file systems report EIO, filters of
// system calls EPERM; a damaged disk fails again then.
bool CanBeCopiedByHand(int code) {
  constexpr std::array kCodes = {EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, EPERM, EIO};
  return std::ranges::find(kCodes, code) != kCodes.end();
}

}  // namespace

Result<UniqueFd> OpenBeneath(const UniqueFd& folder, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  UniqueFd opened(
      static_cast<int>(::syscall(SYS_openat2, folder.get(), path.c_str(), &how, sizeof how)));
  if (!opened.valid()) return SystemError("open(" + path + ")");
  return opened;
}

int64_t ModifiedTime(const struct stat& facts) { return InNanoseconds(facts.st_mtim); }
int64_t ChangedTime(const struct stat& facts) { return InNanoseconds(facts.st_ctim); }

uint64_t MountIdOf(int folder, const char* name) {
  struct statx facts {};
  const int flags = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH | AT_NO_AUTOMOUNT;
  return ::statx(folder, name, flags, STATX_MNT_ID, &facts) == 0 ? facts.stx_mnt_id : 0;
}

bool RenameToNew(const UniqueFd& folder, const std::string& from, const std::string& to) {
  return RenameIn(folder, from, to, RENAME_NOREPLACE);
}

bool ExchangeNames(const UniqueFd& folder, const std::string& one, const std::string& other) {
  return RenameIn(folder, one, other, RENAME_EXCHANGE);
}

bool IsRenameUnsupported(int code) {
  return code == EINVAL || code == ENOSYS || code == EOPNOTSUPP;
}

Status SyncFile(int fd) { return CallStatus(::fsync(fd) == 0, "fsync"); }

Status SyncFileSystem(int fd) { return CallStatus(::syncfs(fd) == 0, "syncfs"); }

bool CanClone(int source, const UniqueFd& place) {
  const UniqueFd file(::openat(place.get(), ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  return file.valid() && ShareContents(source, file.get());
}

UniqueFd CreateClone(int, const UniqueFd&, const std::string&) { return {}; }

bool ShareContents(int from, int to) { return ::ioctl(to, FICLONE, from) == 0; }

Result<bool> CopyPart(int from, int to, off_t at, off_t end) {
  off_t in = at;
  off_t out = at;
  while (in < end) {
    const ssize_t copied = ::copy_file_range(from, &in, to, &out, static_cast<size_t>(end - in), 0);
    if (copied < 0 && errno == EINTR) continue;
    // Some file systems end early; only reading shows whether the file does.
    if (copied == 0 || (copied < 0 && CanBeCopiedByHand(errno)))
      return CopyByHand(from, to, in, end);
    if (copied < 0) return SystemError("copy_file_range");
  }
  return true;
}

ssize_t ListAttributes(int fd, char* names, size_t size) { return ::flistxattr(fd, names, size); }

ssize_t ReadAttribute(int fd, const char* name, void* value, size_t size) {
  return ::fgetxattr(fd, name, value, size);
}

bool WriteAttribute(int fd, const char* name, std::string_view value) {
  return ::fsetxattr(fd, name, value.data(), value.size(), 0) == 0;
}

bool RemoveAttribute(int fd, const char* name) { return ::fremovexattr(fd, name) == 0; }

bool IsUsersAttribute(std::string_view name) {
  return name.starts_with("user.") || name == "system.posix_acl_access" ||
         name == "system.posix_acl_default";
}

// Opening the file could need permissions, and fgetxattr(2) does not work with O_PATH.
NamedAttributes::NamedAttributes(int folder, const std::string& name)
    : path_("/proc/self/fd/" + std::to_string(folder) + "/" + name) {}

ssize_t NamedAttributes::List(char* names, size_t size) const {
  return ::llistxattr(path_.c_str(), names, size);
}

ssize_t NamedAttributes::Read(const char* name, void* value, size_t size) const {
  return ::lgetxattr(path_.c_str(), name, value, size);
}

bool MakeWhiteout(const UniqueFd& folder, const std::string& name) {
  return ::mknodat(folder.get(), name.c_str(), S_IFCHR, 0) == 0;
}

}  // namespace ringfence
