#include "sandbox/linux/file_id.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "sandbox/linux/kernel_abi.h"

namespace ringfence {

Got<FileId> IdOf(const UniqueFd& folder, const char* name) {
  FileStatus facts;
  const int flags = AT_SYMLINK_NOFOLLOW | (*name == 0 ? AT_EMPTY_PATH : 0);
  if (::syscall(SYS_statx, folder.get(), name, flags, kStatusInode | kStatusBorn, &facts) != 0) {
    return {{}, errno};
  }
  return {{facts.device_major, facts.device_minor, facts.inode, facts.born.seconds,
           facts.born.nanoseconds},
          0};
}

void Remember(std::vector<FileId>& sorted, const Got<FileId>& id) {
  const auto at = std::ranges::lower_bound(sorted, id.value);
  if (id.ok() && (at == sorted.end() || *at != id.value)) sorted.insert(at, id.value);
}

bool IsIn(const std::vector<FileId>& sorted, const Got<FileId>& id) {
  return id.ok() && std::ranges::binary_search(sorted, id.value);
}

}  // namespace ringfence
