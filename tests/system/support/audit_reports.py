"""Fixtures for report tests: mismatches, a baseline that differs, unmatched rules, several
profiles, and text as hostile as a file can contain it."""

import datetime
import json
import random

# Hostile text that the page must show literally.
HOSTILE = "</script></style></title><img src=//evil.example/x onerror=hacked=1>\"'`&lt;{{js}}"
# Control characters, right-to-left overrides, no-breaks, and a noncharacter.
UNSEEN = "a\u202eb\u2066c\u200bd\u0007e\u001bf\ufeffg\uffffh\u0085i\u2028j"

POLICY = {
    "version": 1,
    "read": {"allow": [".", "@claude-scratch"], "deny": ["@secrets", "**/.env"]},
    "write": {"allow": ["src", "tests"], "ask": ["docs", "@runs-later"]},
    "tools": {"deny": ["WebSearch", "mcp__" + "x" * 40 + "*"]},
    "profiles": {"worker": {"write": {"allow": ["src"]}}, "reader": {"write": {"allow": ["tests"]}}},
}


def call(name, decision, tool, **arguments):
    return {"name": name, "files": {"src": "folder", "docs": "folder", "tests": "folder"},
            "event": {"tool_name": tool, "tool_input": arguments}, "expect": {"decision": decision}}


def fixtures():
    made = [
        call("a source is read", "permit", "Read", file_path="src/main.cc"),
        call("a source is written", "permit", "Write", file_path="src/main.cc", content="x"),
        call("documents are asked about", "ask", "Write", file_path="docs/a.md", content="x"),
        call("a worker does not write tests", "deny", "Write", file_path="tests/a.cc", content="x"),
        call("no key is read", "deny", "Read", file_path="~/.ssh/id_rsa"),
        call("no search of the web", "deny", "WebSearch", query="x"),
        call("outside", "permit", "Read", file_path="/etc/hosts"),
    ]
    made[4]["why"] = "A key opens other machines."
    for text in (HOSTILE, UNSEEN):
        hostile = call(text, "deny", "mcp__" + text, path="/" + text)
        hostile["why"] = hostile["expect"]["reason"] = hostile["time"] = text
        made.append(hostile)
        made.append(call("path " + text, "permit", "Read", file_path="/srv/" + text))
    return made


def write_fixtures(world):
    """Arguments of an audit whose report needs every possible part."""
    policy = world.write(world.base / "policy.json", json.dumps(POLICY))
    # A file may have almost any name.
    lines = world.base / (HOSTILE.replace("/", "|") + ".jsonl")
    world.write(lines, "".join(json.dumps(one) + "\n" for one in fixtures()))
    world.write(world.base / "stop.jsonl", json.dumps({"hook_event_name": "Stop"}) + "\n")
    arguments = [lines, world.base / "stop.jsonl", "--policy", policy, "--profile", "worker",
                 "--profile", "reader", "--root", world.project]
    baseline = world.base / "baseline.json"
    done = world.run("audit", *arguments, "--baseline", baseline, "--update")
    assert baseline.exists(), done.stderr
    text = baseline.read_text()
    changed = text.replace('"decision": "ask"', '"decision": "deny"')
    assert changed != text, "nothing asks"
    baseline.write_text(changed)
    return [*arguments, "--baseline", baseline]


def write_log(path, count):
    """An audit log over three weeks, mostly of permitted calls."""
    chance = random.Random(4)
    outside = ["/etc/hosts", "/home/dev/.ssh/id_rsa", "/home/dev/project/.git/hooks/pre-commit"]
    begin = datetime.datetime(2025, 11, 2, 6)
    with open(path, "w") as log:
        for i in range(count):
            tool = chance.choices(["Read", "Edit", "Bash", "Grep", "Write"], [9, 4, 3, 2, 1])[0]
            paths = [f"/home/dev/project/src/part{i}.cc"]
            if chance.random() < 0.05:
                paths = [chance.choice([*outside, f"/home/dev/other/part{i}.cc"])]
            time = begin + datetime.timedelta(days=21 * i / count)
            line = {"time": time.strftime("%Y-%m-%dT%H:%M:%S.000Z"), "event": "PreToolUse",
                    "session": f"s{i // 300}", "tool": tool, "paths": paths, "verdict": "permit",
                    "us": 300}
            if tool == "Bash":
                del line["paths"]
            log.write(json.dumps(line) + "\n")
