"""Steps of the tests of several commands: what the hook says of a call, and what a text suggests."""

import json
import re
import shlex
import subprocess

from terminal_session import TerminalSession


class Typed(TerminalSession):
    """Runs a command as an interactive user does."""

    def __init__(self, world, *arguments):
        world.environment = {"PATH": "/usr/bin:/bin", "TERM": "dumb", "HOME": str(world.home)}
        super().__init__([world.programs.ringfence, *arguments, "--home", str(world.home)], world)


def with_lists(world, section, **lists):
    """The user's policy, with these lists in a section."""
    world.write(world.policy, json.dumps({"version": 1, section: lists}))


def read_of(world, path, session):
    """The hook's verdict: "permit" or "deny"."""
    return "deny" if denial_of(world, path, session) else "permit"


def denial_of(world, path, session, options=(), **more):
    """The reason, or "" if it is permitted."""
    event = json.dumps({**more, "session_id": session, "cwd": str(world.project), "tool_name": "Read",
                        "hook_event_name": "PreToolUse", "tool_input": {"file_path": str(path)}})
    done = subprocess.run([world.programs.hook, *options], input=event, capture_output=True, text=True,
                          timeout=60, env={"HOME": str(world.home),
                                           "CLAUDE_PROJECT_DIR": str(world.project)})
    assert done.returncode == 0, done.stderr
    if not done.stdout:
        return ""
    answer = json.loads(done.stdout)["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny", answer
    return answer["permissionDecisionReason"]


def advice_of(reason):
    """The words after "ringfence" of the command that a reason suggests."""
    found = re.search("`ringfence ([^`]*)`", reason)
    assert found, reason
    return shlex.split(found.group(1))
