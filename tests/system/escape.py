#!/usr/bin/env python3
"""Tries to get out of `ringfence run`, and looks at the effect from outside.

    escape.py --probe PROGRAM [--ringfence PROGRAM | --launcher TEMPLATE] [OPTIONS]

Each row of the probe runs twice. Without a sandbox it must succeed, or it proves nothing; inside it
must be stopped, or have no effect outside, but for the few that escape_rows.py accepts. The rows
fn-* are what ordinary work needs, and must work both times. What this machine itself refuses is
skipped with its reason; with REQUIRE_SANDBOX=1 that is a failure.

Started as root, all of it runs as an ordinary user; with --as-root, as root. A template for another
sandbox holds {probe} where the probe and its arguments belong, and may hold {project}, {home} and
{outside}. Without a sandbox to try, only the rows without one run.
"""

import argparse
import collections
import json
import os
import shlex
import subprocess
import sys

from escape_fixture import World
from escape_machine import RARE, machine_refuses
from escape_rows import (ACCEPTED, ACCEPTED_LANDLOCK, ACCEPTED_LANDLOCK_ROOT, ENDS_THE_COMMAND,
                         REFUSED_AT_START, ROWS)
from ordinary_user import add_options, run_in_folder

NO_SANDBOX_STATUS = 125

POLICY = {"version": 1, "read": {"deny": ["**/.env", "@secrets"]},
          "sandbox": {"memory": "512M", "processes": 256}}

# What was seen of a row: "open", "virtual" (succeeded inside, nothing happened outside), "stopped",
# "works", "broken", "skipped", or "" when the probe did not come to say.
Result = collections.namedtuple("Result", "verdict detail")


# -- judging --------------------------------------------------------------------------------------

def result_of(row, done, look):
    # What is seen counts, whatever the probe came to say.
    if row.seen and row.seen(look):
        return Result("open", done.detail)
    if done.verdict == "open" and row.seen:
        return Result("virtual", done.detail)
    if not done.verdict and row.name in ENDS_THE_COMMAND and done.status != NO_SANDBOX_STATUS:
        return Result("stopped", f"the command ended with {done.status}")
    if not done.verdict and row.name in REFUSED_AT_START and done.status == NO_SANDBOX_STATUS:
        return Result("stopped", f"the sandbox did not start: {done.errors[-100:]}")
    if not done.verdict:
        return Result("", f"status {done.status}, no answer: {done.errors[-300:]}")
    return Result(done.verdict, done.detail)


class Report:
    """The table, and the figures of the last line."""

    def __init__(self, required):
        self.required = required
        self.counts = {"passed": 0, "failed": 0, "skipped": 0}
        self.table = []

    def add(self, outcome, row, text=""):
        if outcome == "skipped" and self.required and row.name not in RARE:
            outcome, text = "failed", f"{text} (REQUIRE_SANDBOX)"
        self.counts[outcome] += 1
        if outcome != "passed" or text:
            print(f"{outcome.upper()} {row.name}: {text}", flush=True)

    def finish(self, with_table):
        if with_table:
            for line in self.table:
                print("{:28} {:9} {:9} {}".format(*line))
        print(", ".join(f"{count} {word}" for word, count in self.counts.items()))
        return 1 if self.counts["failed"] else 0


def judge(row, bare, inside, expected_open, accepted):
    """(passed, failed or skipped; what to say)."""
    good = "works" if row.function else "open"
    if bare.verdict != good and (expected_open or row.function):
        reason = machine_refuses(row, bare)
        if reason and (inside is None or inside.verdict not in ("open", "broken", "")):
            return "skipped", reason
        if not reason:
            return "failed", f"without a sandbox: {bare.verdict or 'no answer'}: {bare.detail}"
    if inside is None:
        return "passed", ""
    if inside.verdict == "":
        return "failed", inside.detail
    if row.name in accepted:
        as_accepted = inside.verdict in ("open", "broken")
        return "passed", "" if as_accepted else f"accepted, but it is {inside.verdict}"
    if inside.verdict in ("open", "broken"):
        return "failed", f"{inside.verdict}: {inside.detail}"
    if inside.verdict == "skipped":
        return "skipped", inside.detail
    return "passed", ""


# -- running --------------------------------------------------------------------------------------

class Runner:
    def __init__(self, options, base):
        self.options = options
        self.world = World(base, options.probe)
        self.policy = self.world.base / "policy.json"
        self.policy.write_text(json.dumps(POLICY))

    def probe(self, *rows):
        return [str(self.world.project / "escape_probe"),
                str(self.world.project / "escape_fixture"), *(row.name for row in rows)]

    def confined(self, *rows):
        if self.options.ringfence:
            return [self.options.ringfence, "run", "--policy", str(self.policy), "--layers",
                    self.options.layers, *self.options.extra, "--", *self.probe(*rows)]
        command = []
        for word in shlex.split(self.options.launcher):
            command += self.probe(*rows) if word == "{probe}" else [word.format(
                project=self.world.project, home=self.world.home, outside=self.world.outside)]
        return command

    def run(self, row, command):
        self.world.restore()
        return result_of(row, *self.world.run(row.name, command))

    def run_row(self, row, report):
        bare = self.run(row, self.probe(row))
        inside = self.run(row, self.confined(row)) if self.options.sandbox else None
        self.judge(row, bare, inside, report)

    def run_together(self, rows, report):
        """One start for all, where starting is what takes the time. Rows that are seen in the same
        way fail together."""
        found = []
        for command in (self.probe(*rows), self.confined(*rows)):
            self.world.restore()
            done, look = self.world.run("", command)
            found.append([result_of(row, done.of(row.name), look) for row in rows])
        for row, bare, inside in zip(rows, *found):
            self.judge(row, bare, inside, report)

    def judge(self, row, bare, inside, report):
        root = os.geteuid() == 0
        # Root may do more than the table's ordinary user, but has nothing to become.
        expected = row.open_to_all or (root and row.name != "setuid-0")
        accepted = ACCEPTED
        if self.options.layers != "full":
            accepted = ACCEPTED_LANDLOCK_ROOT if os.geteuid() == 0 else ACCEPTED_LANDLOCK
        outcome, text = judge(row, bare, inside, expected, accepted)
        report.add(outcome, row, text)
        report.table.append((row.name, bare.verdict or "?",
                             inside.verdict or "?" if inside else "-",
                             inside.detail if inside else bare.detail))

    def cannot_start(self):
        """Why the sandbox does not start at all; "" when it does."""
        row = next(row for row in ROWS if row.name == "fn-devnull")
        self.world.restore()
        done, _ = self.world.run(row.name, self.confined(row))
        return "" if done.verdict else f"status {done.status}: {done.errors[-500:]}"


def check_names(probe):
    """The probe and escape_rows.py know the same rows."""
    listed = subprocess.run([probe, "list"], capture_output=True, text=True, check=True)
    probes, ours = listed.stdout.split(), [row.name for row in ROWS]
    assert probes == ours, f"the lists differ: {sorted(set(probes) ^ set(ours)) or 'in order'}"


def run_all(options, base):
    report = Report(os.environ.get("REQUIRE_SANDBOX") == "1")
    check_names(options.probe)
    runner = Runner(options, base)
    try:
        if options.sandbox:
            problem = runner.cannot_start()
            if problem:
                print(f"the sandbox does not start: {problem}")
                runner.options.sandbox = False
                report.add("skipped" if f"status {NO_SANDBOX_STATUS}" in problem else "failed",
                           ROWS[0], "the sandbox does not start")
        rows = [row for row in ROWS if not options.only or row.name in options.only]
        if options.together and options.sandbox:
            runner.run_together(rows, report)
        else:
            for row in rows:
                runner.run_row(row, report)
    finally:
        runner.world.close()
    return report.finish(options.table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--probe", required=True, type=os.path.abspath)
    parser.add_argument("--ringfence", type=os.path.abspath)
    parser.add_argument("--launcher", metavar="TEMPLATE", help="another sandbox's command line")
    parser.add_argument("--extra", metavar="OPTIONS", type=shlex.split, default=[],
                        help="more options for `ringfence run`")
    parser.add_argument("--layers", choices=("full", "landlock"), default="full")
    parser.add_argument("--only", metavar="ROW", action="append")
    parser.add_argument("--together", action="store_true",
                        help="try all rows in one sandbox, one after the other")
    parser.add_argument("--table", action="store_true", help="print what became of every row")
    add_options(parser)
    options = parser.parse_args()
    unknown = set(options.only or ()) - {row.name for row in ROWS}
    if unknown:
        parser.error(f"there is no row {', '.join(sorted(unknown))}")
    options.sandbox = bool(options.ringfence or options.launcher)
    return run_in_folder(options, ("probe", "ringfence"), run_all)


if __name__ == "__main__":
    sys.exit(main())
