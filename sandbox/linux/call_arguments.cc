#include "sandbox/linux/call_arguments.h"

#include <sys/syscall.h>

#include <algorithm>
#include <iterator>

#include "sandbox/linux/kernel_abi.h"

namespace ringfence {
namespace {

using What = SupervisedCall;

// Some architectures lack the calls without "at".
constexpr CallShape kShapes[] = {
#ifdef SYS_open
    {SYS_open, What::kOpen, -1, 0, -1, -1, 1, 2},
    {SYS_creat, What::kOpen, -1, 0, -1, -1, -1, 1},
    {SYS_mkdir, What::kMkdir, -1, 0, -1, -1, -1, 1},
    {SYS_mknod, What::kMknod, -1, 0, -1, -1, 2, 1},
    {SYS_symlink, What::kSymlink, -1, 0, -1, 1, -1, -1},
    {SYS_link, What::kLink, -1, 0, -1, 1, -1, -1},
    {SYS_rename, What::kRename, -1, 0, -1, 1, -1, -1},
    {SYS_unlink, What::kUnlink, -1, 0, -1, -1, -1, -1},
    {SYS_rmdir, What::kRmdir, -1, 0, -1, -1, -1, -1},
    {SYS_chmod, What::kChmod, -1, 0, -1, -1, -1, 1},
    {SYS_chown, What::kOwner, -1, 0, -1, -1, -1, 1},
    {SYS_lchown, What::kLowner, -1, 0, -1, -1, -1, 1},
    {SYS_utime, What::kSeconds, -1, 0, -1, -1, -1, 1},
    {SYS_utimes, What::kMicroseconds, -1, 0, -1, -1, -1, 1},
    {SYS_futimesat, What::kMicroseconds, 0, 1, -1, -1, -1, 2},
#endif
#ifdef SYS_renameat
    {SYS_renameat, What::kRename, 0, 1, 2, 3, -1, -1},
#endif
    {SYS_openat, What::kOpen, 0, 1, -1, -1, 2, 3},
    {SYS_mkdirat, What::kMkdir, 0, 1, -1, -1, -1, 2},
    {SYS_mknodat, What::kMknod, 0, 1, -1, -1, 3, 2},
    {SYS_symlinkat, What::kSymlink, -1, 0, 1, 2, -1, -1},
    {SYS_linkat, What::kLink, 0, 1, 2, 3, 4, -1},
    {SYS_renameat2, What::kRename, 0, 1, 2, 3, 4, -1},
    {SYS_unlinkat, What::kUnlink, 0, 1, -1, -1, 2, -1},
    {SYS_truncate, What::kTruncate, -1, 0, -1, -1, -1, 1},
    {SYS_fchmodat, What::kChmod, 0, 1, -1, -1, -1, 2},
    {kFchmodat2, What::kChmod, 0, 1, -1, -1, 3, 2},
    {SYS_fchmod, What::kFchmod, 0, -1, -1, -1, -1, 1},
    {SYS_bind, What::kBind, 0, 1, -1, -1, 2, -1},
    {SYS_connect, What::kConnect, 0, 1, -1, -1, 2, -1},
    {SYS_utimensat, What::kTimes, 0, 1, -1, -1, 3, 2},
    {SYS_fchownat, What::kOwner, 0, 1, -1, -1, 4, 2},
    {SYS_fchown, What::kFowner, 0, -1, -1, -1, -1, 1},
    {SYS_setxattr, What::kXattr, -1, 0, -1, 1, 4, 2},
    {SYS_lsetxattr, What::kLxattr, -1, 0, -1, 1, 4, 2},
    {SYS_fsetxattr, What::kFxattr, 0, -1, -1, 1, 4, 2},
    {SYS_removexattr, What::kXattr, -1, 0, -1, 1, -1, -1},
    {SYS_lremovexattr, What::kLxattr, -1, 0, -1, 1, -1, -1},
    {SYS_fremovexattr, What::kFxattr, 0, -1, -1, 1, -1, -1},
    {SYS_kill, What::kSignal, -1, -1, -1, -1, -1, -1},
    {SYS_tkill, What::kSignal, -1, -1, -1, -1, -1, -1},
    {SYS_tgkill, What::kSignal, -1, -1, -1, -1, -1, -1},
    {SYS_rt_sigqueueinfo, What::kSignal, -1, -1, -1, -1, -1, -1},
    {SYS_rt_tgsigqueueinfo, What::kSignal, -1, -1, -1, -1, -1, -1},
    {SYS_pidfd_send_signal, What::kSignal, -1, -1, -1, -1, -1, -1},
};

}  // namespace

const CallShape* ShapeOf(int number) {
  const auto* found = std::ranges::find(kShapes, number, &CallShape::number);
  return found == std::end(kShapes) ? nullptr : found;
}

}  // namespace ringfence
