"""limits.py: standard input, output and error that are closed, full, slow or without end."""

import fcntl
import itertools
import os
import subprocess
import threading

from hook_world import Answer, World

PATIENCE = 40  # seconds; the hook's own deadline is well below


def waits(test):
    """Marks a test that mostly waits: these run beside each other."""
    test.waits = True
    return test


def blocked(answer):
    """What is wrong when the call had to be refused."""
    return "" if answer.blocks else str(answer)


def exit_2(answer):
    return "" if answer.status == 2 else str(answer)


def not_open(answer):
    """What is wrong when the call is permitted but may also be refused."""
    return "" if answer.blocks or answer.verdict == "permitted" else str(answer)


def redirected(redirection):
    return ["/bin/sh", "-c", f'exec "$@" {redirection}', "sh"]


def files_problem(world, policy):
    """A closed descriptor's number is given to the next file: no answer may end up in it."""
    _, problems = world.log_lines()
    if world.policy.read_bytes() != policy:
        problems.append("the policy was overwritten")
    return "; ".join(problems)


def test_closed_descriptors(tools):
    outcomes = []
    for closed, no_event, no_answer in (("<&-", True, False), (">&-", False, True),
                                        ("2>&-", False, False), (">&- 2>&-", False, True),
                                        ("<&- >&-", True, True), ("<&- >&- 2>&-", True, True)):
        with World(log="present") as world:
            policy = world.policy.read_bytes()
            prefix = redirected(closed)
            denied = world.run(tools.hook, world.denied_event(), prefix=prefix)
            permitted = world.run(tools.hook, world.permitted_event(), prefix=prefix)
            outcomes += [
                (f"denied, {closed}", (exit_2 if no_event or no_answer else blocked)(denied)),
                (f"permitted, {closed}", (exit_2 if no_event else not_open)(permitted)),
                (f"files, {closed}", files_problem(world, policy)),
            ]
    return outcomes


def test_errors_that_cannot_be_told(tools):
    outcomes = []
    for where in ("2>&-", "2>/dev/full", "2>/dev/null"):
        with World() as world:
            outcomes.append((where, exit_2(world.run(tools.hook, b"{", prefix=redirected(where)))))
    return outcomes


def test_stdin_without_an_event(tools):
    outcomes = []
    for source in ("/dev/null", "/"):
        with World() as world:
            stdin = os.open(source, os.O_RDONLY)
            try:
                outcomes.append((source, exit_2(world.run(tools.hook, None, stdin=stdin))))
            finally:
                os.close(stdin)
    return outcomes


def run_into(tools, world, stdout, event=None):
    answer = world.run(tools.hook, event or world.denied_event(), stdout=stdout, timeout=PATIENCE)
    os.close(stdout)
    return exit_2(answer)


def test_full_device_as_stdout(tools):
    with World() as world:
        return run_into(tools, world, os.open("/dev/full", os.O_WRONLY))


def test_pipe_that_nobody_reads(tools):
    with World() as world:
        reader, writer = os.pipe()
        os.close(reader)
        return run_into(tools, world, writer)


def full_pipe(is_blocking):
    reader, writer = os.pipe()
    flags = fcntl.fcntl(writer, fcntl.F_GETFL)
    fcntl.fcntl(writer, fcntl.F_SETFL, flags | os.O_NONBLOCK)
    try:
        while True:
            os.write(writer, bytes(4096))
    except BlockingIOError:
        pass
    if is_blocking:
        fcntl.fcntl(writer, fcntl.F_SETFL, flags)
    return reader, writer


def test_full_pipe_that_does_not_wait(tools):
    with World() as world:
        reader, writer = full_pipe(False)
        try:
            return run_into(tools, world, writer)
        finally:
            os.close(reader)


@waits
def test_full_pipe_as_stdout(tools):
    with World() as world:
        reader, writer = full_pipe(True)
        try:
            return run_into(tools, world, writer)
        finally:
            os.close(reader)


@waits
def test_full_pipe_as_stderr(tools):
    with World() as world:
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
def test_event_that_arrives_byte_by_byte(tools):
    outcomes = []
    for kind in ("denied", "permitted"):
        with World() as world:
            event = getattr(world, f"{kind}_event")()
            chunks = [event[i:i + 1] for i in range(len(event))]
            answer = fed(tools, world, chunks, 0.001)
            outcomes.append((kind, "" if answer.verdict == kind else str(answer)))
    return outcomes


def never_ending(tools, is_cut, repeated, pause):
    """The event, cut within its last string or not, and then `repeated` for ever."""
    with World() as world:
        event = world.permitted_event()
        first = event[:event.rindex(b'"')] if is_cut else event
        return exit_2(fed(tools, world, itertools.chain([first], itertools.repeat(repeated)),
                          pause))


@waits
def test_silence_within_the_event(tools):
    return never_ending(tools, True, b"", 0.1)


@waits
def test_silence_after_the_event(tools):
    return never_ending(tools, False, b"", 0.1)


@waits
def test_white_space_without_end(tools):
    return never_ending(tools, False, b" " * 4096, 0.01)


@waits
def test_string_without_end(tools):
    return never_ending(tools, True, b"x" * 65536, 0.001)


def test_event_of_many_megabytes(tools):
    """Content is no reason to refuse, wherever it stands and whatever it is."""
    outcomes = []
    for name, content in (("ascii", "x" * 10_000_000), ("quotes", '"' * 3_000_000),
                          ("emoji", "\U0001F600" * 800_000)):
        with World() as world:
            for kind, path in (("permitted", world.project), ("denied", world.outside)):
                event = world.event("Write", {"content": content, "file_path": str(path / "x")})
                answer = world.run(tools.hook, event)
                outcomes.append((f"{name}, {kind}", "" if answer.verdict == kind else str(answer)))
    return outcomes
