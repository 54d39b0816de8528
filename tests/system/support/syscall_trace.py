"""A program's calls as strace reports them, and the faults that can be injected into them."""

import re
import shutil
import subprocess

FILE_ERRORS = ("EACCES", "ENOMEM", "EIO", "ELOOP")
CHANGE_ERRORS = ("EACCES", "ENOSPC", "EIO", "EROFS")
ERRORS = {
    "open": ("EACCES", "EMFILE", "ENFILE", "ENOMEM", "EIO", "EINTR"),
    "read": ("EIO", "EINTR", "EISDIR", "EAGAIN"),
    "write": ("EIO", "ENOSPC", "EPIPE", "EINTR", "EAGAIN"),
    "stat": FILE_ERRORS, "fstat": ("EIO", "ENOMEM"), "readlink": FILE_ERRORS,
    "access": FILE_ERRORS, "getdents64": ("EIO", "ENOMEM"), "lseek": ("EINVAL", "ESPIPE"),
    "getcwd": ("ENOENT", "EACCES", "ENOMEM"),
    "mmap": ("ENOMEM", "EPERM"), "mprotect": ("ENOMEM",), "mremap": ("ENOMEM",),
    "munmap": ("ENOMEM",), "madvise": ("ENOMEM",),
    "rt_sigaction": ("EINVAL",), "rt_sigprocmask": ("EINVAL",),
    "sigaltstack": ("ENOMEM", "EINVAL"),
    "setitimer": ("EINVAL",), "setrlimit": ("EPERM",), "getrlimit": ("EINVAL",),
    "flock": ("EINTR", "ENOLCK", "EAGAIN"), "fcntl": ("EINTR", "ENOLCK", "EACCES"),
    "close": ("EIO", "EINTR"), "fsync": ("EIO", "ENOSPC"), "ftruncate": ("EIO", "ENOSPC"),
    "mkdir": CHANGE_ERRORS, "rename": CHANGE_ERRORS, "link": CHANGE_ERRORS,
    "unlink": CHANGE_ERRORS, "chmod": ("EPERM", "EIO"),
    "getrandom": ("EINTR", "ENOSYS"), "clock_gettime": ("EINVAL",),
    "uname": ("EFAULT",), "socket": ("EMFILE",), "connect": ("ECONNREFUSED",),
    "statfs": FILE_ERRORS, "poll": ("EINTR", "ENOMEM"), "": ("EIO", "ENOSYS"),
}
# Names of the same call in different libraries and kernel versions.
SAME_AS = {
    "openat": "open", "openat2": "open", "creat": "open",
    "pread64": "read", "readv": "read", "preadv": "read",
    "pwrite64": "write", "writev": "write",
    "lstat": "stat", "newfstatat": "stat", "statx": "stat", "fstatat64": "stat",
    "readlinkat": "readlink", "faccessat": "access", "faccessat2": "access",
    "prlimit64": "setrlimit", "timer_create": "setitimer", "timer_settime": "setitimer",
    "fdatasync": "fsync", "mkdirat": "mkdir", "renameat": "rename", "renameat2": "rename",
    "linkat": "link", "unlinkat": "unlink", "fchmod": "chmod", "fchmodat": "chmod",
    "fstatfs": "statfs", "ppoll": "poll", "clock_gettime64": "clock_gettime",
}
# The kernel never fails these, or the program has not started yet or has ended.
CANNOT_FAIL = {
    "execve", "exit", "exit_group", "rt_sigreturn", "arch_prctl", "set_tid_address",
    "set_robust_list", "rseq", "getpid", "gettid", "getppid", "getuid", "geteuid", "getgid",
    "getegid", "alarm", "umask", "sched_yield",
}
# Retried errors.
TRY_AGAIN = {"error=EINTR", "error=EAGAIN"}
# Reading continues after a failed close(); without munmap() and madvise() memory is only wasted,
# and without brk() it comes from elsewhere; musl blocks signals around sigaction() for threads'
# sake.
LOSES_NOTHING = {"close", "munmap", "madvise", "brk", "rt_sigprocmask"}
# musl sets this flag after an open that already set it, and keeps a free page below its heap. If
# the mount of a path is unknown, the whole mount table is read. Without its session's grants a call
# is decided by the policy files only.
LOSES_NOTHING_EITHER = ("F_SETFD, FD_CLOEXEC)", "PROT_NONE", "STATX_MNT_ID", "ringfence/sessions/")
# These errors mean that a name leads nowhere for this user, which is a fact about files: the
# event's own path is denied then, and a denied or protected path cannot be reached through it.
ABOUT_FILES = {"error=EACCES", "error=ELOOP"}
OWN_PATHS = ("/project", "/project/inner", "/project/src", "/project/src/a.txt")

EMPTY_PROGRAM = "int main() { return 0; }\n"
# Throwing links the memory that libstdc++ reserves before main().
EMPTY_CXX_PROGRAM = "int main(int argc, char**) { if (argc > 99) throw argc; }\n"


class Call:
    """One system call of a clean run. `number` counts calls of that name, like strace's `when`."""

    def __init__(self, position, name, number, text):
        self.position, self.name, self.number, self.text = position, name, number, text
        self.serves_log = False

    def errors(self):
        """The faults to inject, in strace's syntax."""
        if self.name in CANNOT_FAIL or self.text.startswith("brk(NULL)"):
            return ()
        if self.name == "brk":
            return ("retval=0",)  # brk reports failure by returning the old end
        errors = ERRORS[self.family if self.family in ERRORS else ""]
        ends_early = ("retval=0",) if self.family == "read" and not self.text.endswith("= 0") else ()
        return tuple(f"error={error}" for error in errors) + ends_early

    def loses_nothing(self, what):
        """True if the decision may stay the same despite this failure."""
        if any(text in self.text for text in LOSES_NOTHING_EITHER):
            return True
        if "O_DIRECTORY" in self.text and what in ABOUT_FILES:
            return True  # a listing: each name is looked up instead, denials stay (test_faults.py)
        looks = self.family in ("stat", "readlink")
        if looks and what in ABOUT_FILES:
            return re.search(r'"([^"]*)"', self.text)[1] not in OWN_PATHS
        return what in TRY_AGAIN or self.family in LOSES_NOTHING

    @property
    def family(self):
        return SAME_AS.get(self.name, self.name)

    def __str__(self):
        return f"call {self.position}, {self.text[:90]}"


def startup_programs():
    for compiler in ("musl-gcc", "cc"):
        for link in (["-static"], ["-static-pie", "-fPIE"]):
            if shutil.which(compiler):
                yield [compiler, *link, "-x", "c"], EMPTY_PROGRAM
    for link in (["-static"], ["-static-pie", "-fPIE"]):
        if shutil.which("c++"):
            yield ["c++", *link, "-x", "c++"], EMPTY_CXX_PROGRAM


def startup_calls(hook_names, program_file):
    """The number of calls before main(): as many as an empty program makes in the same order.
    Also the command that built the most similar program, written to `program_file`."""
    longest, which = 0, "none could be compiled"
    trace = program_file.with_suffix(".trace")
    for command, source in startup_programs():
        built = subprocess.run([*command, "-o", str(program_file), "-"], input=source.encode(),
                               stderr=subprocess.DEVNULL, check=False)
        if built.returncode != 0:
            continue
        subprocess.run(["strace", "-f", "-o", str(trace), str(program_file)], check=False)
        names = [call.name for call in parse_trace(trace.read_text().splitlines())]
        common = common_prefix(names[:-1], hook_names)
        if common > longest:
            longest, which = common, " ".join(command)
    return longest, which


def common_prefix(first, second):
    count = 0
    for one, other in zip(first, second):
        if one != other:
            break
        count += 1
    return count


def parse_trace(lines):
    calls, numbers = [], {}
    for line in lines:
        match = re.match(r"\d+\s+((\w+)\(.*)$", line)
        if match:
            name = match[2]
            numbers[name] = numbers.get(name, 0) + 1
            calls.append(Call(len(calls), name, numbers[name], match[1]))
    return calls


LOG_SOCKETS = ("/dev/.ringfence/log", "/run/systemd/journal/socket", '"/dev/log"',
               "AF_UNIX, SOCK_DGRAM", "<UNIX")


def mark_log_calls(calls):
    """From the first call that creates or opens the log, calls that name its directory serve
    only the log. Earlier ones check if the log is the event's target: they serve the decision.
    The socket that replaces the log inside a sandbox, and those of the system's own log, serve
    nothing else."""
    begun = False
    for call in calls:
        names_log = "LOG" in call.text
        writes = call.family in ("mkdir", "flock") or re.search(r"O_WRONLY|O_RDWR|O_CREAT",
                                                                call.text)
        begun = begun or bool(names_log and writes)
        call.serves_log = (begun and names_log) or any(name in call.text for name in LOG_SOCKETS)


def covered_from(signal, calls):
    """The position from which on `signal` always has a handler or is blocked."""
    handled, held_back, begin = False, False, None
    for call in calls:
        handled = handled or call.text.startswith(f"rt_sigaction({signal}, {{")
        change = re.match(r"rt_sigprocmask\((SIG_\w+), (~?)\[([^\]]*)\]", call.text)
        if change:
            is_named = (signal.removeprefix("SIG") in change[3].split()) != (change[2] == "~")
            if change[1] == "SIG_SETMASK" or is_named:
                held_back = is_named and change[1] != "SIG_UNBLOCK"
        if not (handled or held_back):
            begin = None
        elif begin is None:
            begin = call.position
    return len(calls) if begin is None else begin
