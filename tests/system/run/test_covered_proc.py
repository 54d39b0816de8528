"""`ringfence run` where a part of /proc is covered, as in most containers: the kernel then
refuses to mount a new one.
"""

import json
import os
import subprocess
import time

import pytest

from sandbox import Sandbox

pytestmark = pytest.mark.users("ordinary", "root")

# Runs the rest of its arguments with a part of /proc covered.
COVER = """
for folder in scsi acpi driver fs; do
  if [ -d /proc/$folder ] && mount -t tmpfs none /proc/$folder; then exec "$@"; fi
done
exit 77
"""
WARN = {"version": 1, "sandbox": {"missing": "warn"}}


class Container(Sandbox):
    def __init__(self, world, policy):
        super().__init__(world)
        world.write(world.policy, json.dumps(policy))
        self.seen = world.write(world.project / "seen", "")

    def run(self, command, *options, text=None, env=None):
        # An ordinary user needs a user namespace to cover anything.
        own = ["-r", "-U"] if self.user is not None or os.geteuid() != 0 else []
        self.prefix = ["unshare", *own, "-m", "-p", "-f", "--mount-proc", "sh", "-c", COVER, "sh"]
        done = super().run(command, *options, text=text, env=env)
        if done.returncode == 77:
            pytest.skip("nothing of /proc can be covered here")
        return done


def test_a_covered_proc_stops_the_start_with_a_hint(world):
    container = Container(world, {"version": 1})
    done = container.run(["sh", "-c", "echo ran > seen"])
    assert done.returncode == 125, done
    assert "own processes: mount(/proc): EPERM" in done.stderr, done.stderr
    assert "systempaths=unconfined" in done.stderr, done.stderr
    assert container.seen.read_text() == ""


def test_missing_warn_enforces_the_other_layers(world):
    container = Container(world, WARN)
    lines = ["open('x', 'w')", f"open({str(world.project / 'new')!r}, 'w')",
             "open('/proc/sys/kernel/hostname', 'w')", "os.kill(1, 9)", "os.kill(os.getppid(), 9)",
             "open('/proc/1/environ').read()", "open('/proc/1/mem', 'r+b')",
             "os.listdir('/proc/1/root')", "os.listdir(f'/proc/{os.getppid()}/root')",
             "os.listdir(f'/proc/{os.getppid()}/cwd')"]
    became = container.attempts(lines)
    assert [became[line] == "done" for line in lines] == [False, True] + [False] * 8, became
    done = container.run(["true"])
    assert "not enforced" in done.stderr and "mount(/proc)" in done.stderr, done.stderr


def test_background_processes_end_if_proc_is_covered(world):
    container = Container(world, WARN)
    mark = f"{os.getpid()}.{time.monotonic_ns()}"
    done = container.run(["sh", "-c", f"(setsid sh -c 'sleep 1000; : {mark}' &) ; echo started"])
    assert done.stdout == "started\n", done
    found = subprocess.run(["pgrep", "-f", mark], capture_output=True, text=True, check=False)
    assert found.stdout == "", found.stdout


def test_background_processes_end_with_landlock_alone(world):
    sandbox = Sandbox(world)
    mark = f"{os.getpid()}.{time.monotonic_ns()}"
    lines = ["os.kill(os.getppid(), 9)", "os.kill(os.getpid(), 0)"]
    became = sandbox.attempts(lines, "--layers", "landlock")
    assert [became[line] == "done" for line in lines] == [False, True], became
    done = sandbox.run(["sh", "-c", f"(setsid sh -c 'sleep 1000; : {mark}' &) ; echo started"],
                       "--layers", "landlock")
    assert done.stdout == "started\n", done
    found = subprocess.run(["pgrep", "-f", mark], capture_output=True, text=True, check=False)
    assert found.stdout == "", found.stdout


def test_the_agent_works_if_proc_is_covered(world):
    container = Container(world, WARN)
    works = ["open('.claude/todos/x', 'w')", "os.mkdir('.claude.json.lock')",
             "open('.claude.json', 'w')", "os.utime('.claude.json.lock')"]
    refused = ["open('.profile', 'w')", "os.listdir('/dev/.ringfence/saved')"]
    became = container.attempts(works + refused, "--agent")
    assert [line for line in works if became[line] != "done"] == [], became
    assert [line for line in refused if became[line] == "done"] == [], became
