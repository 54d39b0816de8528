"""Tries to escape from a sandbox, and checks the effect from outside.

Each row of the probe runs twice. Without a sandbox it must succeed, or it proves nothing; inside,
it must be stopped or have no effect outside, except for the few that escape_rows.py accepts. The
rows fn-* are operations that ordinary work needs, and must work both times. Rows that this machine
itself refuses are skipped with the reason.
"""

import collections
import json
import os
import shlex

from escape_fixture import EscapeWorld
from escape_machine import machine_refuses
from escape_rows import (ACCEPTED, ACCEPTED_LANDLOCK, ACCEPTED_LANDLOCK_ROOT, ENDS_THE_COMMAND,
                         REFUSED_AT_START, ROWS)

NO_SANDBOX_STATUS = 125

POLICY = {"version": 1, "read": {"deny": ["**/.env", "@secrets"]},
          "sandbox": {"memory": "512M", "processes": 256}}
NETWORK = {"allow": ["good.example", "*:4321"]}

# Result of a row: "open", "virtual" (succeeded inside, no effect outside), "stopped", "works",
# "broken", "skipped", or "" if the probe gave no answer.
Result = collections.namedtuple("Result", "verdict detail")
# `kind`: passed, failed or skipped, with the reason in `text`; and the two verdicts.
Outcome = collections.namedtuple("Outcome", "kind text bare inside")


# -- evaluation -----------------------------------------------------------------------------------

def result_of(row, done, look):
    # A visible effect counts, whatever the probe reported.
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


def classify(row, bare, inside, expected_open, accepted):
    """(passed, failed or skipped; the reason)."""
    good = "works" if row.function else "open"
    if bare.verdict != good and (expected_open or row.function):
        reason = machine_refuses(row, bare)
        if reason and inside.verdict not in ("open", "broken", ""):
            return "skipped", reason
        if not reason:
            return "failed", f"without a sandbox: {bare.verdict or 'no answer'}: {bare.detail}"
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
    """`options`: `probe`, and `ringfence` or `launcher`, a template; `layers`; `network` if the policy
    has one."""

    def __init__(self, options, base):
        self.options = options
        self.world = EscapeWorld(base, options.probe)
        self.policy = self.world.base / "policy.json"
        self.policy.write_text(json.dumps({**POLICY, **({"network": NETWORK} if options.network else {})}))

    def probe(self, *rows):
        return [str(self.world.project / "escape_probe"),
                str(self.world.project / "escape_fixture"), *(row.name for row in rows)]

    def confined(self, *rows):
        if self.options.ringfence:
            return [self.options.ringfence, "run", "--policy", str(self.policy), "--layers",
                    self.options.layers, "--", *self.probe(*rows)]
        command = []
        for word in shlex.split(self.options.launcher):
            command += self.probe(*rows) if word == "{probe}" else [word.format(
                project=self.world.project, home=self.world.home, outside=self.world.outside)]
        return command

    def run(self, row, command):
        self.world.restore()
        return result_of(row, *self.world.run(row.name, command))

    def try_row(self, name):
        """The Outcome of the row."""
        row = row_named(name)
        return self.classified(row, self.run(row, self.probe(row)), self.run(row, self.confined(row)))

    def try_together(self, rows):
        """(row, Outcome) of each, with one start for all, if starting takes most of the time.
        Rows with the same visible effect fail together."""
        found = []
        for command in (self.probe(*rows), self.confined(*rows)):
            self.world.restore()
            done, look = self.world.run("", command)
            found.append([result_of(row, done.of(row.name), look) for row in rows])
        return [(row, self.classified(row, bare, inside)) for row, bare, inside in zip(rows, *found)]

    def try_names(self, names):
        """As try_together(): (name, Outcome) of each."""
        return [(row.name, outcome) for row, outcome in self.try_together([row_named(name) for name in names])]

    def classified(self, row, bare, inside):
        root = os.geteuid() == 0
        # Root may do more than the table's ordinary user, but cannot gain root.
        expected = row.open_to_all or (root and row.name != "setuid-0")
        accepted = ACCEPTED
        if self.options.layers != "full":
            accepted = ACCEPTED_LANDLOCK_ROOT if root else ACCEPTED_LANDLOCK
        kind, text = classify(row, bare, inside, expected, accepted)
        return Outcome(kind, text, bare.verdict or "?", inside.verdict or "?")

    def cannot_start(self):
        """The reason why the sandbox does not start at all, or ""."""
        row = row_named("fn-devnull")
        self.world.restore()
        done, _ = self.world.run(row.name, self.confined(row))
        return "" if done.verdict else f"status {done.status}: {done.errors[-500:]}"

    def close(self):
        self.world.close()


def row_named(name):
    return next(row for row in ROWS if row.name == name)
