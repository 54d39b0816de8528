"""Reasons why a machine itself refuses a row of the escape probe, without any sandbox."""

import os
import pathlib
import resource

# Features that few machines have, or that some hypervisors disable (where int 0x80 always causes
# SIGSEGV). Without the feature the row has no meaning; tests/sandbox/seccomp_filter_test.cc tests
# the filter with calls of other architectures on every machine. Root's pipes are not limited.
RARE = ("x-case", "x-x32-creat", "ia32-syscall", "x-ia32-creat", "sock-alg", "sysrq", "setuid-0",
        "x-pipe-pages")


def number_in(path):
    try:
        return int(pathlib.Path(path).read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return None


def limit_below(name, wanted):
    hard = resource.getrlimit(name)[1]
    return hard != resource.RLIM_INFINITY and hard < wanted


def memory_free():
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def no_namespaces():
    return number_in("/proc/sys/user/max_user_namespaces") == 0 or \
        number_in("/proc/sys/kernel/unprivileged_userns_clone") == 0 or \
        number_in("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1


# row -> (errors in the probe's detail, a question about the machine or None, the reason)
MACHINE = {
    "setxattr-outside": ("EOPNOTSUPP", None, "the file system has no user attributes"),
    "tiocsti": ("EIO", lambda: number_in("/proc/sys/dev/tty/legacy_tiocsti") == 0,
                "dev.tty.legacy_tiocsti is off"),
    "sysv-shm": ("ENOSYS", None, "the kernel has no System V shared memory"),
    "keyring-read": ("ENOSYS", None, "the kernel has no keys"),
    "add-key": ("ENOSYS EDQUOT", None, "the kernel has no keys, or the user no quota"),
    "ptrace-outside": ("EPERM", lambda: (number_in("/proc/sys/kernel/yama/ptrace_scope") or 0) > 1,
                       "kernel.yama.ptrace_scope"),
    "sock-vsock": ("EAFNOSUPPORT", None, "the kernel has no vsock"),
    "sock-alg": ("EAFNOSUPPORT", None, "the kernel has no AF_ALG"),
    "sock-netlink-nf": ("EPROTONOSUPPORT", None, "the kernel has no nfnetlink"),
    "new-userns": ("EPERM ENOSPC EACCES", no_namespaces, "user namespaces are off"),
    "userns-mount": ("EPERM ENOSPC EACCES", no_namespaces, "user namespaces are off"),
    "clone3-userns": ("EPERM ENOSPC EACCES", no_namespaces, "user namespaces are off"),
    "io-uring": ("ENOSYS EPERM", None, "io_uring is off"),
    "x-io-uring-openat": ("ENOSYS EPERM", None, "io_uring is off"),
    "userfaultfd": ("ENOSYS", None, "the kernel has no userfaultfd"),
    "ia32-syscall": ("ENOSYS SIGSEGV", None, "the kernel runs no 32-bit programs"),
    "x-ia32-creat": ("ENOSYS SIGSEGV", None, "the kernel runs no 32-bit programs"),
    "x-x32-creat": ("ENOSYS", None, "the kernel has no x32"),
    **{name: ("ENOSYS", None, "fchmodat2 came with Linux 6.6")
       for name in ("x-hook-fchmodat2", "x-hook-fchmodat2-fd", "x-stream-chmod-empty", "x-set-id-fchmodat2")},
    "x-tmpfile-link": ("EOPNOTSUPP", None, "the file system has no O_TMPFILE"),
    "x-tmpfile-link-empty": ("ENOENT EOPNOTSUPP", None, "linkat of a descriptor: Linux 6.10"),
    "dev-nodes": ("", lambda: os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv"),
                  "a container has no devices"),
    "fork-600": ("EAGAIN", lambda: limit_below(resource.RLIMIT_NPROC, 700),
                 "the user may not have 600 processes"),
    "mem-1gib": ("", lambda: memory_free() < 3 << 29, "1 GiB of memory is not free"),
    "fds-4096": ("EMFILE", lambda: limit_below(resource.RLIMIT_NOFILE, 4200),
                 "the hard limit of descriptors is below 4096"),
    "x-locked-memory": ("EPERM ENOMEM ENOSYS", None, "the user may lock no memory"),
    "x-message-queues": ("EMFILE ENOSYS", None, "the user's message queues are used up"),
    "x-terminals": ("ENOSPC EAGAIN ENOENT", None, "the machine has no 300 terminals"),
    "x-inotify-instances": ("EMFILE", None, "the user's instances are used up"),
    "x-pipe-pages": ("65536", lambda: number_in("/proc/sys/fs/pipe-user-pages-soft") != 16384,
                     "fs.pipe-user-pages-soft is another"),
    "handle-open": ("EOPNOTSUPP ENOSYS", None, "the file system has no handles"),
    "perf-event": ("ENOSYS ENOENT", None, "the kernel has no perf events"),
    "bpf-map": ("ENOSYS", None, "the kernel has no bpf"),
    "sysrq": ("ENOENT EROFS", None, "there is no sysrq"),
    "cgroup-mkdir": ("ENOENT EROFS", None, "there is no writable cgroup hierarchy"),
    "kmsg-read": ("EPERM ENOENT", None, "the kernel's log is closed"),
}


def machine_refuses(row, result):
    """The reason why this machine itself refuses a row, or ""."""
    if result.verdict == "skipped":
        return result.detail
    errors, question, reason = MACHINE.get(row.name, ("", None, ""))
    if question:
        return reason if question() else ""
    return reason if any(name in result.detail for name in errors.split()) else ""
