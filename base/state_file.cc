#include "base/state_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include <cerrno>

#include "base/syscall.h"

namespace ringfence {

Status MakeFolders(const Path& folder, int levels) {
  if (::mkdir(folder.text().c_str(), 0700) == 0 || errno == EEXIST) return Unit{};
  if (errno != ENOENT || levels == 1) return SystemError("mkdir(" + folder.text() + ")");
  if (Status s = MakeFolders(folder.Parent(), levels - 1); !s) return s;
  return MakeFolders(folder, 1);
}

Result<UniqueFd> OpenStateFile(const Path& file, StateWrites writes) {
  constexpr int kStateLevels = 3;  // ~/.local/state/ringfence
  const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
                    (writes == StateWrites::kAppended ? O_APPEND : 0);
  UniqueFd fd(::openat(AT_FDCWD, file.text().c_str(), flags, 0600));
  if (!fd.valid() && errno == ENOENT) {
    if (Status s = MakeFolders(file.Parent(), kStateLevels); !s) return s.error();
    fd = UniqueFd(::openat(AT_FDCWD, file.text().c_str(), flags, 0600));
  }
  if (!fd.valid()) return SystemError("open(" + file.text() + ")");
  return fd;
}

Result<bool> LockFile(int fd, int tries) {
  for (int i = 0; i < tries; ++i) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return SystemError("flock");
    WaitForOthers();
  }
  return false;
}

void WaitForOthers() {
  const timespec wait{.tv_sec = 0, .tv_nsec = 1000000};
  ::nanosleep(&wait, nullptr);
}

}  // namespace ringfence
