#!/usr/bin/env python3
"""Drives the real Claude Code client, without a model, and checks what the hook makes of its calls.

    run.py --hook build/release/ringfence-hook [--ringfence build/release/ringfence]

Each case is one tool call: what the model was told about it and what happened on disk. The client
is the program named by CLAUDE_BIN, of any version, or the newest pinned one from the cache
(${XDG_CACHE_HOME:-~/.cache}/ringfence-tests/), which `npm pack` fills once; with --each-client
every pinned one. Nothing else needs the network: the model is a script, served on 127.0.0.1.
"""

import argparse
import pathlib
import re
import sys
import time
import traceback

import client
import session as sessions
from cases import SESSIONS


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hook", type=program, required=True, help="the ringfence-hook to test")
    parser.add_argument("--ringfence", type=program, help="the ringfence command: tests init too")
    parser.add_argument("--only", type=re.compile, default=re.compile(""), metavar="REGEX",
                        help="only cases whose 'session: call' matches")
    parser.add_argument("--each-client", action="store_true", help="with each pinned client")
    parser.add_argument("--keep", action="store_true", help="keep the temporary folders")
    parser.add_argument("--require", action="store_true", help="what would be skipped fails")
    parser.add_argument("-v", "--verbose", action="store_true", help="times of the sessions too")
    return parser.parse_args()


def program(text):
    path = pathlib.Path(text).resolve()
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"there is no {path}")
    return path


class Report:
    """Prints a line a case and counts."""

    def __init__(self, wanted, required):
        self._wanted, self._required = wanted, required
        self.passed = self.failed = self.skipped = 0

    def wants(self, session):
        return any(self._is_wanted(session, name) for name in session.case_names())

    def _is_wanted(self, session, name):
        return self._wanted.search(f"{session.name}: {name}")

    def judged(self, session, outcomes):
        for outcome in outcomes:
            if self._is_wanted(session, outcome.name):
                self._judged_one(f"{session.name}: {outcome.name}", outcome.problems)

    def _judged_one(self, name, problems):
        print(f"{'FAIL' if problems else 'ok  '} {name}", flush=True)
        for problem in problems:
            print(f"       {problem}", flush=True)
        self.failed += bool(problems)
        self.passed += not problems

    def skip(self, session, reason):
        count = sum(bool(self._is_wanted(session, name)) for name in session.case_names())
        print(f"SKIP: {session.name} ({count} cases): {reason}", flush=True)
        if self._required:
            self.failed += count
        else:
            self.skipped += count

    def broken(self, session, trace):
        for name in session.case_names():
            if self._is_wanted(session, name):
                self._judged_one(f"{session.name}: {name}", [trace])

    def last_line(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def perform(session, tools, report, options):
    began = time.monotonic()
    try:
        report.judged(session, sessions.perform(session, tools, options.keep))
    except sessions.Skip as reason:
        report.skip(session, reason)
    except Exception:  # one session that cannot be played must not hide the others
        report.broken(session, traceback.format_exc())
    if options.verbose:
        print(f"     ({session.name}: {time.monotonic() - began:.1f} s)", flush=True)


def main():
    options = parse_arguments()
    report = Report(options.only, options.require)
    wanted = [session for session in SESSIONS if report.wants(session)]
    try:
        clients = client.find_all(client.VERSIONS if options.each_client else client.VERSIONS[-1:])
    except client.Unavailable as reason:
        for session in wanted:
            report.skip(session, reason)
        clients = []
    for version, claude in clients:
        print(f"-- Claude Code {version}", flush=True)
        tools = sessions.Tools(claude, options.hook, options.ringfence)
        for session in wanted:
            perform(session, tools, report, options)
    print(report.last_line())
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
