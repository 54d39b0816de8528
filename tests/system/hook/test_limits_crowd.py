"""Many concurrent hooks on one audit log, some of them killed."""

import os
import random
import signal
import subprocess
import time

import pytest

from hook_world import HookWorld

pytestmark = pytest.mark.serial

CROWD = 1000
FIRST = 100  # show how fast this machine serves a crowd
SAFE_SECONDS = 1.25  # of the five that each hook has; a busy host of virtual machines takes some
ROTATING = 300
KILLED = 400
SAMPLES = 21


class Crowd:
    """Hooks that start together when release() opens the gate. A hook's own deadline begins when it
    starts, so it does not run while the others are being created."""

    GATE = 'read -r _; exec "$@" <"$0"'

    def __init__(self, tools, world, count):
        self.world, self.hooks = world, []
        events = [world.base / "denied.json", world.base / "permitted.json"]
        events[0].write_bytes(world.denied_event())
        events[1].write_bytes(world.permitted_event())
        gate, self.open_end = os.pipe()
        for number in range(count):
            command = ["/bin/sh", "-c", self.GATE, str(events[number % 2]),
                       *world.command(tools.hook)]
            with open(world.base / f"out.{number}", "wb") as output:
                self.hooks.append(subprocess.Popen(
                    command, stdin=gate, stdout=output, stderr=output, env=world.environment,
                    cwd=world.project))
        os.close(gate)

    def release(self):
        os.close(self.open_end)

    def problems(self):
        """Every hook must give the same answer as alone."""
        wrong = []
        for number, hook in enumerate(self.hooks):
            status = hook.wait()
            said = (self.world.base / f"out.{number}").read_bytes()
            is_right = said == b"" if number % 2 else b'"deny"' in said
            if status != 0 or not is_right:
                wrong.append(f"hook {number}: status {status}, {said[:80]!r}")
        return wrong


def release_crowd(tools, checks, count, **world_options):
    """The resulting number of log files."""
    with HookWorld(**world_options) as world:
        crowd = Crowd(tools, world, count)
        began = time.monotonic()
        crowd.release()
        answers = crowd.problems()
        seconds = time.monotonic() - began
        lines, problems = world.log_lines()
        files = len(world.log_files())
    print(f"{count} hooks in {seconds:.2f} s, {len(lines)} lines in {files} files", flush=True)
    lost = "" if len(lines) == count else f"{len(lines)} lines of {count}"
    checks.check("answers", "; ".join(answers[:3]))
    checks.check("log", "; ".join(problems[:3]))
    checks.check("no line lost", lost)
    return files


def served_in_time(tools):
    """How many this machine can serve within the deadline that all of them share, at most CROWD."""
    with HookWorld() as world:
        crowd = Crowd(tools, world, FIRST)
        began = time.monotonic()
        crowd.release()
        crowd.problems()
        seconds = time.monotonic() - began
    return max(FIRST, min(CROWD, int(FIRST * SAFE_SECONDS / seconds)))


def test_thousand_concurrent_hooks(tools, checks):
    """Fewer on a machine that is too slow to run a thousand processes within the deadline."""
    release_crowd(tools, checks, served_in_time(tools))


def test_hooks_that_rotate_the_log(tools, checks):
    files = release_crowd(tools, checks, ROTATING, rotate="4K")
    checks.check("it was rotated", files < 2 and f"{files} file")


def start(tools, world):
    return subprocess.Popen(world.command(tools.hook), stdin=subprocess.PIPE,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            env=world.environment, cwd=world.project)


def send_event(hook, event):
    hook.stdin.write(event)
    hook.stdin.close()


def usual_seconds(tools, world, event):
    """The median time from the event to the end on this machine."""
    seconds = []
    for _ in range(SAMPLES):
        hook = start(tools, world)
        time.sleep(0.002)  # by now it waits for its event
        began = time.perf_counter()
        send_event(hook, event)
        hook.wait()
        seconds.append(time.perf_counter() - began)
    return sorted(seconds)[SAMPLES // 2]


def kill_some(tools, world, seed):
    """Starts hooks, eight at a time, and kills each after a different delay. Returns the number
    that had ended before, including the samples."""
    random.seed(seed)
    event = world.denied_event()
    longest = 1.5 * usual_seconds(tools, world, event)
    ended = SAMPLES
    for _ in range(KILLED // 8):
        hooks = [start(tools, world) for _ in range(8)]
        for hook in hooks:
            send_event(hook, event)
            until = time.perf_counter() + random.uniform(0, longest)
            while time.perf_counter() < until:
                pass
            hook.kill()
        ended += sum(hook.wait() != -signal.SIGKILL for hook in hooks)
    return ended


@pytest.mark.parametrize("rotate", ("64M", "4K"))
def test_hooks_that_are_killed(rotate, tools, checks):
    with HookWorld(rotate=rotate) as world:
        seed = time.time_ns() % 100_000
        ended = kill_some(tools, world, seed)
        answer = world.run(tools.hook, world.denied_event())
        lines, problems = world.log_lines(some_killed=True)
    killed = KILLED + SAMPLES - ended
    print(f"rotation at {rotate}: {killed} of {KILLED} hooks killed, {len(lines)} lines",
          flush=True)
    seeded = f" (seed {seed})"
    checks.check("the next one", "" if answer.verdict == "denied" else str(answer))
    checks.check("the log", "; ".join(problems[:3]) + seeded if problems else "")
    checks.check("no line lost",
                 len(lines) < ended + 1 and f"{len(lines)} lines, {ended + 1} hooks ended" + seeded)
    checks.check("some were killed, some not", killed in (0, KILLED) and f"{killed} killed")
