"""Sends every event that was captured from the real client to the built hook.

fixtures/events/captured/ has the events, fixtures/events/captured.expect.json the expected
answers under the built-in policy: "verdict", and with "says" a text that the reason, or the text
for the model, must contain. An event that is not listed there and is not a PreToolUse must end
with exit 0 and JSON or nothing. The events refer to /home/dev; they are moved to a separate tree
that contains the files to which they refer.
"""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

from hook_world import Answer
from repository import ROOT

EVENTS = ROOT / "fixtures/events"
RECORDED_HOME = "/home/dev"
CAPTURED = {file.name: file for file in sorted((EVENTS / "captured").glob("*.json"))
            if file.name != "tools.json"}
EXPECTED = json.loads((EVENTS / "captured.expect.json").read_text(encoding="utf-8"))


class Home:
    """The content of /home/dev when the events were captured."""

    FILES = ("h.txt", "project/in.txt", "project/a.txt", "project/new.txt", "project/watched.txt",
             "project/CLAUDE.md", "project/sub/s.txt", "project/sub/CLAUDE.md", "project/wt1/in.txt",
             "project/.claude/worktrees/wt1/in.txt", "outside/out.txt", "outside/wtx/in.txt")

    def __init__(self):
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="ringfence-captures.")).resolve()
        self.home = self.base / "home"
        self.project = self.home / "project"

    def __enter__(self):
        for name in self.FILES:
            file = self.home / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("text\n")
        (self.project / "nb.ipynb").write_text('{"cells":[]}\n')
        (self.project / ".claude/settings.local.json").write_text('{"model":"sonnet"}\n')
        (self.project / "link").symlink_to(self.home / "outside")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.base, ignore_errors=True)

    def moved(self, event):
        """The event with this home in place of the recorded one, also in the client's own
        directory names, which are derived from the path."""
        text = event.read_text(encoding="utf-8")
        slug = re.sub("[^A-Za-z0-9]", "-", str(self.home))
        return text.replace("-home-dev-", slug + "-").replace(RECORDED_HOME, str(self.home))

    def run(self, hook, text):
        done = subprocess.run(
            [str(hook), "--root", str(self.project), "--home", str(self.home)], input=text.encode(),
            capture_output=True, cwd=self.project, timeout=20, check=False,
            env={"HOME": str(self.home), "CLAUDE_PROJECT_DIR": str(self.project)})
        return Answer(done.returncode, done.stdout, done.stderr)


def reason(answer):
    if not answer.stdout:
        return answer.stderr.decode()
    output = specific_output(answer)
    return output.get("permissionDecisionReason") or output.get("additionalContext") or \
        output.get("decision", {}).get("message", "")


def specific_output(answer):
    try:
        return json.loads(answer.stdout)["hookSpecificOutput"]
    except (ValueError, KeyError, TypeError):
        return {}


def verdict(answer):
    """Reads an answer like that to a PreToolUse. The answer to a PermissionRequest is its own
    kind of decision, and to the start of a session or subagent a text."""
    output = specific_output(answer)
    if answer.status == 0 and output.get("hookEventName") == "PermissionRequest":
        behavior = output.get("decision", {}).get("behavior")
        return {"deny": "denied", "allow": "allowed"}.get(behavior, f"open: {behavior}")
    if answer.status == 0 and output.get("additionalContext"):
        return "told"
    return answer.verdict


def compared(answer, expected):
    """The problem of the answer to a listed event, or ""."""
    if verdict(answer) != expected["verdict"]:
        return f"should be {expected['verdict']}, is {verdict(answer)}: {reason(answer)}"
    if expected.get("says", "") not in reason(answer):
        return f"the reason does not say {expected['says']!r}: {reason(answer)}"
    return ""


def quiet(answer):
    """The problem of the answer to any other event, or ""."""
    if answer.status != 0:
        return f"exit {answer.status}: {answer.stderr.decode(errors='replace').strip()}"
    if answer.stdout:
        try:
            json.loads(answer.stdout)
        except ValueError:
            return f"is no JSON: {answer.stdout[:200]!r}"
    return ""


def problem(name, answer, expectations):
    if name in expectations:
        return compared(answer, expectations[name])
    if name.startswith("PreToolUse."):
        return "captured.expect.json says nothing about it"
    return quiet(answer)


@pytest.mark.parametrize("name", sorted(CAPTURED.keys() | EXPECTED.keys()))
def test_captured_event(name, programs):
    assert name in CAPTURED, "is expected, and was never captured"
    with Home() as home:
        answer = home.run(programs.hook, home.moved(CAPTURED[name]))
    wrong = problem(name, answer, EXPECTED)
    assert not wrong, wrong
