#!/usr/bin/env python3
"""Runs the bypass cases against the built hook, and other projects' JSON where it is at hand.

    corpus.py --hook build/release/ringfence-hook [--only REGEX] [-v] [-j N] [--corpora DIR] [FILE...]

A FILE has one case a line (corpus_case.py says what is in it); the policies are made from
policy-template.json beside it. Without FILE: fixtures/bypass/bypass.jsonl. An answer is read as the
client reads it. A question (ask) stops a case that must be denied, and fails one that must pass.

--corpora DIR: also feeds every file of DIR/json-test-suite/test_parsing to the hook, as the event,
as the policy and as the arguments of a tool.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import sys

import corpus_json
import corpus_case
from hook_world import Report, program

ROOT = pathlib.Path(__file__).resolve().parents[2]


def load(files):
    """Every case with the template of its file. The id names a case, so it occurs once."""
    cases = {}
    for file in files:
        template = file.with_name("policy-template.json").read_text(encoding="utf-8")
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip():
                continue
            case = json.loads(line)
            if case["id"] in cases:
                sys.exit(f"{file}:{number}: a second case {case['id']}")
            if case["expect"] not in ("allow", "deny", "error"):
                sys.exit(f"{file}:{number}: expect is {case['expect']!r}")
            cases[case["id"]] = (case, template)
    return cases.values()


def run_one(case, template, hook):
    """The answer, or the exception that kept the case from being run."""
    try:
        with corpus_case.Tree(case, template) as tree:
            return tree.run(hook)
    except Exception as error:  # a broken case is a failure of its own, not the end of the run
        return error


def tell(case, answer, options, report):
    name = f"{case['id']} ({case['class']}: {case['why']})"
    if isinstance(answer, Exception):
        report.check(name, f"could not be run: {answer!r}")
        return
    report.check(name, corpus_case.problem(case, answer))
    if options.verbose:
        print(f"{case['id']}: {answer}\n  {answer.stdout.decode(errors='replace').strip()[:600]}")


def run_cases(options, report):
    chosen = []
    for case, template in load(options.files):
        if not re.search(options.only, f"{case['id']} {case['class']}"):
            continue
        if reason := corpus_case.skip_reason(case):
            report.skip(case["id"], reason)
        else:
            chosen.append((case, template))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        answers = pool.map(lambda item: run_one(*item, options.hook), chosen)
        for (case, _), answer in zip(chosen, answers):
            tell(case, answer, options, report)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--hook", type=program, required=True)
    parser.add_argument("--only", default="", metavar="REGEX", help="on the id and the class")
    parser.add_argument("-v", "--verbose", action="store_true", help="show every answer")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--corpora", type=pathlib.Path, metavar="DIR")
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE",
                        default=[ROOT / "fixtures/bypass/bypass.jsonl"])
    options = parser.parse_args()
    report = Report()
    run_cases(options, report)
    if options.corpora:
        corpus_json.run(options, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
