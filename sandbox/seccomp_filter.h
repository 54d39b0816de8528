// System calls that a confined process may not make. The filter is compiled from these lists, and
// --dry-run prints them. They use the kernel's names or numbers, so they are the same on every
// architecture; names that an architecture lacks are skipped there.
#pragma once

#include <cstdint>
#include <string_view>

namespace ringfence {

struct CallName {
  constexpr CallName(const char* call, int known_number = -1) : name(call), number(known_number) {}

  std::string_view name;
  int number;  // for calls unknown to libseccomp 2.5.4, the same on all architectures; else -1
};

// Refused with EPERM: mounts, namespaces, the kernel itself, internals of other processes.
inline constexpr CallName kRefusedCalls[] = {
    // the mount API (mount(2), fsopen(2), open_tree(2)) and the root
    "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree",
    CallName("open_tree_attr", 467), "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
    "quotactl", "quotactl_fd", "swapon", "swapoff", "acct", "sysfs", "_sysctl", "open_by_handle_at",
    "fanotify_init", "lookup_dcookie", "nfsservctl", "uselib",
    // namespaces by descriptor
    "setns",
    // the kernel and the machine
    "bpf", "perf_event_open", "userfaultfd", "kexec_load", "kexec_file_load", "init_module",
    "finit_module", "delete_module", "create_module", "query_module", "get_kernel_syms", "reboot",
    "syslog", "settimeofday", "stime", "clock_settime", "clock_adjtime", "adjtimex", "sethostname",
    "setdomainname", "iopl", "ioperm", "vhangup", "modify_ldt", "vm86", "vm86old", "move_pages",
    "migrate_pages",
    // keyrings, which have no namespace
    "add_key", "request_key", "keyctl",
    // internals of other processes; calls that a debugger needs for its own children stay
    "kcmp", "process_madvise"};
// Refused with ENOSYS, so that programs fall back to older calls.
inline constexpr CallName kAbsentCalls[] = {
    "clone3",  // its flags are in memory, which a filter cannot read
    // their attributes are in memory as well
    CallName("setxattrat", 463), CallName("removexattrat", 466), CallName("file_setattr", 469),
    "io_uring_setup", "io_uring_enter", "io_uring_register", CallName("statmount", 457),
    CallName("listmount", 458)};
// Refused with ENOSYS without namespaces and mounts: these calls reach System V objects and POSIX
// message queues of the user's other processes (sysvipc(7), mq_overview(7)).
inline constexpr CallName kCallsBeyondLandlock[] = {
    "shmget", "shmat",      "shmctl", "shmdt",  "semget", "semop",   "semctl",
    "msgget", "semtimedop", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink",
};
// Passed to the supervisor, which checks the names in them (sandbox/linux/supervisor.h).
inline constexpr CallName kSupervisedCalls[] = {
    "creat",        "truncate",     "mkdir",     "mkdirat",   "mknod",
    "mknodat",      "symlink",      "symlinkat", "link",      "linkat",
    "rename",       "renameat",     "renameat2", "unlink",    "unlinkat",
    "rmdir",        "chmod",        "fchmod",    "fchmodat",  CallName("fchmodat2", 452),
    "bind",         "setxattr",     "lsetxattr", "fsetxattr", "removexattr",
    "lremovexattr", "fremovexattr", "chown",     "lchown",    "fchown",
    "fchownat",     "utime",        "utimes",    "futimesat", "utimensat",
};
// The same, if neither a process namespace nor Landlock confines signals.
inline constexpr CallName kSignalCalls[] = {
    "kill", "tkill", "tgkill", "pidfd_send_signal", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
};
// Refused with EPERM in all processes but the supervisor, which needs them.
inline constexpr CallName kSupervisorsOwnCalls[] = {"pidfd_getfd"};

// The same, if the network leads to the egress proxy: the supervisor has the gateway listen at the
// port of each connect(2), so that a connection to any port is explained.
inline constexpr CallName kConnectCalls[] = {"connect"};

// Calls that only some sandboxes supervise.
struct SupervisedExtras {
  // kSignalCalls. The kernel also sends a signal, to any process, when a file is ready (F_SETOWN of
  // fcntl(2)); requests for that are then refused.
  bool signals = false;
  bool connects = false;  // kConnectCalls
};

// RLIMIT_LOCKS, a resource limit without effect, which only the supervisor may set.
constexpr uint32_t kMarkingLimit = 10;

// RLIMIT_CORE. It stays 1, at which the kernel does not start the host's crash handler. Setting it
// (mostly to 0) appears to succeed, since some programs exit on an error; there is no core file
// either way.
constexpr uint32_t kCoreLimit = 4;

// The newest call considered for the lists above; higher numbers fail with ENOSYS.
constexpr int kNewestCall = 469;  // file_setattr(2), Linux 6.17

// Bits of the first argument of clone(2) and unshare(2) that create a namespace.
inline constexpr uint32_t kNamespaceFlags[] = {
    0x00020000,  // CLONE_NEWNS
    0x02000000,  // CLONE_NEWCGROUP
    0x04000000,  // CLONE_NEWUTS
    0x08000000,  // CLONE_NEWIPC
    0x10000000,  // CLONE_NEWUSER
    0x20000000,  // CLONE_NEWPID
    0x40000000,  // CLONE_NEWNET
};
// For unshare(2) only: in clone(2) the bit is part of the signal.
constexpr uint32_t kNewTimeNamespace = 0x80;

// ioctl(2) requests that put characters into a terminal's input or change its driver.
inline constexpr uint32_t kRefusedTerminalRequests[] = {
    0x5412,  // TIOCSTI
    0x541C,  // TIOCLINUX
    0x5423,  // TIOCSETD
};

// ioctl(2) requests, of any size, that create, remove or change a subvolume: a directory whose name
// no other call contains (ioctl_btrfs). Those of bcachefs are refused by type.
// The lower half of a request: its type and number.
inline constexpr uint32_t kRefusedSubvolumeRequests[] = {
    0x9401,  // BTRFS_IOC_SNAP_CREATE
    0x940E,  // BTRFS_IOC_SUBVOL_CREATE
    0x940F,  // BTRFS_IOC_SNAP_DESTROY
    0x9417,  // BTRFS_IOC_SNAP_CREATE_V2
    0x9418,  // BTRFS_IOC_SUBVOL_CREATE_V2
    0x941A,  // BTRFS_IOC_SUBVOL_SETFLAGS
    0x9425,  // BTRFS_IOC_SET_RECEIVED_SUBVOL
    0x943F,  // BTRFS_IOC_SNAP_DESTROY_V2
};
constexpr uint32_t kBcachefsRequests = 0xBC00;
// ioctl(2) requests by which a file's owner changes it through a read-only descriptor: attributes,
// fs-verity, encryption (ioctl_iflags(2)). A standard stream can be such a descriptor of a file
// outside. Those of f2fs are refused by type.
inline constexpr uint32_t kRefusedFileRequests[] = {
    0x6602,  // FS_IOC_SETFLAGS
    0x5820,  // FS_IOC_FSSETXATTR
    0x7602,  // FS_IOC_SETVERSION
    0x6604,  // EXT4_IOC_SETVERSION
    0x6609,  // EXT4_IOC_MIGRATE
    0x660C,  // EXT4_IOC_ALLOC_DA_BLKS
    0x6613,  // FS_IOC_SET_ENCRYPTION_POLICY
    0x6617,  // FS_IOC_ADD_ENCRYPTION_KEY
    0x6618,  // FS_IOC_REMOVE_ENCRYPTION_KEY: locks the directory for all processes
    0x6619,  // FS_IOC_REMOVE_ENCRYPTION_KEY_ALL_USERS
    0x6685,  // FS_IOC_ENABLE_VERITY
    0x7211,  // FAT_IOCTL_SET_ATTRIBUTES
};
constexpr uint32_t kF2fsRequests = 0xF500;

// fcntl(2) commands that let one process block another's open(2). A blocked open(2) of the
// supervisor would block every call of the sandbox.
inline constexpr uint32_t kRefusedFileCommands[] = {
    1024,  // F_SETLEASE
    1036,  // F_SET_RW_HINT, a hint that stays with the file
    1040,  // F_SETDELEG, Linux 6.19
};

// fcntl(2) commands and ioctl(2) requests that select the process to receive a file's signals.
inline constexpr uint32_t kSignalOwnerCommands[] = {
    8,   // F_SETOWN
    15,  // F_SETOWN_EX
};
inline constexpr uint32_t kSignalOwnerRequests[] = {
    0x8901,  // FIOSETOWN
    0x8902,  // SIOCSPGRP
};
// SHM_LOCK of shmctl(2): the kernel counts the locked memory for all of the user's processes.
constexpr uint32_t kLockSharedMemory = 11;

// Flags of open(2) with which it can change something.
inline constexpr uint32_t kChangingOpenFlags[] = {
    01,     // O_WRONLY
    02,     // O_RDWR
    0100,   // O_CREAT
    01000,  // O_TRUNC
};

// Families of socket(2) that are useful without host privileges; all others are refused.
constexpr uint32_t kUnixFamily = 1;
constexpr uint32_t kInternetFamily = 2;
constexpr uint32_t kInternet6Family = 10;
constexpr uint32_t kNetlinkFamily = 16;  // only with protocol 0, NETLINK_ROUTE
constexpr uint32_t kFamilies = 48;       // above every family of the kernel (AF_MAX)

// Types of a Unix socketpair(2) whose ends can still send to any other address. The higher bits are
// flags.
inline constexpr uint32_t kAddressableSocketTypes[] = {
    2,  // SOCK_DGRAM
    3,  // SOCK_RAW, which the kernel turns into SOCK_DGRAM
};
constexpr uint32_t kSocketTypeBits = 0xF;
constexpr uint32_t kNetlinkProtocols = 32;  // MAX_LINKS

// Sockets that a process may create.
enum class SocketRules : uint8_t {
  kUsual,      // Unix, internet, routes
  kNoUnix,     // if the host's Unix sockets cannot be told from the sandbox's own
  kTcpOnly,    // TCP clients only, whose connections the supervisor makes
  kNoneAtAll,  // no network either, since it is the host's
};

// IPPROTO_TCP. A stream socket may also have protocol 0, which means TCP; MPTCP and SCTP are not
// restricted by Landlock.
constexpr uint32_t kTcpNumber = 6;
constexpr uint32_t kStreamType = 1;  // SOCK_STREAM
// A flag of sendto(2), sendmsg(2) and sendmmsg(2) by which they connect (TCP Fast Open), which
// neither Landlock nor a filter for connect(2) notices.
constexpr uint32_t kFastOpen = 0x20000000;  // MSG_FASTOPEN

// An option of setsockopt(2).
struct SocketOption {
  uint32_t level;
  uint32_t name;
};
// Options that send a connection to 127.0.0.1 to another machine: the device through which it
// leaves, and the hosts on its way (ip(7), socket(7)). Refused in SocketRules::kTcpOnly.
inline constexpr SocketOption kRefusedSocketOptions[] = {
    {1, 25},   // SO_BINDTODEVICE
    {1, 62},   // SO_BINDTOIFINDEX
    {0, 4},    // IP_OPTIONS: source routes
    {0, 50},   // IP_UNICAST_IF
    {41, 76},  // IPV6_UNICAST_IF
};

}  // namespace ringfence
