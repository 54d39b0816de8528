// The calls of macOS 11 and later.
#include "files/system_calls.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/clonefile.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "base/syscall.h"
#include "files/beneath.h"
#include "files/copy_contents.h"
#include "files/done_step.h"

namespace ringfence {
namespace {

bool RenameInFolder(const UniqueFd& folder, const std::string& from, const std::string& to,
                    unsigned flags) {
  return ::renameatx_np(folder.get(), from.c_str(), folder.get(), to.c_str(), flags) == 0;
}

// A clone has the flags of its source (chflags(2)). These would keep the command, or an apply, from
// changing it.
bool ClearLocks(const UniqueFd& file) {
  constexpr unsigned kLocks = UF_IMMUTABLE | UF_APPEND;
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return false;
  return (facts.st_flags & kLocks) == 0 || ::fchflags(file.get(), facts.st_flags & ~kLocks) == 0;
}

}  // namespace

// The kernel follows no link in any part of the path (O_NOFOLLOW_ANY).
Result<UniqueFd> OpenBeneath(const UniqueFd& folder, const std::string& path, int flags) {
  if (LeavesFolder(path)) return SystemError("open(" + path + ")", EXDEV);
  const int others = flags & ~O_NOFOLLOW;  // for the last part only
  UniqueFd opened(::openat(folder.get(), path.c_str(), others | O_NOFOLLOW_ANY | O_CLOEXEC));
  if (!opened.valid()) return SystemError("open(" + path + ")");
  return opened;
}

int64_t ModifiedTime(const struct stat& facts) { return InNanoseconds(facts.st_mtimespec); }
int64_t ChangedTime(const struct stat& facts) { return InNanoseconds(facts.st_ctimespec); }

uint64_t MountIdOf(int folder, const char* name) {
  struct stat facts {};
  const char* const named = *name == 0 ? "." : name;
  if (::fstatat(folder, named, &facts, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  return uint64_t{static_cast<uint32_t>(facts.st_dev)} + 1;
}

bool RenameToNew(const UniqueFd& folder, const std::string& from, const std::string& to) {
  return RenameInFolder(folder, from, to, RENAME_EXCL);
}

bool ExchangeNames(const UniqueFd& folder, const std::string& one, const std::string& other) {
  return RenameInFolder(folder, one, other, RENAME_SWAP);
}

bool IsRenameUnsupported(int code) {
  return code == EINVAL || code == ENOSYS || code == ENOTSUP || code == EOPNOTSUPP;
}

// fsync(2) leaves the data in the cache of the disk. Not every file system knows the other call.
Status SyncFile(int fd) {
  const bool is_done = ::fcntl(fd, F_FULLFSYNC) == 0 || ::fsync(fd) == 0;
  return CallStatus(is_done, "fsync");
}

Status SyncFileSystem(int fd) {
  const int flags = SYNC_VOLUME_FULLSYNC | SYNC_VOLUME_WAIT;
  return CallStatus(::fsync_volume_np(fd, flags) == 0, "fsync_volume_np");
}

bool CanClone(int source, const UniqueFd& place) {
  const std::string name = NewTemporaryName();
  const bool is_cloned = ::fclonefileat(source, place.get(), name.c_str(), 0) == 0;
  if (is_cloned) ::unlinkat(place.get(), name.c_str(), 0);
  return is_cloned;
}

UniqueFd CreateClone(int source, const UniqueFd& place, const std::string& name) {
  struct stat facts {};
  // It would clone a directory with all that is in it.
  if (::fstat(source, &facts) != 0 || !S_ISREG(facts.st_mode)) return {};
  if (::fclonefileat(source, place.get(), name.c_str(), 0) != 0) return {};
  UniqueFd clone(::openat(place.get(), name.c_str(), O_RDONLY | O_NOFOLLOW_ANY | O_CLOEXEC));
  if (clone.valid() && ClearLocks(clone)) return clone;
  ::unlinkat(place.get(), name.c_str(), 0);
  return {};
}

bool ShareContents(int, int) { return false; }

Result<bool> CopyPart(int from, int to, off_t at, off_t end) {
  return CopyByHand(from, to, at, end);
}

ssize_t ListAttributes(int fd, char* names, size_t size) {
  return ::flistxattr(fd, names, size, 0);
}

ssize_t ReadAttribute(int fd, const char* name, void* value, size_t size) {
  return ::fgetxattr(fd, name, value, size, 0, 0);
}

bool WriteAttribute(int fd, const char* name, std::string_view value) {
  return ::fsetxattr(fd, name, value.data(), value.size(), 0, 0) == 0;
}

bool RemoveAttribute(int fd, const char* name) { return ::fremovexattr(fd, name, 0) == 0; }

// The system sets the others, such as where a file was downloaded from.
bool IsUsersAttribute(std::string_view name) { return !name.starts_with("com.apple."); }

NamedAttributes::NamedAttributes(int folder, const std::string& name)
    : file_(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW_ANY | O_NONBLOCK | O_CLOEXEC)) {}

ssize_t NamedAttributes::List(char* names, size_t size) const {
  return file_.valid() ? ListAttributes(file_.get(), names, size) : -1;
}

ssize_t NamedAttributes::Read(const char* name, void* value, size_t size) const {
  return file_.valid() ? ReadAttribute(file_.get(), name, value, size) : -1;
}

bool MakeWhiteout(const UniqueFd&, const std::string&) {
  errno = ENOTSUP;
  return false;
}

}  // namespace ringfence
