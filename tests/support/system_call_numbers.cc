#include "tests/support/system_call_numbers.h"

#include <sys/syscall.h>

#include <algorithm>
#include <iterator>

namespace ringfence {
namespace {

struct Known {
  std::string_view name;
  int number;
};

// Old calls that some architectures never had, and new ones that are missing from older headers.
constexpr Known kKnown[] = {
    {"mount", SYS_mount},
    {"umount2", SYS_umount2},
    {"pivot_root", SYS_pivot_root},
    {"chroot", SYS_chroot},
    {"move_mount", SYS_move_mount},
    {"open_tree", SYS_open_tree},
    {"fsopen", SYS_fsopen},
    {"fsconfig", SYS_fsconfig},
    {"fsmount", SYS_fsmount},
    {"fspick", SYS_fspick},
    {"mount_setattr", SYS_mount_setattr},
    {"quotactl", SYS_quotactl},
    {"quotactl_fd", SYS_quotactl_fd},
    {"swapon", SYS_swapon},
    {"swapoff", SYS_swapoff},
    {"acct", SYS_acct},
    {"open_by_handle_at", SYS_open_by_handle_at},
    {"fanotify_init", SYS_fanotify_init},
    {"lookup_dcookie", SYS_lookup_dcookie},
    {"nfsservctl", SYS_nfsservctl},
    {"setns", SYS_setns},
    {"bpf", SYS_bpf},
    {"perf_event_open", SYS_perf_event_open},
    {"userfaultfd", SYS_userfaultfd},
    {"kexec_load", SYS_kexec_load},
    {"kexec_file_load", SYS_kexec_file_load},
    {"init_module", SYS_init_module},
    {"finit_module", SYS_finit_module},
    {"delete_module", SYS_delete_module},
    {"reboot", SYS_reboot},
    {"syslog", SYS_syslog},
    {"settimeofday", SYS_settimeofday},
    {"clock_settime", SYS_clock_settime},
    {"clock_adjtime", SYS_clock_adjtime},
    {"adjtimex", SYS_adjtimex},
    {"sethostname", SYS_sethostname},
    {"setdomainname", SYS_setdomainname},
    {"vhangup", SYS_vhangup},
    {"move_pages", SYS_move_pages},
    {"migrate_pages", SYS_migrate_pages},
    {"add_key", SYS_add_key},
    {"request_key", SYS_request_key},
    {"keyctl", SYS_keyctl},
    {"kcmp", SYS_kcmp},
    {"process_madvise", SYS_process_madvise},
    {"kill", SYS_kill},
    {"tkill", SYS_tkill},
    {"tgkill", SYS_tgkill},
    {"pidfd_send_signal", SYS_pidfd_send_signal},
    {"rt_sigqueueinfo", SYS_rt_sigqueueinfo},
    {"rt_tgsigqueueinfo", SYS_rt_tgsigqueueinfo},
    {"clone3", SYS_clone3},
    {"io_uring_setup", SYS_io_uring_setup},
    {"io_uring_enter", SYS_io_uring_enter},
    {"io_uring_register", SYS_io_uring_register},
    {"truncate", SYS_truncate},
    {"mkdirat", SYS_mkdirat},
    {"mknodat", SYS_mknodat},
    {"symlinkat", SYS_symlinkat},
    {"linkat", SYS_linkat},
    {"renameat", SYS_renameat},
    {"renameat2", SYS_renameat2},
    {"unlinkat", SYS_unlinkat},
    {"fchmod", SYS_fchmod},
    {"fchmodat", SYS_fchmodat},
    {"bind", SYS_bind},
    {"fchown", SYS_fchown},
    {"fchownat", SYS_fchownat},
    {"utimensat", SYS_utimensat},
    {"setxattr", SYS_setxattr},
    {"lsetxattr", SYS_lsetxattr},
    {"fsetxattr", SYS_fsetxattr},
    {"removexattr", SYS_removexattr},
    {"lremovexattr", SYS_lremovexattr},
    {"fremovexattr", SYS_fremovexattr},
    {"pidfd_getfd", SYS_pidfd_getfd},
#ifdef SYS_open_tree_attr
    {"open_tree_attr", SYS_open_tree_attr},
#endif
#ifdef SYS_sysfs
    {"sysfs", SYS_sysfs},
#endif
#ifdef SYS__sysctl
    {"_sysctl", SYS__sysctl},
#endif
#ifdef SYS_uselib
    {"uselib", SYS_uselib},
#endif
#ifdef SYS_create_module
    {"create_module", SYS_create_module},
#endif
#ifdef SYS_query_module
    {"query_module", SYS_query_module},
#endif
#ifdef SYS_get_kernel_syms
    {"get_kernel_syms", SYS_get_kernel_syms},
#endif
#ifdef SYS_stime
    {"stime", SYS_stime},
#endif
#ifdef SYS_iopl
    {"iopl", SYS_iopl},
#endif
#ifdef SYS_ioperm
    {"ioperm", SYS_ioperm},
#endif
#ifdef SYS_modify_ldt
    {"modify_ldt", SYS_modify_ldt},
#endif
#ifdef SYS_vm86
    {"vm86", SYS_vm86},
#endif
#ifdef SYS_vm86old
    {"vm86old", SYS_vm86old},
#endif
#ifdef SYS_statmount
    {"statmount", SYS_statmount},
#endif
#ifdef SYS_listmount
    {"listmount", SYS_listmount},
#endif
#ifdef SYS_creat
    {"creat", SYS_creat},
#endif
#ifdef SYS_mkdir
    {"mkdir", SYS_mkdir},
#endif
    {"shmget", SYS_shmget},
    {"shmat", SYS_shmat},
    {"shmctl", SYS_shmctl},
    {"shmdt", SYS_shmdt},
    {"semget", SYS_semget},
    {"semop", SYS_semop},
    {"semctl", SYS_semctl},
    {"semtimedop", SYS_semtimedop},
    {"msgget", SYS_msgget},
    {"msgsnd", SYS_msgsnd},
    {"msgrcv", SYS_msgrcv},
    {"msgctl", SYS_msgctl},
    {"mq_open", SYS_mq_open},
    {"mq_unlink", SYS_mq_unlink},
#ifdef SYS_mknod
    {"mknod", SYS_mknod},
#endif
#ifdef SYS_symlink
    {"symlink", SYS_symlink},
#endif
#ifdef SYS_link
    {"link", SYS_link},
#endif
#ifdef SYS_rename
    {"rename", SYS_rename},
#endif
#ifdef SYS_unlink
    {"unlink", SYS_unlink},
#endif
#ifdef SYS_rmdir
    {"rmdir", SYS_rmdir},
#endif
#ifdef SYS_chmod
    {"chmod", SYS_chmod},
#endif
#ifdef SYS_chown
    {"chown", SYS_chown},
    {"lchown", SYS_lchown},
#endif
#ifdef SYS_utime
    {"utime", SYS_utime},
    {"utimes", SYS_utimes},
    {"futimesat", SYS_futimesat},
#endif
#ifdef SYS_fchmodat2
    {"fchmodat2", SYS_fchmodat2},
#endif
};

#if defined(__x86_64__)
constexpr std::string_view kMissing[] = {"stime", "vm86", "vm86old"};
#else
constexpr std::string_view kMissing[] = {
    "sysfs", "_sysctl", "uselib",     "create_module", "query_module", "get_kernel_syms", "stime",
    "iopl",  "ioperm",  "modify_ldt", "vm86",          "vm86old",      "creat",           "mkdir",
    "mknod", "symlink", "link",       "rename",        "unlink",       "rmdir",           "chmod",
    "chown", "lchown",  "utime",      "utimes",        "futimesat",
};
#endif

}  // namespace

std::optional<int> SystemCallNumber(std::string_view name) {
  const auto* known = std::ranges::find(kKnown, name, &Known::name);
  if (known == std::end(kKnown)) return {};
  return known->number;
}

bool IsNotOfThisArchitecture(std::string_view name) {
  return std::ranges::find(kMissing, name) != std::end(kMissing);
}

}  // namespace ringfence
