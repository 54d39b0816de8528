"""The targets of the escape probe: files, processes and sockets outside the sandbox.

    base/bin        copies of the programs
    base/home       a home with keys
    base/outside    files to be changed, each named after its row
    base/project    a repository with others in it; the command runs there

restore() restores all files, Look's methods report changes.
"""

import json
import os
import pathlib
import pty
import random
import resource
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
import tty

from escape_kernel import SessionKey, SharedMemory, own_mounts
from plain_world import World

MARK = "escaped\n"
UNTOUCHED = "untouched\n"
OLD = (1_500_000_000, 1_500_000_000)
INHERITED_DIRFD, INHERITED_FILEFD = 77, 78
# Read now: if root started this, an ordinary user may not be able to later.
VICTIM = pathlib.Path(__file__).with_name("escape_victim.py").read_text()
VICTIM_NAME = "ringfence-victim"
PYTHONS = (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3")

VICTIMS = ("write", "truncate", "open-trunc", "unlink", "chmod", "utimes", "setxattr", "rename",
           "symlink", "symlink-new", "hardlink", "old-hard-link", "proc-root", "dirfd", "filefd",
           "stream", "stream-out", "no-access")
REPOSITORIES = (".git", "sub/.git", "a/b/.git", "a/b/c/d/e/.git")
GIT_FILE = "gitdir: ../sub/.git\n"
FOLDERS = ("plain", "deep/er", "mnt", "pkg/.claude", "pkg/.github/workflows")


class Done:
    """The probe's result for one row, and how the command ended."""

    def __init__(self, row, output, errors, status):
        self.output, self.status, self.errors = output, status, errors.strip()
        self.verdict, self.detail = "", ""
        for line in output.splitlines():
            fields = line.split("\t")
            if len(fields) == 3 and fields[0] == row:
                self.verdict, self.detail = fields[1:]

    def of(self, row):
        """The result for another row of the same command."""
        return Done(row, self.output, self.errors, self.status)


class EscapeWorld(World):
    def __init__(self, base, probe):
        super().__init__(base)
        self.outside = self.base / "outside"
        self.probe_source = probe
        self.unique = f"ringfence-escape-{os.getpid()}-{random.randrange(1 << 30)}"
        self.secret = f"secret-{random.randrange(1 << 60):x}"
        self.tmp_file, self.tmp_socket = f"/tmp/{self.unique}", f"/tmp/{self.unique}.sock"
        self.devshm_file = f"/dev/shm/{self.unique}"
        self.victim = None
        self.key = SessionKey(self.secret.encode())
        self.memory = SharedMemory(random.randrange(1, 1 << 30))
        try:
            self.build()
        except BaseException:
            self.close()
            raise

    # -- building ------------------------------------------------------------------------------

    def build(self):
        for folder in (self.outside, self.outside / "run"):
            folder.mkdir()
        self.write(self.outside / "held", self.secret)
        self.start_victim()
        (self.outside / "run").chmod(0o555)
        self.restore()

    def start_victim(self):
        self.victim = subprocess.Popen(
            [next(path for path in PYTHONS if os.access(path, os.X_OK)), "-c", VICTIM,
             str(self.outside), str(self.home), self.tmp_socket, self.unique, VICTIM_NAME],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={"PATH": os.environ.get("PATH", ""), "VICTIM_SECRET": self.secret})
        self.numbers = json.loads(self.victim.stdout.readline())

    def write(self, path, text=UNTOUCHED, mode=0o644):
        super().write(path, text).chmod(mode)

    def restore(self):
        """Restores every file. The sockets stay: servers listen on them."""
        for folder in (self.project, self.outside, self.home):
            for path in folder.iterdir():
                if path.name not in ("run", "agent.sock", "held"):
                    remove(path)
        for name in (self.tmp_file, self.devshm_file):
            pathlib.Path(name).unlink(missing_ok=True)
        for name in VICTIMS:
            self.write(self.outside / name, mode=0o600)
            os.utime(self.outside / name, OLD)
        self.changed = {name: (self.outside / name).stat().st_ctime_ns for name in VICTIMS}
        os.mkfifo(self.outside / "fifo", 0o600)
        self.write(self.home / ".ssh/id_rsa", self.secret, 0o600)
        self.write(self.home / ".aws/credentials", self.secret, 0o600)
        self.write(self.home / ".bashrc")
        self.build_project()

    def build_project(self):
        for name in FOLDERS:
            (self.project / name).mkdir(parents=True)
        for name in REPOSITORIES:
            self.build_repository(self.project / name)
        self.write(self.project / "tree/.git", GIT_FILE)
        self.build_bare()
        self.write(self.project / ".env", self.secret, 0o600)
        self.write(self.project / "pkg/.claude/settings.json", "{}\n")
        self.write(self.project / "pkg/.github/workflows/ci.yml")
        (self.project / "link-to-outside").symlink_to(self.outside / "symlink")
        (self.project / "old-hooks-link").symlink_to(self.project / "sub/.git/hooks")
        (self.project / "old-hook-link").symlink_to(self.project / "sub/.git/hooks/pre-commit")
        (self.project / "old-hard-link").hardlink_to(self.outside / "old-hard-link")
        shutil.copy(self.probe_source, self.project / "escape_probe")
        (self.project / "escape_probe").chmod(0o755)

    def build_repository(self, git):
        for name in ("hooks", "info", "objects/info", "objects/pack", "refs/heads", "refs/tags"):
            (git / name).mkdir(parents=True)
        self.write(git / "HEAD", "ref: refs/heads/main\n")
        self.write(git / "config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
        self.write(git / "hooks/post-merge", "#!/bin/sh\n")

    def build_bare(self):
        """Repositories without a work tree: complete, without hooks, and one that lacks a part."""
        for name, folders in (("bare.git", ("objects", "refs", "hooks")),
                              ("bare-parts", ("objects", "refs")), ("bare-less", ("refs",))):
            for folder in folders:
                (self.project / name / folder).mkdir(parents=True)
            self.write(self.project / name / "HEAD", "ref: refs/heads/main\n")

    def values(self):
        return {**self.numbers, "project": self.project, "outside": self.outside,
                "home": self.home, "secret": self.secret, "victim_pid": self.victim.pid,
                "victim_name": VICTIM_NAME, "unix_abstract": self.unique,
                "unix_path": self.outside / "run/agent.sock", "unix_path_tmp": self.tmp_socket,
                "unix_datagram": self.outside / "run/datagram.sock",
                "unix_path_home": self.home / "agent.sock", "shm_key": self.memory.key,
                "key_serial": self.key.serial, "key_name": self.unique,
                "tmp_file": self.tmp_file, "devshm_file": self.devshm_file,
                "inherited_dirfd": INHERITED_DIRFD, "inherited_filefd": INHERITED_FILEFD,
                "listen_port": free_port(),
                "signals": resource.getrlimit(resource.RLIMIT_SIGPENDING)[1],
                "queues": resource.getrlimit(resource.RLIMIT_MSGQUEUE)[1]}

    def close(self):
        if self.victim:
            self.victim.stdin.close()
            try:
                self.victim.wait(5)
            except subprocess.TimeoutExpired:
                self.victim.kill()
                self.victim.wait()
        self.memory.close()
        for name in (self.tmp_file, self.tmp_socket, self.devshm_file):
            pathlib.Path(name).unlink(missing_ok=True)
        if (self.outside / "run").exists():
            (self.outside / "run").chmod(0o755)

    # -- running -------------------------------------------------------------------------------

    def run(self, row, command):
        """Runs the command, which prints the probe's result, and then checks the effects."""
        with Terminal() as terminal:
            values = {**self.values(), "pty": os.ttyname(terminal.slave)}
            self.write(self.project / "escape_fixture", "".join(
                f"{key}={value}\n" for key, value in values.items()))
            port = values["listen_port"] if row == "listen-reachable" else None
            with Caller(port) as caller, Streams(self, row, terminal) as streams:
                done = self.run_with(row, command, streams)
                return done, Look(self, caller, terminal, streams)

    def run_with(self, row, command, streams):
        inherit(self.outside, os.O_RDONLY | os.O_DIRECTORY, INHERITED_DIRFD)
        inherit(self.outside / "filefd", os.O_RDWR, INHERITED_FILEFD)

        def prepare():
            if row == "tiocsti":
                os.close(os.open(os.ttyname(0), os.O_RDWR))
            if os.geteuid() == 0:
                own_mounts()

        environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": str(self.home),
                       "LANG": "C.UTF-8", "AWS_SECRET_ACCESS_KEY": self.secret}
        try:
            with subprocess.Popen(
                    command, cwd=self.project, env=environment, start_new_session=True,
                    stdin=streams.input, stdout=subprocess.PIPE, stderr=streams.errors, text=True,
                    pass_fds=(INHERITED_DIRFD, INHERITED_FILEFD), preexec_fn=prepare) as process:
                try:
                    output, errors = process.communicate(timeout=30)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)  # in its own session
                    output, errors = process.communicate()
                    errors += "no end within 30 s"
                return Done(row, output, errors or "", process.returncode)
        finally:
            os.close(INHERITED_DIRFD)
            os.close(INHERITED_FILEFD)

    def reached(self):
        """Returns what has reached the victim since the last call."""
        self.victim.stdin.write("?\n")
        self.victim.stdin.flush()
        return json.loads(self.victim.stdout.readline())


class Look:
    """The effects visible from outside after a row. Each is queried once."""

    def __init__(self, world, caller, terminal, streams):
        self.world = world
        self.left_in_pipe = streams.left_in_pipe()
        self.left_in_fifo = read_at_once(streams.fifo)
        self.reached = world.reached()
        self.answered = caller.outcome()
        self.typed = terminal.typed
        self.shared = world.memory.taken_out()
        self.key_added = world.key.taken_out(world.unique)

    def outside(self, name):
        """True if a file outside has changed or is gone."""
        path = self.world.outside / name
        return not path.exists() or path.read_text() != UNTOUCHED

    def about(self, name):
        return (self.world.outside / name).stat()

    def attributes(self, name):
        try:
            return os.listxattr(self.world.outside / name)
        except OSError:
            return []

    def size(self, name):
        path = self.world.project / name
        return path.stat().st_size if path.exists() else 0

    def exists(self, name):
        return os.path.lexists(self.world.project / name)

    def executable(self, name):
        return bool((self.world.project / name).stat().st_mode & stat.S_IXUSR)

    def orphan_writes_on(self):
        before = self.size("orphan")
        time.sleep(0.5)
        if self.size("orphan") == before:
            return False
        time.sleep(2)  # it ends on its own
        return True


class Streams:
    """Standard input and errors of a row; standard output is a pipe, for the verdict.

    A terminal for tiocsti, which becomes the controlling one; files outside for x-stream-*;
    shared pipes for x-pipe-*; otherwise empty input, and a pipe. A FIFO outside has a reader.
    """

    def __init__(self, world, row, terminal):
        self.opened = []
        self.fifo = self.open(world.outside / "fifo", os.O_RDONLY | os.O_NONBLOCK)
        self.input, self.errors, self.shared = subprocess.DEVNULL, subprocess.PIPE, None
        if row == "tiocsti":
            self.input = terminal.slave
        elif row == "x-stream-directory":
            self.input = self.open(world.home, os.O_RDONLY | os.O_DIRECTORY)
        elif row.startswith("x-stream-"):
            self.input = self.open(world.outside / "stream", os.O_RDONLY)
            self.errors = self.open(world.outside / "stream-out", os.O_WRONLY | os.O_APPEND)
        elif row.startswith("x-pipe-"):
            self.shared, writes = os.pipe2(os.O_CLOEXEC)
            self.opened += [self.shared, writes]
            os.set_blocking(self.shared, False)
            if row == "x-pipe-write":
                self.input = self.shared
            else:
                self.errors = writes
                os.write(writes, world.secret.encode())

    def open(self, path, flags):
        self.opened.append(os.open(path, flags | os.O_CLOEXEC))
        return self.opened[-1]

    def left_in_pipe(self):
        return b"" if self.shared is None else read_at_once(self.shared)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for file in self.opened:
            os.close(file)


def read_at_once(file):
    try:
        return os.read(file, 4096)
    except BlockingIOError:
        return b""


class Terminal:
    """A terminal whose other end is ours. Injected input waits to be read from it."""

    def __enter__(self):
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.slave, False)
        return self

    @property
    def typed(self):
        try:
            return os.read(self.slave, 10)
        except BlockingIOError:
            return b""

    def __exit__(self, *_):
        os.close(self.master)
        os.close(self.slave)


class Caller:
    """Keeps trying to connect to a port, as a browser outside would."""

    def __init__(self, port):
        self.port, self.answered, self.over = port, False, False
        self.thread = threading.Thread(target=self.call) if port else None

    def call(self):
        while not self.over:
            try:
                with socket.socket() as connection:
                    connection.settimeout(10)
                    connection.connect(("127.0.0.1", self.port))
                    self.answered = connection.recv(8) == MARK.encode()
                    return
            except OSError:
                time.sleep(0.02)

    def __enter__(self):
        if self.thread:
            self.thread.start()
        return self

    def outcome(self):
        """True if it was answered. Called once the command has ended: no answer is on its way then."""
        self.over = True
        if self.thread:
            self.thread.join()
        return self.answered

    def __exit__(self, *_):
        self.outcome()


def inherit(path, flags, number):
    """Opens a file so that a child has it under that number."""
    file = os.open(path, flags)
    os.dup2(file, number)
    os.close(file)


def remove(path):
    if not path.is_dir() or path.is_symlink():
        path.unlink()
        return
    # A row may have closed its leftovers to their owner.
    for folder, _, _ in os.walk(path):
        os.chmod(folder, 0o700)
    shutil.rmtree(path)


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]
