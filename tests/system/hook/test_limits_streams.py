"""Standard input, output and error that are closed, full, slow or endless."""

import os

import pytest

from hook_world import HookWorld
from limits_tools import blocked, exit_2, full_pipe, not_open, run_into

pytestmark = pytest.mark.serial


def redirected(redirection):
    return ["/bin/sh", "-c", f'exec "$@" {redirection}', "sh"]


def files_problem(world, policy):
    """A closed descriptor's number goes to the next file: no answer may end up in that file."""
    _, problems = world.log_lines()
    if world.policy.read_bytes() != policy:
        problems.append("the policy was overwritten")
    return "; ".join(problems)


def test_closed_descriptors(tools, checks):
    for closed, no_event, no_answer in (("<&-", True, False), (">&-", False, True),
                                        ("2>&-", False, False), (">&- 2>&-", False, True),
                                        ("<&- >&-", True, True), ("<&- >&- 2>&-", True, True)):
        with HookWorld(log="present") as world:
            policy = world.policy.read_bytes()
            prefix = redirected(closed)
            denied = world.run(tools.hook, world.denied_event(), prefix=prefix)
            permitted = world.run(tools.hook, world.permitted_event(), prefix=prefix)
            checks.check(f"denied, {closed}", (exit_2 if no_event or no_answer else blocked)(denied))
            checks.check(f"permitted, {closed}", (exit_2 if no_event else not_open)(permitted))
            checks.check(f"files, {closed}", files_problem(world, policy))


def test_errors_with_unusable_stderr(tools, checks):
    for where in ("2>&-", "2>/dev/full", "2>/dev/null"):
        with HookWorld() as world:
            checks.check(where, exit_2(world.run(tools.hook, b"{", prefix=redirected(where))))


def test_stdin_without_an_event(tools, checks):
    for source in ("/dev/null", "/"):
        with HookWorld() as world:
            stdin = os.open(source, os.O_RDONLY)
            try:
                checks.check(source, exit_2(world.run(tools.hook, None, stdin=stdin)))
            finally:
                os.close(stdin)


def test_full_device_as_stdout(tools):
    with HookWorld() as world:
        assert not run_into(tools, world, os.open("/dev/full", os.O_WRONLY))


def test_pipe_without_a_reader(tools):
    with HookWorld() as world:
        reader, writer = os.pipe()
        os.close(reader)
        assert not run_into(tools, world, writer)


def test_full_nonblocking_pipe(tools):
    with HookWorld() as world:
        reader, writer = full_pipe(False)
        try:
            assert not run_into(tools, world, writer)
        finally:
            os.close(reader)


def test_event_of_many_megabytes(tools, checks):
    """Content is never a reason to refuse an event, wherever it is."""
    for name, content in (("ascii", "x" * 10_000_000), ("quotes", '"' * 3_000_000),
                          ("emoji", "\U0001F600" * 800_000)):
        with HookWorld() as world:
            for kind, path in (("permitted", world.project), ("denied", world.outside)):
                event = world.event("Write", {"content": content, "file_path": str(path / "x")})
                answer = world.run(tools.hook, event)
                checks.check(f"{name}, {kind}", "" if answer.verdict == kind else str(answer))
