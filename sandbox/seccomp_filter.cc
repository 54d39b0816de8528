#include "sandbox/seccomp_filter.h"

namespace ringfence {
namespace {

constexpr CallName kRefused[] = {
    // the mount API (mount(2), fsopen(2), open_tree(2)) and the root
    {"mount"},
    {"umount2"},
    {"pivot_root"},
    {"chroot"},
    {"move_mount"},
    {"open_tree"},
    {"open_tree_attr", 467},
    {"fsopen"},
    {"fsconfig"},
    {"fsmount"},
    {"fspick"},
    {"mount_setattr"},
    {"quotactl"},
    {"quotactl_fd"},
    {"swapon"},
    {"swapoff"},
    {"acct"},
    {"sysfs"},
    {"_sysctl"},
    {"open_by_handle_at"},
    {"fanotify_init"},
    {"lookup_dcookie"},
    {"nfsservctl"},
    {"uselib"},
    // namespaces by descriptor
    {"setns"},
    // the kernel and the machine
    {"bpf"},
    {"perf_event_open"},
    {"userfaultfd"},
    {"kexec_load"},
    {"kexec_file_load"},
    {"init_module"},
    {"finit_module"},
    {"delete_module"},
    {"create_module"},
    {"query_module"},
    {"get_kernel_syms"},
    {"reboot"},
    {"syslog"},
    {"settimeofday"},
    {"stime"},
    {"clock_settime"},
    {"clock_adjtime"},
    {"adjtimex"},
    {"sethostname"},
    {"setdomainname"},
    {"iopl"},
    {"ioperm"},
    {"vhangup"},
    {"modify_ldt"},
    {"vm86"},
    {"vm86old"},
    {"move_pages"},
    {"migrate_pages"},
    // keyrings, which have no namespace
    {"add_key"},
    {"request_key"},
    {"keyctl"},
    // internals of other processes; calls that a debugger needs for its own children stay
    {"kcmp"},
    {"process_madvise"},
};

constexpr CallName kAbsent[] = {
    {"clone3"},  // its flags are in memory, which a filter cannot read
    // their attributes are in memory as well
    {"setxattrat", 463},
    {"removexattrat", 466},
    {"file_setattr", 469},
    {"io_uring_setup"},
    {"io_uring_enter"},
    {"io_uring_register"},
    {"statmount", 457},
    {"listmount", 458},
};

constexpr CallName kBeyondLandlock[] = {
    {"shmget"}, {"shmat"},      {"shmctl"}, {"shmdt"},  {"semget"}, {"semop"},   {"semctl"},
    {"msgget"}, {"semtimedop"}, {"msgsnd"}, {"msgrcv"}, {"msgctl"}, {"mq_open"}, {"mq_unlink"},
};

constexpr CallName kSupervised[] = {
    {"creat"},        {"truncate"},     {"mkdir"},     {"mkdirat"},   {"mknod"},
    {"mknodat"},      {"symlink"},      {"symlinkat"}, {"link"},      {"linkat"},
    {"rename"},       {"renameat"},     {"renameat2"}, {"unlink"},    {"unlinkat"},
    {"rmdir"},        {"chmod"},        {"fchmod"},    {"fchmodat"},  {"fchmodat2", 452},
    {"bind"},         {"setxattr"},     {"lsetxattr"}, {"fsetxattr"}, {"removexattr"},
    {"lremovexattr"}, {"fremovexattr"}, {"chown"},     {"lchown"},    {"fchown"},
    {"fchownat"},     {"utime"},        {"utimes"},    {"futimesat"}, {"utimensat"},
};

constexpr CallName kSignals[] = {
    {"kill"},
    {"tkill"},
    {"tgkill"},
    {"pidfd_send_signal"},
    {"rt_sigqueueinfo"},
    {"rt_tgsigqueueinfo"},
};

constexpr CallName kSupervisorsOwn[] = {{"pidfd_getfd"}};

constexpr uint32_t kNamespaces[] = {
    0x00020000,  // CLONE_NEWNS
    0x02000000,  // CLONE_NEWCGROUP
    0x04000000,  // CLONE_NEWUTS
    0x08000000,  // CLONE_NEWIPC
    0x10000000,  // CLONE_NEWUSER
    0x20000000,  // CLONE_NEWPID
    0x40000000,  // CLONE_NEWNET
};

constexpr uint32_t kTerminalRequests[] = {
    0x5412,  // TIOCSTI
    0x541C,  // TIOCLINUX
    0x5423,  // TIOCSETD
};

// The lower half of a request: its type and number.
constexpr uint32_t kSubvolumeRequests[] = {
    0x9401,  // BTRFS_IOC_SNAP_CREATE
    0x940E,  // BTRFS_IOC_SUBVOL_CREATE
    0x940F,  // BTRFS_IOC_SNAP_DESTROY
    0x9417,  // BTRFS_IOC_SNAP_CREATE_V2
    0x9418,  // BTRFS_IOC_SUBVOL_CREATE_V2
    0x941A,  // BTRFS_IOC_SUBVOL_SETFLAGS
    0x9425,  // BTRFS_IOC_SET_RECEIVED_SUBVOL
    0x943F,  // BTRFS_IOC_SNAP_DESTROY_V2
};

constexpr uint32_t kFileRequests[] = {
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

constexpr uint32_t kFileCommands[] = {
    1024,  // F_SETLEASE
    1036,  // F_SET_RW_HINT, a hint that stays with the file
    1040,  // F_SETDELEG, Linux 6.19
};

constexpr uint32_t kSignalOwnerCommands[] = {
    8,   // F_SETOWN
    15,  // F_SETOWN_EX
};

constexpr uint32_t kSignalOwnerRequests[] = {
    0x8901,  // FIOSETOWN
    0x8902,  // SIOCSPGRP
};

constexpr uint32_t kAddressableSocketTypes[] = {
    2,  // SOCK_DGRAM
    3,  // SOCK_RAW, which the kernel turns into SOCK_DGRAM
};

constexpr uint32_t kOpenFlags[] = {
    01,     // O_WRONLY
    02,     // O_RDWR
    0100,   // O_CREAT
    01000,  // O_TRUNC
};

}  // namespace

std::span<const CallName> RefusedCalls() { return kRefused; }
std::span<const CallName> AbsentCalls() { return kAbsent; }
std::span<const CallName> CallsBeyondLandlock() { return kBeyondLandlock; }
std::span<const CallName> SupervisedCalls() { return kSupervised; }
std::span<const CallName> SignalCalls() { return kSignals; }
std::span<const CallName> SupervisorsOwnCalls() { return kSupervisorsOwn; }
std::span<const uint32_t> NamespaceFlags() { return kNamespaces; }
std::span<const uint32_t> RefusedTerminalRequests() { return kTerminalRequests; }
std::span<const uint32_t> RefusedSubvolumeRequests() { return kSubvolumeRequests; }
std::span<const uint32_t> RefusedFileRequests() { return kFileRequests; }
std::span<const uint32_t> RefusedFileCommands() { return kFileCommands; }
std::span<const uint32_t> SignalOwnerCommands() { return kSignalOwnerCommands; }
std::span<const uint32_t> SignalOwnerRequests() { return kSignalOwnerRequests; }
std::span<const uint32_t> AddressableSocketTypes() { return kAddressableSocketTypes; }
std::span<const uint32_t> ChangingOpenFlags() { return kOpenFlags; }

}  // namespace ringfence
