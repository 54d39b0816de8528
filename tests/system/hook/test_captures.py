"""Sends every event that was captured from the real client to the built hook.

fixtures/events/captured/ has the events, fixtures/events/captured.expect.json the expected
answers under the built-in policy: "verdict", and with "says" a text that the reason, or the text
for the model, must contain. An event that is not listed there and is not a PreToolUse must end
with exit 0 and JSON or nothing.
"""

import json

import pytest

from captured_events import CAPTURED, EVENTS, Home

EXPECTED = json.loads((EVENTS / "captured.expect.json").read_text(encoding="utf-8"))


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
