#!/usr/bin/env python3
"""Sends the calls of fixtures/mcp to the built hook: which arguments of MCP tools are paths and hosts.

    mcp.py --hook build/release/ringfence-hook

Each row says what must be decided. Then large inputs: thousands of rows must pass, within seconds and
without memory that grows with them; what is too much to be judged is refused.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import resource
import sys
import time

import hook_world

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures/mcp"
WORDS = {"permitted": "permit", "asked": "ask", "denied": "deny"}
MEGABYTE = 1 << 20


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hook", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--only", type=re.compile, default=re.compile(""), metavar="REGEX",
                        help="only rows whose class or input matches")
    parser.add_argument("--no-large", action="store_true",
                        help="without the largest inputs, which are for the speed and memory of the shipped hook")
    parser.add_argument("-v", "--verbose", action="store_true", help="show every answer")
    return parser.parse_args()


def furnish(world):
    """Files that the rows name, beside those of every world."""
    (world.project / ".env").write_text("TOKEN=x\n")
    (world.home / ".ssh").mkdir()
    (world.home / ".ssh/id_rsa").write_text("key\n")
    (world.outside / "a folder of words").mkdir()
    (world.project / "a b c d").symlink_to(world.outside / "a folder of words")
    (world.project / "~/.claude").mkdir(parents=True)
    (world.project / "~/.claude/plans").symlink_to(world.home / ".ssh")
    (world.project / "$HOME").symlink_to("~")
    (world.project / "~x").symlink_to("../outside")
    for name in ("odd\u200b", "odd\n", " odd"):
        (world.project / name).symlink_to(world.home)


def expand(value, world):
    if isinstance(value, dict) and {"repeat", "times"} <= value.keys():
        return value.get("first", "") + value["repeat"] * value["times"] + value.get("then", "")
    if isinstance(value, dict):
        return {expand(key, world): expand(item, world) for key, item in value.items()}
    if isinstance(value, list):
        return [expand(item, world) for item in value]
    if not isinstance(value, str):
        return value
    for name in ("project", "outside"):
        value = value.replace("$" + name.upper(), str(getattr(world, name)))
    return value


def event_of(row, world):
    text = world.event(row["tool"], expand(row["input"], world),
                       cwd=expand(row.get("cwd", "$PROJECT"), world))
    return text


class Rows:
    def __init__(self, options):
        self.options = options
        self.failed, self.passed, self.skipped = [], collections.Counter(), 0

    def run(self):
        rows = [json.loads(line) for line in (FIXTURES / "calls.jsonl").open()]
        policies = json.loads((FIXTURES / "policies.json").read_text())
        for name, policy in policies.items():
            with hook_world.World(extra=policy) as world:
                furnish(world)
                for row in rows:
                    if row.get("policy", "usual") == name and self._is_wanted(row):
                        self._run_row(row, world)

    def _is_wanted(self, row):
        return self.options.only.search(row["class"] + " " + json.dumps(row["input"]))

    def _run_row(self, row, world):
        if "assumes" in row and not os.path.exists(row["assumes"]):
            self.skipped += 1
            return
        answer = world.run(self.options.hook, event_of(row, world))
        verdict = WORDS.get(answer.verdict, answer.verdict)
        shown = f"{row['class']}: {row['tool']} {json.dumps(row['input'])[:120]}"
        if self.options.verbose:
            print(f"     {shown}: {verdict} {answer.stdout.decode(errors='replace')[:400]}")
        if verdict == row["want"]:
            self.passed[row["class"]] += 1
        else:
            self.failed.append(f"{shown}: {verdict}, wanted {row['want']} ({answer})")


def rows_of(count, **member):
    return [{"id": number, "name": f"user {number}", "mail": f"u{number}@mail.example",
             "tags": ["a", "b/c"], "note": "text/plain; see above", **member}
            for number in range(count)]


# (name, input, verdict): what a real server may be given, and what is too much.
LARGE = (
    ("eight thousand rows of data", lambda world: {"rows": rows_of(8000)}, "permit"),
    ("one row of eight thousand names a path",
     lambda world: {"rows": rows_of(8000) + [{"x": "/etc/passwd"}]}, "deny"),
    ("one row of eight thousand leads out by a link",
     lambda world: {"rows": rows_of(8000) + [{"x": "link/secret.txt"}]}, "deny"),
    ("two thousand paths inside",
     lambda world: {"rows": [str(world.project / f"src/{n}.c") for n in range(2000)]}, "permit"),
    ("thirty thousand JSON pointers",
     lambda world: {"patch": [{"op": "add", "path2": f"/items-4711/{n}", "value": n}
                              for n in range(30000)]}, "permit"),
    ("ten megabytes of text", lambda world: {"content": "some text, a/b, ../x\n" * 500000}, "permit"),
    ("ten megabytes of small strings", lambda world: {"rows": ["the text of one row"] * 450000}, "permit"),
    ("more paths than are judged",
     lambda world: {"rows": [f"../outside/{n}" for n in range(30000)]}, "error"),
)


def run_large(options):
    problems = []
    with hook_world.World(extra=json.loads((FIXTURES / "policies.json").read_text())["usual"]) as world:
        for name, make, wanted in LARGE:
            if not options.only.search(name):
                continue
            event = world.event("mcp__team__do", make(world))
            began = time.monotonic()
            answer = world.run(options.hook, event)
            took = time.monotonic() - began
            verdict = WORDS.get(answer.verdict, answer.verdict)
            print(f"     {name}: {verdict}, {len(event) / MEGABYTE:.1f} MB in {took:.2f} s", flush=True)
            if verdict != wanted:
                problems.append(f"{name}: {verdict}, wanted {wanted} ({answer})")
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"     the hook used at most {largest:.0f} MB")
    if largest > 100:
        problems.append(f"the hook used {largest:.0f} MB")
    return problems


def main():
    options = parse_arguments()
    rows = Rows(options)
    rows.run()
    failed = rows.failed + ([] if options.no_large else run_large(options))
    for problem in failed:
        print("FAIL", problem)
    for name, count in rows.passed.items():
        print(f"ok   {name}: {count} calls")
    print(f"{sum(rows.passed.values())} passed, {len(failed)} failed, {rows.skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
