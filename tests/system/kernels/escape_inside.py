#!/usr/bin/env python3
"""The attempts of escape_attempts.py in the virtual machine, which has no pytest.

    escape_inside.py --probe PROGRAM --ringfence PROGRAM [--layers full|landlock] [--as-root]
                     [--together] [--only ROW]...

Prints a line for each row that failed or was skipped, and at the end "N passed, N failed, N skipped".
With --together all rows run in one sandbox, one after the other.
"""

import argparse
import os
import sys

from escape_attempts import Runner
from escape_machine import RARE
from escape_rows import ROWS
from ordinary_user import become_ordinary, place_with


def outcomes(options, runner):
    rows = [row for row in ROWS if not options.only or row.name in options.only]
    if options.together:
        yield from runner.try_together(rows)
        return
    for row in rows:
        yield row, runner.try_row(row.name)


def run_all(options, base):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    runner = Runner(options, base)
    try:
        problem = runner.cannot_start()
        if problem:
            counts["failed"] += 1
            print(f"FAILED the sandbox does not start: {problem}")
        for row, outcome in outcomes(options, runner) if not problem else ():
            kind = outcome.kind
            if kind == "skipped" and row.name not in RARE and os.environ.get("REQUIRE_SANDBOX") == "1":
                kind = "failed"
            counts[kind] += 1
            if kind != "passed":
                print(f"{kind.upper()} {row.name}: {outcome.text}", flush=True)
    finally:
        runner.close()
    print(", ".join(f"{count} {word}" for word, count in counts.items()), flush=True)
    return 1 if counts["failed"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--probe", required=True, type=os.path.abspath)
    parser.add_argument("--ringfence", required=True, type=os.path.abspath)
    parser.add_argument("--layers", choices=("full", "landlock"), default="full")
    parser.add_argument("--only", metavar="ROW", action="append")
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--as-root", action="store_true")
    parser.set_defaults(network=False)
    options = parser.parse_args()
    unknown = set(options.only or ()) - {row.name for row in ROWS}
    if unknown:
        parser.error(f"there is no row {', '.join(sorted(unknown))}")
    with place_with(options, ("probe", "ringfence")) as base:
        child = os.fork()  # a process that gave up root cannot remove root's files
        if child == 0:
            status = 1
            try:
                if not options.as_root:
                    become_ordinary(base)
                status = run_all(options, base)
            finally:
                sys.stdout.flush()
                os._exit(status)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
