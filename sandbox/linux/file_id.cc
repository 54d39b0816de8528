#include "sandbox/linux/file_id.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/syscall.h"
#include "sandbox/linux/kernel_abi.h"

namespace ringfence {

Result<FileId> IdOf(const UniqueFd& folder, const char* name) {
  FileStatus facts;
  const int flags = AT_SYMLINK_NOFOLLOW | (*name == 0 ? AT_EMPTY_PATH : 0);
  if (::syscall(SYS_statx, folder.get(), name, flags, kStatusInode | kStatusBorn, &facts) != 0) {
    return Errno(errno);
  }
  return FileId{facts.device_major, facts.device_minor, facts.inode, facts.born.seconds,
                facts.born.nanoseconds};
}

void Remember(std::vector<FileId>& sorted, const Result<FileId>& id) {
  if (!id) return;
  const auto at = std::ranges::lower_bound(sorted, *id);
  if (at == sorted.end() || *at != *id) sorted.insert(at, *id);
}

bool IsIn(const std::vector<FileId>& sorted, const Result<FileId>& id) {
  return id && std::ranges::binary_search(sorted, *id);
}

}  // namespace ringfence
