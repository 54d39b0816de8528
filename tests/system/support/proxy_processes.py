"""The processes of a test's egress proxy, as the kernel shows them."""

import os
import pathlib
import time

PATIENCE = 180  # seconds; only bounds a hang


def until(condition, what):
    """The first true value of the condition."""
    late = time.monotonic() + PATIENCE
    while time.monotonic() < late:
        if value := condition():
            return value
        time.sleep(0.02)
    raise AssertionError(f"{what}: not within {PATIENCE} s")


class Process:
    def __init__(self, pid):
        self.pid = pid
        self.folder = pathlib.Path(f"/proc/{pid}")

    def lives(self):
        try:
            return self.folder.joinpath("stat").read_text(encoding="ascii").rsplit(") ", 1)[1][0] not in "ZX"
        except OSError:
            return False

    def parent(self):
        return int(self.folder.joinpath("stat").read_text(encoding="ascii").rsplit(") ", 1)[1].split()[1])

    def kib(self, name):
        """A figure of /proc/PID/status, in KiB."""
        for line in self.folder.joinpath("status").read_text(encoding="ascii").splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1])
        return 0

    def descriptor_limit(self):
        for line in self.folder.joinpath("limits").read_text(encoding="ascii").splitlines():
            if line.startswith("Max open files"):
                return int(line.split()[3])
        return 0

    def first_free_descriptor(self):
        used = {int(name) for name in os.listdir(self.folder / "fd")}
        return next(number for number in range(len(used) + 1) if number not in used)

    def descriptors(self):
        return len(os.listdir(self.folder / "fd"))

    def ticks(self):
        """Processor time that it has used, in clock ticks."""
        fields = self.folder.joinpath("stat").read_text(encoding="ascii").rsplit(") ", 1)[1].split()
        return int(fields[11]) + int(fields[12])


def children_of(pid):
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        process = Process(int(path.name))
        try:
            if process.parent() == pid and process.lives():
                found.append(process)
        except OSError:
            pass  # has just ended
    return found


def words_of(process):
    try:
        return process.folder.joinpath("cmdline").read_bytes().split(b"\0")
    except OSError:
        return [b""]


def parent_of(world):
    """The parent of the world's sessions; None if none runs."""
    program = os.fsencode(os.path.join(os.path.dirname(world.programs.ringfence), "ringfence-proxy"))
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        process = Process(int(path.name))
        if words_of(process) == [program, b""] and process.lives():
            return process
    return None


def sessions_of(world):
    """(broker, worker) of each session whose network is used."""
    parent = parent_of(world)
    brokers = children_of(parent.pid) if parent else []
    return [(broker, worker) for broker in brokers for worker in children_of(broker.pid)]


def launchers_of(world):
    program = os.fsencode(world.programs.ringfence)
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        process = Process(int(path.name))
        if words_of(process)[:2] == [program, b"run"] and process.lives():
            found.append(process)
    return found
