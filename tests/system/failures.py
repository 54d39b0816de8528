#!/usr/bin/env python3
"""What the hook tells after a failure: every file of fixtures/failures.

    failures.py --hook PROGRAM

Each row of the table of wordings must have a file.
"""

import argparse
import json
import pathlib
import re
import sys

from hook_world import Report, World, program

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures/failures"
TABLE = ROOT / "hook/failure_words.cc"
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
    with World() as world:
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--hook", type=program, required=True)
    options = parser.parse_args()
    report = Report()
    seen = set()
    for file in sorted(FIXTURES.glob("*.json")):
        fixture = json.loads(file.read_text())
        seen.add(fixture.get("wording"))
        report.check(file.name, problem(options.hook, fixture))
    table = re.findall(r'^    \{"([^"]*)", k', TABLE.read_text(), re.MULTILINE)
    report.check("the table is read", "" if len(table) > 20 else f"{len(table)} rows")
    report.check("each row has a file", ", ".join(row for row in table if row not in seen))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
