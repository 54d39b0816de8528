"""Fails every system call of the setup of `ringfence run`, and kills the launcher at each of them.

tests/probes/fail_call.c fails one call of one process: of the launcher (0), of the first process of
the sandbox (1), or of the command before it is executed (2). Each run must exit with status 125,
print one line with the reason, and not run the command. After the failure of a harmless call
(HARMLESS), the command runs normally. If the launcher is killed at any time, the command must only
have ended. No process, mount or file may be left.
"""

import collections
import errno
import json
import os
import pathlib
import random
import re
import signal
import time
import types

import pytest

from child import Child
from ordinary_user import place_with
from run_world import NO_SANDBOX_STATUS, RunWorld, finish, mounts

# Runs alone: the calls of a start depend on what other processes create in /tmp.
pytestmark = pytest.mark.serial

ERRORS = (errno.EIO, errno.ENOSYS)
LAUNCHER, FIRST, COMMAND = range(3)
KILLED = 128 + signal.SIGKILL
RANDOM_KILLS = 40
NO_SUCH_CALL, FEW = 201, 10

ANY = ERRORS
# (process, call): the harmless errors, and why.
HARMLESS = {
    (LAUNCHER, "uname"): (ANY, "the kernel's name is for people"),
    (LAUNCHER, "getrandom"): (ANY, "a name that only --layers landlock uses"),
    (LAUNCHER, "newfstatat"): (ANY, "inside another sandbox a second one cannot be set up anyway; "
                                    "the C library asks how much to read at a time"),
    (LAUNCHER, "stat"): (ANY, "more folders are looked through for sockets"),
    (LAUNCHER, "prlimit64"): (ANY, "it cannot fail"),
    (LAUNCHER, "geteuid"): (ANY, "it cannot fail, and another user's id is refused"),
    (LAUNCHER, "getegid"): (ANY, "it cannot fail, and another group's id is refused"),
    (LAUNCHER, "ioctl(TCGETS)"): (ANY, "what cannot be asked is no terminal"),
    (LAUNCHER, "ioctl(TIOCGWINSZ)"): (ANY, "what cannot be asked is no terminal"),
    (LAUNCHER, "pipe2"): ((errno.ENOSYS,), "the C library takes pipe(2)"),
    (FIRST, "umask"): (ANY, "it cannot fail"),
    (FIRST, "getpid"): (ANY, "it cannot fail"),
    (FIRST, "openat2"): ((errno.ENOSYS,), "where it is not there, open(2) is"),
    (FIRST, "faccessat2"): (ANY, "what comes after it fails by itself"),
    (FIRST, "keyctl"): ((errno.ENOSYS,), "a kernel without keys has none to leave"),
    (FIRST, "prctl(PR_GET_SECUREBITS)"): (ANY, "the bits are set then"),
    (FIRST, "ioctl(SECCOMP_IOCTL_NOTIF_SET_FLAGS)"): (ANY, "it is slower without"),
    (COMMAND, "set_robust_list"): (ANY, "the C library's own, after fork(2)"),
    (COMMAND, "umask"): (ANY, "it cannot fail"),
    (COMMAND, "prctl(PR_GET_SECUREBITS)"): (ANY, "the bits are set then"),
    (COMMAND, "access"): (ANY, "the test of itself tries more, not less"),
    (COMMAND, "clone3"): ((errno.ENOSYS,), "that is what it has to say"),
    (None, "close"): (ANY, "all are closed once more before the command starts"),
    (None, "fcntl(F_SETFD)"): (ANY, "musl says once more what open(2) was told"),
    (None, "signalfd4"): ((errno.ENOSYS,), "the C library takes signalfd(2)"),
    (None, "munmap"): (ANY, "memory is wasted"),
    (None, "mmap"): (ANY, "memory is got in another way"),
}
# A failure of these is not reported as an error number.
NOT_FAILED = ("brk",)
# The arguments of these calls determine if they matter.
ASKED = {("prctl", 0, 27): "prctl(PR_GET_SECUREBITS)",
         ("fcntl", 1, 2): "fcntl(F_SETFD)",
         ("ioctl", 1, 0x5401): "ioctl(TCGETS)",
         ("ioctl", 1, 0x5413): "ioctl(TIOCGWINSZ)",
         ("ioctl", 1, 0x40082104): "ioctl(SECCOMP_IOCTL_NOTIF_SET_FLAGS)"}
# Documented statuses besides 125: a program that cannot be executed, and, before anything is set
# up, a file of the policy that cannot be checked.
STATUS = {(COMMAND, "execve"): (126,)}
PLANNING = (NO_SANDBOX_STATUS, 2)

# Makes the command's own processes recognizable; they do not end on their own.
STAYS = ("import os, sys, time\n"
         "for _ in range(2):\n"
         "    if os.fork() == 0:\n"
         "        os.setsid()\n"
         "        if os.fork() == 0: break\n"
         "        time.sleep(600)\n"
         "open('ran', 'w').close()\n"
         "time.sleep(600)\n")

Call = collections.namedtuple("Call", "process number which first second")


def call_names():
    for name in ("asm/unistd_64.h", "x86_64-linux-gnu/asm/unistd_64.h"):
        path = pathlib.Path("/usr/include") / name
        if path.exists():
            rows = re.findall(r"#define __NR_(\w+) (\d+)", path.read_text())
            return {int(number): name for name, number in rows}
    return {}


class Faults:
    """The launcher with a fault. `found`: the checks, and their problems."""

    def __init__(self, programs, base):
        self.world = RunWorld(base, programs)
        self.names = call_names()
        self.found = []
        self.files, self.mounts = self.world.files(), mounts()
        self.absent = 0
        self.planning = set()  # the launcher's calls for making the plan
        self.calls = self.setup_calls()

    def what(self, call):
        name = self.names.get(call.number, str(call.number))
        return ASKED.get((name, 0, call.first)) or ASKED.get((name, 1, call.second)) or name

    def name(self, call):
        who = ("launcher", "first process", "command")[call.process]
        return f"{who}, {self.what(call)} {call.which}"

    def traced(self, *fault, command=("/usr/bin/touch", "ran")):
        words = [self.world.programs.fail_call, *map(str, fault)]
        return finish(self.world.start([*words, *self.world.command(*command)]))

    # -- the calls of a clean run ----------------------------------------------------------------

    def setup_calls(self):
        self.traced("list")  # the first run creates the log
        self.has_run()
        done = self.traced("list")
        rows = [Call(*map(int, line.split()[1:])) for line in done.stderr.splitlines()
                if line.startswith("call ")]
        assert done.returncode == 0 and self.has_run(), f"undisturbed: {done.stderr[-300:]}"
        return [call for process, begin, end in (
            (LAUNCHER, "uname", "clone"), (FIRST, None, "signalfd4"), (COMMAND, None, "execve"))
                for call in self.between(rows, process, begin, end)]

    def between(self, rows, process, begin, end):
        """The calls of a process, from one call to the one that ends its setup."""
        calls = [call for call in rows if call.process == process]
        names = [self.what(call) for call in calls]
        first = names.index(begin) if begin else 0
        if process == LAUNCHER:
            self.planning = set(calls[:names.index("socketpair")])
        # The call after the last one is the launcher's close of the other end.
        return calls[first:names.index(end, first) + 1 + (process == LAUNCHER)]

    def has_run(self):
        ran = self.world.project / "ran"
        has = ran.exists()
        ran.unlink(missing_ok=True)
        return has

    # -- requirements -----------------------------------------------------------------------------

    def left(self):
        """Leftovers of a run, except what the command created, after killed processes have gone."""
        for _ in range(100):
            processes = self.world.processes()
            if not processes:
                break
            time.sleep(0.05)
        problems = [f"left running: {processes}"] if processes else []
        self.has_run()
        files = self.world.files()
        if files - self.files:
            problems.append(f"left behind: {sorted(files - self.files)}")
        if mounts() != self.mounts:
            problems.append("mounts have changed")
        return problems

    def problem(self, call, error, done):
        ran, problems = self.has_run(), self.left()
        what = self.what(call)
        harmless = HARMLESS.get((call.process, what)) or HARMLESS.get((None, what)) or ((), "")
        if error in harmless[0] and (done.returncode, ran) == (0, True):
            return "; ".join(problems)
        if done.returncode not in self.statuses(call):
            problems.append(f"status {done.returncode}")
        if ran:
            problems.append("the command was run")
        lines = [line for line in done.stderr.splitlines() if not line.startswith("Hint: ")]
        if len(lines) != 1 or not lines[0].startswith("ringfence: "):
            problems.append("says: " + done.stderr.strip()[:300])
        return "; ".join(problems)

    def statuses(self, call):
        if call in self.planning:
            return PLANNING
        return STATUS.get((call.process, self.what(call)), (NO_SANDBOX_STATUS,))

    def fail_each(self):
        for call in self.calls:
            if self.what(call) in NOT_FAILED:
                continue
            for error in ERRORS:
                done = self.traced(*call[:3], error)
                self.check(f"{self.name(call)}: {errno.errorcode[error]}", done,
                           self.problem(call, error, done))

    # -- killed ----------------------------------------------------------------------------------

    def kill_at_each(self):
        for call in self.calls[::3]:
            done = self.traced(*call[:3], "kill")
            problems = self.left()
            if done.returncode != KILLED:
                problems.append(f"status {done.returncode}")
            self.check(f"killed at {self.name(call)}", done, "; ".join(problems))

    def check(self, name, done, problem):
        """The number of reads of a file in /proc depends on what else runs on this machine."""
        gone = done.returncode == NO_SUCH_CALL
        if gone:
            self.absent += 1
        self.found.append((name, problem if not gone or self.absent > FEW else ""))

    def kill_at_times(self, seed):
        """Kills while the command and its grandchildren, in separate sessions, are at work."""
        dice = random.Random(seed)
        python = "/usr/bin/python3"
        for number in range(RANDOM_KILLS):
            process = self.world.start(self.world.command(python, "-c", STAYS, self.world.base))
            time.sleep(dice.uniform(0, 0.15))
            if number % 4 == 0:
                self.wait_until_run()
            os.kill(process.pid, signal.SIGKILL)
            finish(process)
            self.found.append((f"killed at some time, {number}", "; ".join(self.left())))

    def wait_until_run(self):
        for _ in range(200):
            if (self.world.project / "ran").exists():
                return
            time.sleep(0.05)
        raise AssertionError("the command does not start")

    # -- a kernel without Landlock -----------------------------------------------------------------

    def without_landlock(self):
        """The launcher refuses; with "missing": "warn" it reports what is missing, but never
        runs without any layer."""
        call = next(call for call in self.calls if self.what(call) == "landlock_create_ruleset")
        for missing, layers, status in (("refuse", "full", 125), ("refuse", "landlock", 125),
                                        ("warn", "full", 0), ("warn", "landlock", 125)):
            self.world.policy.write_text(json.dumps(
                {"version": 1, "sandbox": {"missing": missing, "layers": layers}}))
            # Landlock is not built in, or not enabled at boot.
            for error in (errno.ENOSYS, errno.EOPNOTSUPP):
                name = errno.errorcode[error].replace("ENOTSUP", "EOPNOTSUPP")
                done = self.traced(*call[:3], error)
                said = ("not enforced: " if status == 0 else "Landlock is missing",
                        f"file rules: landlock_create_ruleset: {name}")
                well = (done.returncode, self.has_run()) == (status, status == 0)
                if not all(text in done.stderr for text in said):
                    well = False
                self.found.append((f"no Landlock: {missing}, {layers}, {name}", "" if well else f"{done}"))

    def after(self, action, *arguments):
        """Runs an action and returns its findings."""
        self.found = []
        getattr(self, action)(*arguments)
        return self.found


@pytest.fixture(name="faults", scope="module")
def fixture_faults(pytestconfig):
    options = pytestconfig.option
    programs = types.SimpleNamespace(ringfence=str(options.ringfence),
                                     fail_call=os.path.join(options.probes, "fail_call"))
    if not os.path.exists(programs.fail_call):
        pytest.skip("fail_call is for x86-64")
    if not call_names():
        pytest.skip("there are no headers with the numbers of system calls")
    with place_with(programs, ("ringfence", "fail_call")) as place, \
            Child(lambda: Faults(programs, place), place) as child:
        yield child


@pytest.mark.parametrize("action", ("fail_each", "kill_at_each", "kill_at_times", "without_landlock"))
def test_faults(action, faults, pytestconfig, checks):
    seed = pytestconfig.option.seed
    arguments = (1 if seed is None else seed,) if action == "kill_at_times" else ()
    for name, problem in faults.call("after", action, *arguments):
        checks.check(name, problem)
