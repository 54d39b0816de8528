// Kernel definitions that the headers of Debian 12 (Linux 6.1, glibc 2.36) lack, each with the
// version that introduced it. The numbers are the same on every architecture.
#pragma once

#include <linux/seccomp.h>
#include <sys/ioctl.h>

#include <cstdint>

namespace ringfence {

// landlock(7)
constexpr uint64_t kLandlockScopeSignal = 1ull << 1;  // ABI 6
constexpr uint64_t kLandlockBindTcp = 1ull << 0;      // ABI 4
constexpr uint64_t kLandlockConnectTcp = 1ull << 1;   // ABI 4
constexpr int kLandlockRuleNetPort = 2;               // ABI 4

struct LandlockNetPort {
  uint64_t allowed_access = 0;
  uint64_t port = 0;  // in host byte order
};

struct LandlockRulesetAttribute {
  uint64_t handled_access_fs = 0;
  uint64_t handled_access_net = 0;  // ABI 4, Linux 6.7
  uint64_t scoped = 0;              // ABI 6
};

// seccomp_unotify(2)
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)  // Linux 6.6
#endif
constexpr uint64_t kWakeOnSameProcessor = 1;  // SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP, Linux 6.6
constexpr unsigned kWaitKillable = 1u << 5;   // SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, Linux 5.19

constexpr long kFchmodat2 = 452;  // Linux 6.6

// mount_setattr(2), open_tree(2), move_mount(2): missing in some C libraries, and the kernel's
// header conflicts with glibc's.
struct MountAttributes {
  uint64_t set = 0;
  uint64_t clear = 0;
  uint64_t propagation = 0;
  uint64_t user_namespace_fd = 0;
};
constexpr uint64_t kMountReadOnly = 1;         // MOUNT_ATTR_RDONLY
constexpr uint64_t kMountNoSetUser = 2;        // MOUNT_ATTR_NOSUID
constexpr uint64_t kMountNoDevices = 4;        // MOUNT_ATTR_NODEV
constexpr unsigned kTreeClone = 1;             // OPEN_TREE_CLONE
constexpr unsigned kTreeRecursive = 0x8000;    // AT_RECURSIVE
constexpr unsigned kMoveDescriptor = 0x4;      // MOVE_MOUNT_F_EMPTY_PATH
constexpr unsigned kMoveByDescriptors = 0x44;  // MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH

// statx(2), which musl has since 1.2.5.
struct FileStatus {
  struct Time {
    int64_t seconds = 0;
    uint32_t nanoseconds = 0;
    int32_t unused = 0;
  };
  uint32_t mask = 0, block_size = 0;
  uint64_t attributes = 0;
  uint32_t links = 0, user = 0, group = 0;
  uint16_t mode = 0, unused = 0;
  uint64_t inode = 0, size = 0, blocks = 0, attributes_mask = 0;
  Time accessed, born, changed, modified;
  uint32_t node_major = 0, node_minor = 0, device_major = 0, device_minor = 0;
  uint64_t mount = 0;  // if kStatusMount was requested
  uint64_t more[13] = {};
};
static_assert(sizeof(FileStatus) == 256);
constexpr unsigned kStatusType = 0x1;      // STATX_TYPE
constexpr unsigned kStatusInode = 0x100;   // STATX_INO
constexpr unsigned kStatusBorn = 0x800;    // STATX_BTIME
constexpr unsigned kStatusMount = 0x1000;  // STATX_MNT_ID, Linux 5.8

}  // namespace ringfence
