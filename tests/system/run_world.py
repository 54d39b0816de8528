"""A home and a project for one `ringfence run`, and what of a run is left outside."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from hook_world import Report, SkipTest

NO_SANDBOX_STATUS = 125
END_SECONDS = 30


class RunWorld:
    def __init__(self, options, base, policy=None):
        self.options = options
        self.base = pathlib.Path(base)
        self.home, self.project = self.base / "home", self.base / "project"
        for folder in (self.home, self.project / "src"):
            folder.mkdir(parents=True, exist_ok=True)
        (self.project / "src/a.txt").write_text("a\n")
        self.policy = self.base / "policy.json"
        self.policy.write_text(json.dumps({"version": 1, **(policy or {})}))

    @property
    def environment(self):
        return {"HOME": str(self.home), "PATH": "/usr/local/bin:/usr/bin:/bin",
                "LANG": "C.UTF-8", "TERM": "xterm"}

    def command(self, *command, extra=()):
        return [self.options.ringfence, "run", "--policy", str(self.policy), *extra, "--",
                *map(str, command)]

    def start(self, command, **options):
        return subprocess.Popen(command, **{
            "cwd": self.project, "env": self.environment, "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True,
            "start_new_session": True, **options})

    def run(self, *command, extra=(), seconds=END_SECONDS, **options):
        """What a whole run came to: its status and its two outputs."""
        process = self.start(self.command(*command, extra=extra), **options)
        return finish(process, seconds)

    # -- what is left --------------------------------------------------------------------------

    def files(self):
        """All names of project, home and /tmp that a run could leave; the log is meant to grow."""
        found = {str(path) for folder in (self.project, self.home) for path in folder.rglob("*")}
        found |= {str(path) for path in pathlib.Path("/tmp").glob("ringfence-[0-9]*")
                  if is_own(path)}
        return {name for name in found if ".local" not in name}

    def processes(self):
        """Those that were started with a path of this folder, but for zombies."""
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if os.fsencode(self.base) in words and int(folder.name) not in own_processes():
                found.append(words.replace(b"\0", b" ").decode(errors="replace"))
        return found


def is_own(path):
    try:
        return path.stat().st_uid == os.getuid()
    except FileNotFoundError:
        return False


def own_processes():
    """This one and those that started it."""
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
        os.killpg(process.pid, signal.SIGKILL)  # a session of its own
        output, errors = process.communicate()
        return subprocess.CompletedProcess((), 124, output, errors + f"no end in {seconds} s")
    return subprocess.CompletedProcess((), process.returncode, output, errors)


def _run_case(case, options, base, patience):
    """With a world of its own, in which nothing may be left running after that many seconds."""
    with tempfile.TemporaryDirectory(dir=base) as folder:
        world = RunWorld(options, folder)
        case(world)
        late = time.monotonic() + patience
        while (left := world.processes()) and time.monotonic() < late:
            time.sleep(0.02)
        assert not left, f"left running: {left}"


def run_cases(cases, options, base, patience=0):
    """Name and function of each; those whose name holds `options.only`, where that is given."""
    report = Report()
    for name, case in cases:
        if options.only and options.only not in name:
            continue
        began = time.monotonic()
        try:
            _run_case(case, options, base, patience)
            report.check(name, "")
        except SkipTest as reason:
            report.skip(name, reason)
        except (AssertionError, OSError, ValueError) as problem:
            report.check(name, f"{type(problem).__name__}: {problem}")
        if getattr(options, "times", False):
            print(f"{time.monotonic() - began:5.1f} s {name}", flush=True)
    return report.finish()


def named(cases):
    return [(case.__name__.replace("_", " "), case) for case in cases]
