"""A home and a project for one `ringfence run`, and the leftovers of a run outside."""

import json
import os
import pathlib
import signal
import subprocess
import time

from plain_world import World

NO_SANDBOX_STATUS = 125
END_SECONDS = 30


class RunWorld(World):
    def __init__(self, base, programs, policy=None):
        super().__init__(base, programs)
        self.write("project/src/a.txt", "a\n")
        self.environment |= {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm"}
        self.policy = self.base / "policy.json"
        self.policy.write_text(json.dumps({"version": 1, **(policy or {})}))

    def command(self, *command, extra=()):
        return [self.programs.ringfence, "run", "--policy", str(self.policy), *extra, "--",
                *map(str, command)]

    def start(self, command, **options):
        return subprocess.Popen(command, **{
            "cwd": self.project, "env": self.environment, "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True,
            "start_new_session": True, **options})

    def run(self, *command, extra=(), seconds=END_SECONDS, **options):
        """The result of a complete run: its status and its two outputs."""
        process = self.start(self.command(*command, extra=extra), **options)
        return finish(process, seconds)

    # -- leftovers --------------------------------------------------------------------------------

    def files(self):
        """All names of project, home and /tmp that a run could leave; the log may grow."""
        found = {str(path) for folder in (self.project, self.home) for path in folder.rglob("*")}
        found |= {str(path) for path in pathlib.Path("/tmp").glob("ringfence-[0-9]*")
                  if is_own(path)}
        return {name for name in found if ".local" not in name}

    def processes(self):
        """The processes that were started with a path in this directory, except zombies."""
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if is_of_proxy(folder, words):
                continue
            if os.fsencode(self.base) in words and int(folder.name) not in own_processes():
                found.append(words.replace(b"\0", b" ").decode(errors="replace"))
        return found

    def left_running(self, patience=0):
        """The processes that have not ended after `patience` seconds."""
        late = time.monotonic() + patience
        while (left := self.processes()) and time.monotonic() < late:
            time.sleep(0.02)
        return left


def is_of_proxy(process, words):
    """True for the egress proxy and the holder of a network, which live on for some seconds."""
    try:
        name = (process / "comm").read_text().strip()
    except OSError:
        return True  # has just ended
    return name == "ringfence-net" or words.split(b"\0")[0].endswith(b"ringfence-proxy")


def is_own(path):
    try:
        return path.stat().st_uid == os.getuid()
    except FileNotFoundError:
        return False


def own_processes():
    """This process and its ancestors."""
    found, pid = set(), os.getpid()
    while pid > 1:
        found.add(pid)
        pid = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return found


def mounts():
    return pathlib.Path("/proc/self/mountinfo").read_text()


def finish(process, seconds=END_SECONDS):
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # in its own session
        output, errors = process.communicate()
        return subprocess.CompletedProcess((), 124, output, errors + f"no end in {seconds} s")
    return subprocess.CompletedProcess((), process.returncode, output, errors)
