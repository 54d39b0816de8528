"""The hook while it waits: for an event that does not come or does not end, for a reader of its
answer, or for a lock. Its own deadline ends the wait. The tests mostly wait, so all of them run
at once.
"""

import concurrent.futures
import fcntl
import itertools
import os
import subprocess
import threading

import pytest

from hook_world import Answer, HookWorld
from limits_tools import PATIENCE, exit_2, full_pipe, run_into

pytestmark = [pytest.mark.serial, pytest.mark.xdist_group("waits")]
WAITING = {}


def waits(function):
    """Registers a test, which returns a problem or a list of (name, problem)."""
    WAITING[function.__name__.replace("_", " ")] = function
    return function


@waits
def policy_that_is_a_pipe(tools):
    with HookWorld() as world:
        world.policy.unlink()
        os.mkfifo(world.policy)
        return exit_2(world.run(tools.hook, world.permitted_event(), timeout=PATIENCE))


@waits
def full_pipe_as_stdout(tools):
    with HookWorld() as world:
        reader, writer = full_pipe(True)
        try:
            return run_into(tools, world, writer)
        finally:
            os.close(reader)


@waits
def full_pipe_as_stderr(tools):
    with HookWorld() as world:
        reader, writer = full_pipe(True)
        try:
            return exit_2(world.run(tools.hook, b"{", stderr=writer, timeout=PATIENCE))
        finally:
            os.close(reader)
            os.close(writer)


def fed(tools, world, chunks, pause):
    """A run whose input arrives in `chunks` with a pause after each."""
    with subprocess.Popen(world.command(tools.hook), stdin=subprocess.PIPE, bufsize=0,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=world.environment, cwd=world.project) as process:
        has_ended = threading.Event()

        def feed():
            try:
                for chunk in chunks:
                    process.stdin.write(chunk)
                    if has_ended.wait(pause):
                        return
                process.stdin.close()
            except OSError:
                pass  # the hook has ended

        feeder = threading.Thread(target=feed)
        feeder.start()
        try:
            status = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            return Answer(124, stderr=f"still running after {PATIENCE} s".encode())
        finally:
            has_ended.set()
            feeder.join()
        return Answer(status, process.stdout.read(), process.stderr.read())


@waits
def event_that_arrives_byte_by_byte(tools):
    outcomes = []
    for kind in ("denied", "permitted"):
        with HookWorld() as world:
            event = getattr(world, f"{kind}_event")()
            chunks = [event[i:i + 1] for i in range(len(event))]
            answer = fed(tools, world, chunks, 0.001)
            outcomes.append((kind, "" if answer.verdict == kind else str(answer)))
    return outcomes


def never_ending(tools, is_cut, repeated, pause):
    """The event, cut within its last string or not, and then `repeated` endlessly."""
    with HookWorld() as world:
        event = world.permitted_event()
        first = event[:event.rindex(b'"')] if is_cut else event
        return exit_2(fed(tools, world, itertools.chain([first], itertools.repeat(repeated)),
                          pause))


@waits
def silence_within_the_event(tools):
    return never_ending(tools, True, b"", 0.1)


@waits
def silence_after_the_event(tools):
    return never_ending(tools, False, b"", 0.1)


@waits
def white_space_without_end(tools):
    return never_ending(tools, False, b" " * 4096, 0.01)


@waits
def string_without_end(tools):
    return never_ending(tools, True, b"x" * 65536, 0.001)


def with_log_held(tools, kind, required, wanted):
    """A process that may only read the log holds its lock for ever: the hook does not wait for
    ever, and writes the line."""
    with HookWorld(log="present", required=required) as world:
        world.run(tools.hook, world.denied_event())  # creates all files that it locks
        held = [os.open(file, os.O_RDONLY) for file in world.log_folder.iterdir()]
        for descriptor in held:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        before = len(world.log_lines()[0])
        answer = world.run(tools.hook, getattr(world, f"{kind}_event")(), timeout=PATIENCE)
        for descriptor in held:
            os.close(descriptor)
        lines, problems = world.log_lines()
    if answer.verdict not in wanted:
        return str(answer)
    if len(lines) != before + 1 or b'"unlocked":true' not in lines[-1]:
        return f"{len(lines) - before} more lines, the last one {lines[-1]!r}"
    return "; ".join(problems)


@waits
def denial_while_somebody_holds_the_log(tools):
    return with_log_held(tools, "denied", False, ("denied",))


@waits
def permission_while_somebody_holds_the_log(tools):
    return with_log_held(tools, "permitted", False, ("permitted",))


@waits
def permission_while_somebody_holds_the_required_log(tools):
    return with_log_held(tools, "permitted", True, ("permitted",))


@pytest.fixture(name="outcomes", scope="module")
def fixture_outcomes(tools):
    with concurrent.futures.ThreadPoolExecutor(len(WAITING)) as pool:
        yield {name: pool.submit(function, tools) for name, function in WAITING.items()}


@pytest.mark.parametrize("name", WAITING)
def test_deadline(name, outcomes, checks):
    outcome = outcomes[name].result()
    for part, problem in outcome if isinstance(outcome, list) else [(name, outcome)]:
        checks.check(part, problem)
