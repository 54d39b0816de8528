"""Unreadable policies, missing directories, and logs that cannot be written."""

import os
import socket
import time

import pytest

from hook_world import HookWorld
from limits_tools import PATIENCE, blocked, exit_2

pytestmark = pytest.mark.serial

HUGE = 100_000_000
NOBODY = 65534


def listen(path):
    endpoint = socket.socket(socket.AF_UNIX)
    endpoint.bind(str(path))
    endpoint.close()


def write_sparse(path):
    with open(path, "wb") as file:
        file.truncate(HUGE)


# Replacements for the policy; none is usable.
POLICIES = (
    ("missing", lambda path: None),
    ("empty", lambda path: path.touch()),
    ("a directory", lambda path: path.mkdir()),
    ("a socket", listen),
    ("a link to nothing", lambda path: path.symlink_to("gone.json")),
    ("a link to itself", lambda path: path.symlink_to(path.name)),
    ("a link to /dev/null", lambda path: path.symlink_to("/dev/null")),
    ("a link to /dev/zero", lambda path: path.symlink_to("/dev/zero")),
    ("a link to /proc/self/mem", lambda path: path.symlink_to("/proc/self/mem")),
    ("100 MB of NUL", write_sparse),
    ("100 MB of white space", lambda path: path.write_bytes(b" " * HUGE)),
    ("100 MB of rules", lambda path: path.write_bytes(
        b'{"version":1,"write":{"deny":[' + b'"a/b",' * (HUGE // 6) + b'"c"]}}')),
    ("a million brackets", lambda path: path.write_bytes(b"[" * 1_000_000)),
    ("random bytes", lambda path: path.write_bytes(os.urandom(4096))),
)


def test_unusable_policy(tools, checks):
    for name, replace in POLICIES:
        with HookWorld() as world:
            world.policy.unlink()
            replace(world.policy)
            began = time.monotonic()
            answer = world.run(tools.hook, world.permitted_event(), timeout=PATIENCE)
            seconds = time.monotonic() - began
            checks.check(name, exit_2(answer) or (seconds > 5 and f"took {seconds:.1f} s"))


def test_unreadable_policy(tools):
    with HookWorld() as world:
        world.policy.chmod(0)
        options = {"user": NOBODY, "group": NOBODY} if os.getuid() == 0 else {}
        # The hook may be in an unreadable directory.
        hook = world.base / "hook"
        hook.write_bytes(tools.hook.read_bytes())
        hook.chmod(0o755)
        assert not exit_2(world.run(hook, world.permitted_event(), **options))


def test_deleted_working_directory(tools, checks):
    gone = ["/bin/sh", "-c", 'rmdir "$PWD" && exec "$@"', "sh"]
    for kind in ("denied", "permitted"):
        with HookWorld() as world:
            folder = world.project / "gone"
            folder.mkdir()
            event = getattr(world, f"{kind}_event")(cwd=str(folder))
            answer = world.run(tools.hook, event, cwd=folder, prefix=gone)
            checks.check(kind, "" if answer.verdict == kind else str(answer))
        with HookWorld() as world:
            folder = world.project / "gone"
            folder.mkdir()
            event = world.event("Write", {"file_path": "../../outside/x", "content": ""},
                                cwd=str(folder))
            answer = world.run(tools.hook, event, cwd=folder, prefix=gone)
            checks.check(f"{kind}, relative", blocked(answer))


def test_missing_project(tools):
    with HookWorld() as world:
        event = world.permitted_event()
        world.project.rename(world.base / "moved")
        assert not exit_2(world.run(tools.hook, event, cwd=world.base))


def in_log_folder(action):
    def obstruct(world):
        world.log_folder.mkdir()
        action(world.log)
    return obstruct


LOG_OBSTACLES = (
    ("a directory", in_log_folder(lambda log: log.mkdir())),
    ("a folder that is a file", lambda world: world.log_folder.touch()),
    ("a link to /dev/full", in_log_folder(lambda log: log.symlink_to("/dev/full"))),
    ("a link to itself", in_log_folder(lambda log: log.symlink_to(log.name))),
    ("a pipe that nobody reads", in_log_folder(os.mkfifo)),
)


def test_unwritable_log(tools, checks):
    """Never blocks a denial, and a permitted call only if the policy requires the log."""
    for name, obstruct in LOG_OBSTACLES:
        for required in (False, True):
            with HookWorld(required=required) as world:
                obstruct(world)
                denied = world.run(tools.hook, world.denied_event(), timeout=PATIENCE)
                permitted = world.run(tools.hook, world.permitted_event(), timeout=PATIENCE)
            case = f"{name}{', required' if required else ''}"
            checks.check(f"{case}, denied",
                             "" if denied.verdict == "denied" else str(denied))
            right = permitted.blocks if required else permitted.verdict == "permitted"
            checks.check(f"{case}, permitted", "" if right else str(permitted))


def test_log_of_another_user(tools):
    """A run without the permission to write the log still denies."""
    if os.getuid() != 0:
        pytest.skip("needs root, to run the hook as another user")
    with HookWorld(log="present") as world:
        hook = world.base / "hook"
        hook.write_bytes(tools.hook.read_bytes())
        hook.chmod(0o755)
        answer = world.run(hook, world.denied_event(), user=NOBODY, group=NOBODY)
        assert answer.verdict == "denied", answer
