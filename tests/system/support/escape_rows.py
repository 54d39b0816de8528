"""The rows of the escape probe: the effect outside when one succeeds, the rows that an ordinary
user can do without a sandbox, and rows with accepted results."""

import dataclasses
import pathlib
from typing import Callable, Optional

from escape_fixture import GIT_FILE, MARK, OLD, UNTOUCHED

HOOK = "hooks/pre-commit"


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    # Succeeds for an ordinary user without a sandbox; otherwise only for root, if at all.
    open_to_all: bool
    # Evaluated on a Look; if there is none, the probe's own result counts.
    seen: Optional[Callable] = None

    @property
    def function(self):
        return self.name.startswith("fn-")


def rows_of(open_to_all, table):
    return [Row(name, open_to_all, seen) for name, seen in table.items()]


def words(text, seen=None):
    return dict.fromkeys(text.split(), seen)


def exists(*names):
    return lambda look: any(look.exists(name) for name in names)


def outside(name):
    return lambda look: look.outside(name)


def reached(name):
    return lambda look: look.reached.get(name, 0) > 0


def text_of(look, name):
    path = look.world.project / name
    return path.read_text() if path.is_file() else None


def config_changed(name):
    """The content has changed, or the file is gone."""
    return lambda look: not (text_of(look, name) or "").endswith("bare = false\n")


def gone_or_changed(name, text):
    return lambda look: text_of(look, name) != text


FILES = {
    "write-outside": outside("write"),
    "create-outside": lambda look: (look.world.outside / "created").exists(),
    "truncate-outside": outside("truncate"),
    "open-trunc-outside": outside("open-trunc"),
    "unlink-outside": outside("unlink"),
    "chmod-outside": lambda look: look.about("chmod").st_mode & 0o777 != 0o600,
    "utimes-outside": lambda look: look.about("utimes").st_mtime != OLD[1],
    "setxattr-outside": lambda look: bool(look.attributes("setxattr")),
    "rename-out": lambda look: (look.world.outside / "came-out").exists(),
    "rename-in": outside("rename"),
    "symlink-write": outside("symlink"),
    "symlink-new-write": outside("symlink-new"),
    "hardlink-in": outside("hardlink"),
    "hardlink-old-write": outside("old-hard-link"),
    "proc-root-write": outside("proc-root"),
    "inherited-dirfd": outside("dirfd"),
    "inherited-filefd": outside("filefd"),
    "tmp-visible": lambda look: pathlib.Path(look.world.tmp_file).exists(),
    "devshm-visible": lambda look: pathlib.Path(look.world.devshm_file).exists(),
    "home-rc-write": lambda look: (look.world.home / ".bashrc").read_text() != UNTOUCHED,
}

NAMES = {
    "git-hook-create": exists(".git/" + HOOK),
    "git-config-replace": config_changed(".git/config"),
    "git-config-write": config_changed(".git/config"),
    "git-hooks-move": exists(".git/" + HOOK, ".git/hooks-old"),
    "git-dir-replace": exists(".git/" + HOOK, "git-old"),
    "git-hook-sub": exists("sub/.git/" + HOOK),
    "git-sub-move": exists("sub/.git/" + HOOK, "sub-moved/.git/" + HOOK),
    "git-hook-depth2": exists("a/b/.git/" + HOOK),
    "git-hook-depth5": exists("a/b/c/d/e/.git/" + HOOK),
    "claude-settings-new": exists(".claude/settings.json"),
    "mcp-json-new": exists(".mcp.json"),
    "vscode-tasks-new": exists(".vscode/tasks.json"),
    "envrc-new": exists(".envrc"),
}

PROCESSES = {
    "signal-outside": reached("signal"),
    "ptrace-outside": reached("memory"),
    "proc-mem-outside": reached("memory"),
    "vm-write-outside": reached("memory"),
    "pidfd-getfd": None,
    "orphan-survives": lambda look: look.orphan_writes_on(),
    "tiocsti": lambda look: bool(look.typed),
}

NETWORK = {
    "tcp-loopback": reached("tcp"),
    "udp-loopback": reached("udp"),
    "listen-reachable": lambda look: look.answered,
    "unix-abstract": reached("abstract"),
    "unix-path": reached("path"),
    "unix-path-tmp": reached("tmp"),
    "unix-path-home": reached("home"),
    "sysv-shm": lambda look: bool(look.shared),
}

DEEP = "deep/er/"
MORE_NAMES = {
    "x-claude-local-new": exists(".claude/settings.local.json"),
    "x-claude-settings-deep": exists(DEEP + ".claude/settings.json"),
    "x-claude-local-deep": exists(DEEP + ".claude/settings.local.json"),
    "x-mcp-json-deep": exists(DEEP + ".mcp.json"),
    "x-vscode-tasks-deep": exists(DEEP + ".vscode/tasks.json"),
    "x-envrc-deep": exists(DEEP + ".envrc"),
    "x-husky-new": exists(".husky/pre-commit"),
    "x-husky-deep": exists(DEEP + ".husky/pre-commit"),
    "x-workflow-new": exists(".github/workflows/new.yml"),
    "x-ringfence-new": exists(".ringfence/policy.json"),
    "x-ringfence-deep": exists(DEEP + ".ringfence/policy.json"),
    "x-commondir": exists(".git/commondir"),
    "x-commondir-sub": exists("sub/.git/commondir"),
    "x-git-dir-new": exists("plain/.git/" + HOOK),
    "x-git-file-new": exists("plain/.git"),
    **words("x-git-file-write x-git-file-replace x-git-file-link x-git-file-away",
            gone_or_changed("tree/.git", GIT_FILE)),
    "x-bare-hook": exists("bare.git/" + HOOK),
    "x-bare-hooks-rename": exists("bare-parts/" + HOOK),
    "x-bare-part-rename": exists("bare-less/objects"),
    "x-claude-settings-write": gone_or_changed("pkg/.claude/settings.json", "{}\n"),
    "x-claude-settings-replace": gone_or_changed("pkg/.claude/settings.json", "{}\n"),
    "x-workflow-write": gone_or_changed("pkg/.github/workflows/ci.yml", UNTOUCHED),
    "x-mcp-json-rename": exists(DEEP + ".mcp.json"),
    **words("x-config-write-sub x-config-replace x-config-truncate x-config-open-trunc "
            "x-config-unlink x-config-away", config_changed("sub/.git/config")),
    **words("x-hook-chmod x-hook-fchmod x-hook-fchmodat2 x-hook-fchmodat2-fd x-hook-chmod-proc-fd",
            lambda look: look.executable("sub/.git/hooks/post-merge")),
    "x-git-rename-new": exists("plain/.git"),
    "x-git-rename-nested": exists("sub/.git/" + HOOK, "sub/git-old"),
    "x-hooks-rename-nested": exists("sub/.git/" + HOOK, "sub/hooks-old"),
    "x-git-out-and-back": config_changed("sub/.git/config"),
    "x-hooks-out-and-back": exists("sub/.git/" + HOOK, "sub/hooks"),
    "x-exchange-top": exists(".git/" + HOOK),
    "x-exchange-nested": exists("sub/.git/" + HOOK),
    "x-claude-rename": exists(DEEP + ".claude"),
    "x-vscode-rename": exists(DEEP + ".vscode"),
    "x-husky-rename": exists(DEEP + ".husky"),
    "x-github-rename": exists(DEEP + ".github"),
    "x-ringfence-rename": exists(DEEP + ".ringfence"),
    "x-parent-rename": exists(DEEP + ".github/workflows"),
    "x-git-symlink": exists("plain/.git"),
    "x-hook-symlink": exists("sub/.git/" + HOOK),
    "x-envrc-symlink": exists(DEEP + ".envrc"),
    "x-config-hardlink-top": config_changed(".git/config"),
    "x-config-hardlink": config_changed("sub/.git/config"),
    "x-hardlink-new-name": exists(DEEP + ".mcp.json"),
    "x-tmpfile-link": exists("sub/.git/" + HOOK),
    "x-tmpfile-link-empty": exists(DEEP + ".mcp.json"),
    "x-socket-bind": exists(DEEP + ".mcp.json"),
    "x-fifo": exists(DEEP + ".envrc"),
    "x-mknod": exists(DEEP + ".mcp.json"),
}

MORE_WAYS = {
    **words("x-case x-path-dots", exists("sub/.git/" + HOOK)),
    "x-path-slash": exists("plain/.husky"),
    **words("x-path-absolute x-path-long x-path-page-end x-path-proc-cwd x-path-proc-root "
            "x-link-parent x-link-dangling", exists("sub/.git/" + HOOK)),
    "x-link-config": config_changed("sub/.git/config"),
    **words("x-link-old-parent x-link-old-dangling x-link-old-rename x-link-old-moved",
            exists("sub/.git/" + HOOK)),
    **words("x-dirfd-git x-dirfd-hooks x-dirfd-dotdot x-dirfd-proc x-dirfd-rename x-chdir-git",
            exists("sub/.git/" + HOOK)),
    **words("x-reopen-proc x-reopen-thread x-reopen-dev x-reopen-opath x-reopen-stdin",
            config_changed("sub/.git/config")),
    **words("x-openat2 x-openat2-in-root x-legacy-open x-legacy-creat x-legacy-rename x-x32-creat "
            "x-ia32-creat x-io-uring-openat x-vfork x-thread-cwd x-thread-files "
            "x-thread-without-first", exists("sub/.git/" + HOOK)),
}

TREE = "tree-new/"


def left_alone(look):
    """Files for editors without the repository that permitted them."""
    project = look.world.project
    leads_elsewhere = (text_of(look, TREE + ".git") or "").startswith("gitdir: ../.git")
    return look.exists(TREE + ".vscode/tasks.json") and (
        not (project / TREE / ".git").exists() or leads_elsewhere)


OWN_TREES = {
    **words("x-level-github x-level-workflows x-level-twice", exists(".github/workflows/x.yml")),
    "x-level-cursor": exists(".cursor/mcp.json"),
    "x-level-deep": exists(DEEP + ".github/workflows/x.yml"),
    **words("x-tree-undone x-tree-renamed x-tree-shared x-tree-rewritten x-tree-rewritten-open "
            "x-tree-replaced", left_alone),
    **words("fn-x-remove-tree fn-x-remove-linked-tree"),
}


def set_id(look):
    path = look.world.project / "set-id"
    return path.exists() and path.stat().st_mode & 0o6000 != 0


def later(name):
    return lambda look: look.about(name).st_ctime_ns != look.world.changed[name]


STREAMS = {
    **words("x-stream-chmod x-stream-chmod-proc x-stream-chmod-copy x-stream-chmod-empty",
            lambda look: look.about("stream").st_mode & 0o777 != 0o600),
    **words("x-stream-times x-stream-times-proc x-stream-times-empty",
            lambda look: look.about("stream").st_mtime != OLD[1]),
    **words("x-stream-xattr x-stream-xattr-proc", lambda look: bool(look.attributes("stream"))),
    **words("x-stream-owner x-stream-owner-proc x-stream-owner-empty x-stream-flags",
            later("stream")),
    **words("x-stream-write x-stream-truncate x-stream-open-truncate",
            outside("stream")),
    "x-stream-set-user": lambda look: look.about("stream-out").st_mode & 0o6000 != 0,
    "x-stream-directory": outside("write"),
    "x-pipe-write": lambda look: MARK.encode() in look.left_in_pipe,
    "x-pipe-read": lambda look: look.world.secret.encode() not in look.left_in_pipe,
    "x-fifo-outside-write": lambda look: MARK.encode() in look.left_in_fifo,
    **words("x-set-id-chmod x-set-id-fchmod x-set-id-fchmodat2 x-set-group-id x-set-id-open "
            "x-set-id-creat x-set-id-mknod x-set-id-unnamed", set_id),
}

RACES = {
    "x-race-creat": exists("race/.mcp.json"),
    "x-race-mkdir": exists("race/.husky"),
    "x-race-rename": exists("race/.envrc"),
    "x-race-symlink": exists("race/.envrc"),
    "x-race-link": exists("race/.envrc"),
    **words("x-race-links x-race-folder-link x-race-links-rename x-race-dirfd x-race-cwd",
            exists("sub/.git/" + HOOK)),
}

# Rights that Landlock added after its first versions; without namespaces it is the only protection.
LATE_IN_LANDLOCK = {
    **words("x-tkill x-tgkill x-pidfd-signal x-sigqueue x-tgsigqueue x-setown x-setown-ex x-fiosetown",
            reached("signal")),
    "x-open-trunc-no-access": outside("no-access"),
    "x-socketpair-datagram": reached("datagram"),
    **words("fn-x-signals-itself fn-x-signals-children"),
}

ROWS = [
    *rows_of(True, FILES),
    *rows_of(True, NAMES),
    *rows_of(True, words("read-ssh-key read-aws-creds read-dotenv-cwd env-secret "
                         "read-proc-environ see-outside-pid")),
    *rows_of(True, PROCESSES),
    *rows_of(True, NETWORK),
    *rows_of(True, words("keyring-read")),
    *rows_of(False, words("sock-raw sock-packet")),
    *rows_of(True, words("sock-vsock")),
    *rows_of(False, words("sock-alg")),
    *rows_of(True, words("sock-netlink-nf no-new-privs-off")),
    *rows_of(False, words("caps-held setuid-0 mount mount-new-api remount-rw umount")),
    *rows_of(True, words("new-userns userns-mount clone3-userns")),
    *rows_of(False, words("chroot bpf-map")),
    *rows_of(True, {"io-uring": None, "add-key": lambda look: look.key_added,
                    "userfaultfd": None}),
    *rows_of(False, words("perf-event handle-open")),
    *rows_of(True, words("memfd-exec proc-self-mem-write ia32-syscall")),
    *rows_of(False, words("sysrq core-pattern sysctl-write kmsg-read cgroup-mkdir")),
    *rows_of(True, words("dev-nodes fork-600 mem-1gib fds-4096 x-lease")),
    *rows_of(True, words("x-terminals x-inotify-instances x-queued-signals x-message-queues "
                         "x-locked-memory x-core-limit x-lock-outside x-fds-in-flight "
                         "x-pipe-pages")),
    *rows_of(True, words("fn-write-cwd fn-mkfifo-cwd fn-tmp-write fn-devnull fn-urandom "
                         "fn-posix-sem fn-pty-open fn-proc-self fn-socketpair fn-unix-inside "
                         "fn-tcp-inside fn-ptrace-child fn-hardlink-cwd fn-rename-across-dirs "
                         "fn-exec-cwd")),
    *rows_of(True, MORE_NAMES),
    *rows_of(True, MORE_WAYS),
    *rows_of(True, RACES),
    *rows_of(True, words("fn-x-fifo-open fn-x-fifo-signals fn-x-fifo-end fn-x-threads "
                         "fn-x-processes fn-x-signals fn-x-not-dumpable "
                         "fn-x-thread-without-first fn-x-vfork fn-x-dev-stdout fn-x-dev-tty "
                         "fn-x-locks fn-x-exec-after-write fn-x-open-flags fn-x-errors "
                         "fn-x-lowest-fd fn-x-umask fn-x-dangling-link fn-x-long-path "
                         "fn-x-git-commit fn-x-git-commit-sub fn-x-similar-names")),
    *rows_of(True, OWN_TREES),
    *rows_of(True, STREAMS),
    *rows_of(False, words("x-device-chmod x-device-times")),
    *rows_of(True, words("fn-x-devices")),
    *rows_of(True, LATE_IN_LANDLOCK),
]

# Ways out of a network, and to the processes that serve it; tried together.
NETWORK_NAMES = [name for name in (*NETWORK, *PROCESSES, *LATE_IN_LANDLOCK, *words(
    "read-proc-environ see-outside-pid keyring-read sock-raw sock-packet sock-vsock sock-alg "
    "sock-netlink-nf no-new-privs-off caps-held setuid-0 mount new-userns userns-mount clone3-userns "
    "io-uring handle-open sysctl-write fn-socketpair fn-unix-inside fn-tcp-inside"))
    # These need a start of their own.
    if name not in ("listen-reachable", "tiocsti", "orphan-survives")]

# Open inside the sandbox, with the reason why that is accepted.
ACCEPTED = {
    "hardlink-old-write": "the host gave the file a name in the project",
    "memfd-exec": "what is started from memory is confined as well",
    "proc-self-mem-write": "a process may change its own memory; debuggers need it",
    "fds-4096": "descriptors of one process; its memory is limited",
    "x-lock-outside": "cargo, git and databases lock files that they only read",
    "x-fds-in-flight": "the kernel counts them for the user, and has no other limit than RLIMIT_NOFILE",
    "x-pipe-pages": "the kernel counts them for the user, and has no limit for a namespace",
    "x-git-file-new": "a clone or a worktree that a build makes below the project is a new .git",
    "fn-x-signals": "before a call has reached the supervisor, a handler without SA_RESTART ends "
                    "it with EINTR; the kernel has no other way",
}

# The same with `--layers landlock`, which has no view, process namespace or network of its own.
ACCEPTED_LANDLOCK = {
    **{name: why for name, why in ACCEPTED.items() if name != "proc-self-mem-write"},
    "read-dotenv-cwd": "Landlock knows no exception below a place that may be written",
    "see-outside-pid": "the host's /proc is seen",
    "x-inotify-instances": "without a user namespace the kernel has one count for the user",
    "dev-nodes": "the host's /dev is seen; what is in it cannot be opened",
    "fn-tmp-write": "/tmp is the host's; $TMPDIR names a folder of the run's own",
    "fn-posix-sem": "/dev/shm is the host's",
    "fn-pty-open": "/dev/pts is the host's, with what is typed at every terminal of the user's",
    "fn-x-dev-tty": "the same",
    "fn-unix-inside": "without a network of its own there are no sockets",
    "fn-tcp-inside": "without a network of its own there are no sockets",
    "fn-x-not-dumpable": "without a user namespace nobody reads such a process's arguments",
}

# The same for root.
ACCEPTED_LANDLOCK_ROOT = {
    **ACCEPTED_LANDLOCK,
    "fork-600": "the kernel does not limit root's processes without a user namespace or a cgroup",
}

# These may end their command: the limit ends all of it.
ENDS_THE_COMMAND = ("mem-1gib", "fork-600")
# The sandbox does not start at all.
REFUSED_AT_START = ("x-stream-directory",)
