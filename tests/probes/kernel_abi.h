// Numbers that are newer than the headers of some distributions. From 424 on they are the same on
// every architecture.
#pragma once

#include <stdint.h>
#include <sys/syscall.h>

#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
#ifndef SYS_move_mount
#define SYS_move_mount 429
#endif
#ifndef SYS_fsopen
#define SYS_fsopen 430
#endif
#ifndef SYS_fsconfig
#define SYS_fsconfig 431
#endif
#ifndef SYS_fsmount
#define SYS_fsmount 432
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452  // Linux 6.6
#endif

// <linux/mount.h> and <sys/mount.h> cannot be included together everywhere.
enum {
  kFsconfigCreate = 6,        // FSCONFIG_CMD_CREATE
  kMoveMountEmptyFrom = 0x4,  // MOVE_MOUNT_F_EMPTY_PATH
  kMountAttrReadOnly = 0x1,   // MOUNT_ATTR_RDONLY
  kUffdUserModeOnly = 0x1,    // UFFD_USER_MODE_ONLY, Linux 5.11
};

struct MountAttributes {
  uint64_t set, clear, propagation, user_namespace;
};

struct CloneArguments {
  uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
};

struct OpenHow {
  uint64_t flags, mode, resolve;
};
enum { kResolveInRoot = 0x10 };  // RESOLVE_IN_ROOT
