#!/usr/bin/env python3
"""Plays a working day: ordinary calls of the real Claude Code client, with the policy that
`ringfence init` writes, and the same calls without ringfence.

    run.py --hook build/release/ringfence-hook --ringfence build/release/ringfence

Each row below rows/ says what becomes of one call; a difference in either direction fails. Both pinned
clients are fetched once into the cache (see ../client/client.py). To try another one: CLAUDE_BIN=PROGRAM.
README.md says how to add a row.
"""

import argparse
import concurrent.futures
import pathlib
import re
import sys
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "client"))

import client
import plays
import rows
import session

AT_A_TIME = 2


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hook", type=program, required=True, help="the ringfence-hook to test")
    parser.add_argument("--ringfence", type=program, required=True, help="the ringfence command")
    parser.add_argument("--only", type=re.compile, default=re.compile(""), metavar="REGEX",
                        help="only sessions whose 'TOPIC VERSION MODE with|without ringfence' matches")
    parser.add_argument("--wrap", action="store_true",
                        help="commands in ringfence's own sandbox (bash.wrap), not the client's")
    parser.add_argument("--keep", action="store_true", help="keep the temporary folders")
    parser.add_argument("--require", action="store_true", help="what would be skipped fails")
    parser.add_argument("-v", "--verbose", action="store_true", help="every row, and times")
    return parser.parse_args()


def program(text):
    path = pathlib.Path(text).resolve()
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"there is no {path}")
    return path


class Report:
    def __init__(self, options):
        self._options = options
        self.passed = self.failed = self.skipped = 0

    def add(self, topic, setting, played):
        shown, seen, problems = played
        for row in topic.played(setting.mode, setting.is_fenced):
            if row in shown:
                self._judge(f"{topic.name} {setting}: {row.name}", row, setting, seen.get(row.name))
            else:
                self.skip(f"{topic.name} {setting}: {row.name}: without {' or '.join(row.needs)}")
        self._count(f"{topic.name} {setting}: the session as a whole", problems)

    def _judge(self, name, row, setting, seen):
        expected = row.expected(setting.mode, setting.is_fenced)
        if seen is None:
            self._count(name, ["no result ever reached the model"])
        elif row.is_met_by(seen.verdict(), setting.mode, setting.is_fenced):
            self._count(name, [])
        else:
            missing = f" without {seen.missing}" if seen.ran and seen.missing else ""
            self._count(name, [f"{seen.verdict()}, not {expected}{missing}: {seen.text[:500]!r}"])

    def _count(self, name, problems):
        if problems or self._options.verbose:
            print(f"{'FAIL' if problems else 'ok  '} {name}", flush=True)
        for problem in problems:
            print(f"       {problem}", flush=True)
        self.failed += bool(problems)
        self.passed += not problems

    def skip(self, what):
        print(f"SKIP {what}", flush=True)
        if self._options.require:
            self.failed += 1
        else:
            self.skipped += 1

    def last_line(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def settings(clients, is_wrapped):
    """With ringfence each client in each mode; without it, for comparison, the newest client."""
    for mode in rows.MODES:
        for version, path in clients:
            yield plays.Setting(version, path, mode, True, is_wrapped)
        for version, path in clients[-1:]:
            yield plays.Setting(version, path, mode, False)


def summary(topics):
    """What the rows themselves say; rows.load() refuses a row that lacks a reason."""
    every = [row for topic in topics for row in topic.rows]
    shell = sum(row.use[0] in rows.SHELLS for row in every)
    added = sum(bool(row.fence) for row in every)
    return (f"{len(every)} calls, {shell} of them shell commands; ringfence asks about or refuses {added}, "
            f"each with a reason")


def play(topic, setting, tools, keep):
    began = time.monotonic()
    try:
        played = plays.play(topic, setting, tools, keep)
    except Exception:  # one session that cannot be played must not hide the others
        played = (topic.rows, {}, [traceback.format_exc()])
    return played, time.monotonic() - began


def main():
    options = parse_arguments()
    report = Report(options)
    try:
        topics, clients = rows.load(), client.find_all()
    except rows.Mistake as mistake:
        print(f"FAIL {mistake}\n0 passed, 1 failed, 0 skipped")
        return 1
    except client.Unavailable as reason:
        report.skip(f"the day: {reason}")
        topics, clients = [], []
    jobs = [(topic, setting) for setting in settings(clients, options.wrap) for topic in topics
            if setting.mode in topic.modes and options.only.search(f"{topic.name} {setting}")]
    tools = session.Tools(None, options.hook, options.ringfence)
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        futures = [pool.submit(play, topic, setting, tools, options.keep) for topic, setting in jobs]
        for (topic, setting), future in zip(jobs, futures):
            played, seconds = future.result()
            report.add(topic, setting, played)
            if options.verbose:
                print(f"     ({topic.name} {setting}: {seconds:.1f} s)", flush=True)
    print(summary(topics))
    print(report.last_line())
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
