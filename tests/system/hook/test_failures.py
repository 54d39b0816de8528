"""The hook's notes after a failure: every file of fixtures/failures.

Each row of the table of wordings must have a file.
"""

import json
import re

import pytest

from hook_world import HookWorld
from repository import ROOT

FIXTURES = ROOT / "fixtures/failures"
NAMES = sorted(file.name for file in FIXTURES.glob("*.json"))
TABLE = ROOT / "hook/failure.cc"
MEMBERS = ["inbox", "profile", "session", "text", "timestamp", "tool", "type"]
MOST = 200


def expanded(value, world):
    if isinstance(value, str):
        for name in ("project", "outside", "home"):
            value = value.replace("$" + name.upper(), str(getattr(world, name)))
        return value
    if isinstance(value, dict):
        return {key: expanded(item, world) for key, item in value.items()}
    return [expanded(item, world) for item in value] if isinstance(value, list) else value


def furnish(world, policy):
    inbox = world.home / "inbox"
    inbox.mkdir()
    for file in (world.home / ".ssh/id_rsa", world.home / ".config/ringfence/policy.json"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text('{"version": 1}')
    policy.setdefault("alerts", {"inbox": str(inbox), "fields": {"inbox": "own"}})
    world.policy.write_text(json.dumps(policy))
    return inbox


def problem(hook, fixture):
    with HookWorld() as world:
        fixture = expanded(fixture, world)
        inbox = furnish(world, fixture["policy"])
        event = {"session_id": "s1", "cwd": str(world.project), **fixture["event"]}
        answer = world.run(hook, json.dumps(event).encode())
        if answer.status != 0 or answer.stderr:
            return str(answer)
        said = json.loads(answer.stdout)["hookSpecificOutput"] if answer.stdout else {}
        text = said.get("additionalContext", "")
        alerts = [json.loads(file.read_text()) for file in inbox.iterdir()]
        return problem_of(text, alerts, fixture["expect"])


def problem_of(text, alerts, expect):
    missing = [part for part in expect["told"] if part not in text]
    if missing or bool(text) != bool(expect["told"]):
        return f"without {missing}: {text!r}"
    if text and "Tell the user" not in text:
        return f"nothing says to tell the user: {text!r}"
    all_of_it = text + json.dumps(alerts, ensure_ascii=False)
    if any(part in all_of_it for part in expect.get("never", ())):
        return f"with what must not be in it: {all_of_it}"
    if len(alerts) != expect["alerts"]:
        return f"{len(alerts)} alerts: {alerts}"
    for alert in alerts:
        if sorted(alert) != MEMBERS or len(alert["text"]) > MOST or not alert["text"].isprintable():
            return f"the alert {alert}"
    return ""


@pytest.mark.parametrize("name", NAMES)
def test_notes_after_a_failure(name, programs):
    wrong = problem(programs.hook, json.loads((FIXTURES / name).read_text()))
    assert not wrong, wrong


def test_each_wording_has_a_file():
    table = re.findall(r'^ +\{"([^"]*)", k', TABLE.read_text(), re.MULTILINE)
    assert len(table) > 20, f"the table is not read: {len(table)} rows"
    seen = {json.loads((FIXTURES / name).read_text()).get("wording") for name in NAMES}
    assert seen.issuperset(table), [row for row in table if row not in seen]
