#!/usr/bin/env python3
"""Compares what ringfence knows of the client's tools and settings with the client's own schema.

    run.py [--review]

The client is the program named by CLAUDE_BIN, of any version, or the pinned one from the cache. Its
schema is read from the JavaScript in the binary; the client is also started once, without a model,
to see that all it offers was found there.

A tool, argument or setting that is new fails. Decide what it means:
  a tool                  a line of kTools in agents/claude/agent.cc
  an argument that is a   in the line of its tool
  path, a host or a URL
  any other argument      a name in reviewed.json
  a setting that starts a SettingLists() in agents/claude/settings/weakens.cc
  program or widens what
  one may do
  a variable that does    agents/claude/settings/env.cc
  any other setting or    a name in reviewed.json
  variable
--review adds everything that is new to reviewed.json: read the difference before it is committed.
"""

import argparse
import json
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent / "client"))

import bundle  # noqa: E402
import client  # noqa: E402
import offered  # noqa: E402
import settings  # noqa: E402
import tools  # noqa: E402

REVIEWED = HERE / "reviewed.json"
# Variables whose names say that the client may start, load or leave out something because of them.
TELLING = re.compile(r"SHELL|WRAP|PREFIX|HOOK|PLUGIN|_BIN|BINARY|COMMAND|HELPER|EXEC|SETTINGS|SANDBOX"
                     r"|MODS|MCP_CONFIG|SIMPLE|SAFE_MODE|BUBBLEWRAP|CODE_MODE|CONFIG_DIR|ENV_FILE"
                     r"|RESTRICT|SKIP_PERMISSIONS")


class Report:
    def __init__(self):
        self.passed = self.failed = 0

    def case(self, name, problems):
        print(f"{'FAIL' if problems else 'ok  '} {name}", flush=True)
        for problem in problems:
            print(f"       {problem}", flush=True)
        self.failed += bool(problems)
        self.passed += not problems


def known_tools():
    """{name: (its fields' pointers, whether it runs code)} and {alias: name}, of the source."""
    text = (ROOT / "agents/claude/agent.cc").read_text()
    table = re.search(r"constexpr ToolTable kTools\((.*?)\);", text, re.S).group(1)
    known, aliases = {}, {}
    for row in "".join(re.findall(r'"([^"]*)"', table)).split("\\n"):
        name, *words = row.split() or [""]
        if name:
            known[name] = ({word.split(":", 1)[1] for word in words if ":/" in word},
                           "code" in words)
            aliases.update({word[4:]: name for word in words if word.startswith("aka:")})
    return known, aliases


def watched_settings():
    text = (ROOT / "agents/claude/settings/weakens.cc").read_text()
    lists = re.findall(r"constexpr WordList \w+\((.*?)\);", text, re.S)
    words = "".join(re.findall(r'"([^"]*)"', "".join(lists))).split("\\n")
    return {word[1:].replace("/", ".") for word in words if word}


def watched_variables():
    text = (ROOT / "agents/claude/settings/env.cc").read_text()
    return set(re.findall(r"[A-Z_]{3,}[A-Z0-9_]*", "\n".join(re.findall(r'"([^"]*)"', text))
                          .replace("\\n", "\n")))


def is_covered(field, pointers):
    """At or below a pointer, whose "*" stands for an element and adds nothing to the name."""
    names = [pointer[1:].replace("/*", "").replace("/", ".") for pointer in pointers]
    return any(field == name or field.startswith(name + ".") for name in names)


class Review:
    def __init__(self):
        self._old = json.loads(REVIEWED.read_text())
        self._new = {"tools": {}, "settings": set(), "variables": set()}

    def tool(self, tool, field):
        self._new["tools"].setdefault(tool, set()).add(field)
        return field in self._old["tools"].get(tool, [])

    def other(self, kind, name):
        self._new[kind].add(name)
        return name in self._old[kind]

    def save(self):
        merged = {"tools": dict(self._old["tools"])}
        for tool, fields in self._new["tools"].items():
            merged["tools"][tool] = sorted(fields | set(merged["tools"].get(tool, [])))
        for kind in ("settings", "variables"):
            merged[kind] = sorted(self._new[kind] | set(self._old[kind]))
        REVIEWED.write_text(json.dumps(merged, indent=1, sort_keys=True) + "\n")


def check_tools(found, report, review):
    known, aliases = known_tools()
    for name, tool in sorted(found.items()):
        problems = []
        if name not in known:
            problems.append("agents/claude/agent.cc has no such tool")
        pointers, runs_code = known.get(name, (set(), False))
        problems += [f'agents/claude/agent.cc: the alias "{alias}" is missing' for alias in sorted(tool.aliases)
                     if aliases.get(alias) != name]
        if tool.runs_code and not runs_code:
            problems.append("the client says that it executes code; agents/claude/agent.cc does not")
        problems += [f'argument "{field}" is new' for field in sorted(tool.fields)
                     if not is_covered(field, pointers) and not review.tool(name, field)]
        report.case(f"tool {name}", problems)


def check_names(kind, names, watched, report, review):
    new = [name for name in sorted(names) if name not in watched
           and not any(name.startswith(other + ".") for other in watched)
           and not review.other(kind, name)]
    report.case(f"{kind} of the client ({len(names)})", [f'"{name}" is new' for name in new])


def check_reader(found, keys, report):
    """That it still understands the client: fewer than these means that it does not."""
    expected = {"Agent", "Bash", "Edit", "Monitor", "Read", "REPL", "Skill", "StructuredOutput",
                "WebFetch", "Write", "propose_skills"}
    problems = [f"{name} was not found" for name in sorted(expected - found.keys())]
    problems += [f"{name} has no argument {field}" for name, field in
                 (("Bash", "command"), ("Bash", "allowed_domains"), ("Read", "file_path"),
                  ("Monitor", "ws.url"), ("WebFetch", "url"), ("REPL", "code"))
                 if name in found and field not in found[name].fields]
    problems += [f"only {len(found)} tools were found"] if len(found) < 90 else []
    problems += [f"only {len(keys)} settings were found"] if len(keys) < 400 else []
    problems += [f'the setting "{key}" was not found' for key in
                 ("apiKeyHelper", "statusLine.command", "sandbox.network.allowedDomains", "env")
                 if key not in keys]
    report.case("the client's schema can be read", problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--review", action="store_true", help="add what is new to reviewed.json")
    options = parser.parse_args()
    try:
        program = os.environ.get("CLAUDE_BIN") or client.find()
    except client.Unavailable as reason:
        print(f"SKIP: {reason}")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    report, review = Report(), Review()
    read = bundle.Bundle(program)
    found, keys = tools.client_tools(read), settings.client_settings(read)
    check_reader(found, keys, report)
    check_tools(found, report, review)
    check_names("settings", keys, watched_settings(), report, review)
    variables = {name for name in settings.client_variables(read) if TELLING.search(name)}
    check_names("variables", variables, watched_variables(), report, review)
    for name, problems in offered.compared(program, found):
        report.case(name, problems)
    if options.review:
        review.save()
    print(f"{report.passed} passed, {report.failed} failed, 0 skipped")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
