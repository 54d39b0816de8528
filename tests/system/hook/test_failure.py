"""The hook's notes on a failed tool, and on its own command line.

A tool's output proves nothing: only paths that the policy denies are explained and sent to the
inbox for alerts.
"""

import json
import subprocess

import pytest

from hook_world import HookWorld

SAY = "Ask in the channel."


def failed(world, error):
    return world.event("Bash", {"command": "x"}, hook_event_name="PostToolUseFailure", error=error)


def context(answer):
    """The text for the model; empty if there was none."""
    if answer.status != 0:
        return f"status {answer.status}: {answer.stderr.decode()}"
    if not answer.stdout:
        return ""
    return json.loads(answer.stdout)["hookSpecificOutput"]["additionalContext"]


FAILURES = (
    ("a write that the policy refuses", "touch: cannot touch '{outside}/x': Permission denied",
     ["outside/x"]),
    ("two paths", "cat: {outside}/a: Permission denied\ncp: {outside}/b: Permission denied",
     ["outside/a", "outside/b"]),
    ("what only may not be written", "x: {project}/docs/adr: Read-only file system",
     ["docs/adr"]),
    ("what may be read and written", "cat: {project}/src/a.txt: Permission denied", []),
    ("no refusal", "cat: {outside}/x: No such file or directory", []),
)


@pytest.mark.parametrize("inbox", ("inbox", "linked", None))
@pytest.mark.parametrize("error, wanted", [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES])
def test_a_failed_tool(error, wanted, inbox, programs):
    extra = {"denied": {"say": SAY}} if inbox else {}
    if inbox:
        extra["alerts"] = {"inbox": f"~/{inbox}", "fields": {"to": "x"}}
    with HookWorld(extra=extra) as world:
        (world.home / "inbox").mkdir()
        (world.home / "linked").symlink_to("inbox")
        answer = world.run(programs.hook, failed(world, error.format(
            outside=world.outside, project=world.project)))
        wrong = problem(world, answer, wanted, inbox)
        assert not wrong, wrong


def problem(world, answer, wanted, inbox):
    text = context(answer)
    if bool(text) != bool(wanted) or any(word not in text for word in wanted):
        return f"it says {text!r}"
    if wanted and inbox and SAY not in text:
        return f"without the policy's sentence: {text!r}"
    files = list((world.home / "inbox").iterdir())
    if len(files) != (len(wanted) if inbox == "inbox" else 0):
        return f"{len(files)} alerts"
    alerts = [json.loads(file.read_text()) for file in files]
    for alert in alerts:
        if alert["type"] != "ringfence-denial" or alert["to"] != "x" or alert["tool"] != "Bash":
            return f"the alert is {alert}"
    if any(not any(word in alert["text"] for alert in alerts) for word in wanted if alerts):
        return f"the alerts are {alerts}"
    # A failure to write an alert is reported to the user, and changes no answer.
    told = b"is a link" in answer.stderr
    return "" if told == (bool(wanted) and inbox == "linked") else f"stderr: {answer.stderr!r}"


@pytest.mark.parametrize("words, status, out, err", (
    (["--help"], 0, b"Usage: ringfence-hook", b""), (["-h"], 0, b"Usage:", b""),
    (["--version"], 0, b"ringfence-hook ", b""),
    (["--nothing"], 2, b"", b"is not an option"), (["--policy"], 2, b"", b"needs a value"),
    (["--root", "/x", "--root", "/y"], 2, b"", b"is given twice")))
def test_the_command_line(words, status, out, err, programs):
    done = subprocess.run([programs.hook, *words], input=b"", capture_output=True, check=False)
    assert done.returncode == status and out in done.stdout and err in done.stderr, done
    assert bool(out) == bool(done.stdout), done


def test_an_unwritable_answer_is_an_error(programs):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([programs.hook, "--help"], stdin=subprocess.DEVNULL, stdout=full, check=False)
    assert done.returncode == 2, done
