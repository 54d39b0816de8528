#!/usr/bin/env python3
"""Mutation tests: changes one line of the sources at a time and reports the changes that no test
detects.

    tests/mutate.sh [--seed N] [--count N] [--skip N] [--only TEXT] [--keep DIR]

Changes policy/, agents/ and sandbox/ in a copy of the repository: negates a condition, swaps &&
and || or == and !=, shifts a bound by one, inverts a returned bool, or removes a statement. A
change that does not compile is replaced by another one. Runs the unit tests, and if these pass,
the system tests with the changed programs. Fails if no test detects a change. Takes one to three
minutes for a change that the unit tests detect, and up to half an hour for one that no test
detects, so it is not part of CI. To continue an interrupted run of the same sources, skip the
changes that it tried: the number in brackets of its last line.
"""

import argparse
import dataclasses
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROCESSORS = len(os.sched_getaffinity(0))
FOLDERS = ("policy", "agents", "sandbox")
# For another system, or not compiled here.
NOT_HERE = ("files/macos", "run/macos", "sandbox/macos", "sandbox/none", "staging/macos", "staging/store/macos")
# These change only the run time, so no test can detect a change.
ONLY_SPEED = re.compile(r"reserve\(|Expect\w*\(|Note\w*Time|kPage\b")


@dataclasses.dataclass
class Edit:
    path: str
    number: int  # of the line, from 1
    before: str
    after: str

    def __str__(self):
        return f"{self.path}:{self.number}: {self.before.strip()}\n       -> {self.after.strip()}"


def swapped(one, other):
    def edits(line):
        for old, new in ((one, other), (other, one)):
            for found in re.finditer(rf"(?<= ){re.escape(old)}(?= )", line):
                yield line[:found.start()] + new + line[found.end():]
    return edits


def negated(line):
    found = re.match(r"(\s*(?:\} else )?if (?:constexpr )?\()([^;]*)(\).*)$", line)
    if found and balanced(found[2]):
        yield f"{found[1]}!({found[2]}){found[3]}"


def other_truth(line):
    for old, new in (("return true;", "return false;"), ("return false;", "return true;")):
        if old in line:
            yield line.replace(old, new)


def off_by_one(line):
    found = re.match(r"(\s*constexpr \w+ k\w+ = )(\d+);", line)
    if found and found[2] != "0":
        yield f"{found[1]}{int(found[2]) - 1};" + line[found.end():]


def left_out(line):
    if re.match(r"  +[\w.>\[\]()-]+\(.*\);$", line) and balanced(line) and "return" not in line:
        yield re.match(r" *", line)[0] + ";"


def balanced(text):
    return text.count("(") == text.count(")")


OPERATORS = (negated, swapped("&&", "||"), swapped("==", "!="), swapped("<", "<="),
             swapped(">", ">="), other_truth, off_by_one, left_out)


def edits_of(root):
    """All edits, grouped by operator, so that each kind is equally likely."""
    found = {operator: [] for operator in OPERATORS}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.cc")):
            name = str(path.relative_to(root))
            if name.startswith(NOT_HERE):
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if line.lstrip().startswith(("//", "#", "template", "using", "CHECK")):
                    continue
                if ONLY_SPEED.search(line):
                    continue
                for operator in OPERATORS:
                    found[operator] += [Edit(name, number, line, after) for after in operator(line)]
    return found


def run(command, folder, seconds):
    """(succeeded, its output). A timeout counts as detected, since an endless loop causes it."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds,
                              errors="replace", check=False)
    except subprocess.TimeoutExpired:
        return False, "took too long"
    return done.returncode == 0, done.stdout + done.stderr


class Mutations:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.tree = folder / "tree"
        self.tests, self.programs = folder / "tests", folder / "programs"

    def prepare(self):
        print(f"copying and building in {self.folder}", flush=True)
        self.must(["git", "clone", "-q", str(ROOT), str(self.tree)], ROOT)
        common = ["cmake", "-G", "Ninja", "-S", str(self.tree), "-DCMAKE_EXPORT_COMPILE_COMMANDS=OFF"]
        self.must([*common, "-B", str(self.tests), "-DCMAKE_BUILD_TYPE=Debug", "-DRINGFENCE_MUSL=OFF",
                   "-DCMAKE_CXX_FLAGS_DEBUG=-O1", "-DRINGFENCE_PROBES=OFF"], ROOT)
        self.must([*common, "-B", str(self.programs), "-DCMAKE_BUILD_TYPE=Release",
                   "-DCMAKE_CXX_FLAGS_RELEASE=-O1", "-DRINGFENCE_TESTS=OFF"], ROOT)
        self.must(["cmake", "--build", str(self.tests), "--target", "unit_tests"], ROOT)
        self.must(["cmake", "--build", str(self.programs), "--target", "all", "probes"], ROOT)

    def must(self, command, folder):
        well, output = run(command, folder, 3600)
        if not well:
            sys.exit(f"{' '.join(command)} failed:\n{output[-4000:]}")

    def unit_tests(self):
        return run(["tests/unit_tests", "-nc", "--abort-after=1", "--minimal"], self.tests, 1800)

    def system_tests(self, edit):
        first, second = (("run",), ("hook", "cli")) if edit.path.startswith("sandbox") else (
            ("hook", "cli"), ("run",))
        for folders in first, second:
            well, output = run(
                ["/usr/bin/python3", "-m", "pytest", "-x", "-n", str(PROCESSORS), "-m", "not serial",
                 *(f"tests/system/{folder}" for folder in folders),
                 f"--hook={self.programs}/ringfence-hook", f"--ringfence={self.programs}/ringfence",
                 f"--probes={self.programs}/probes", *self.options.pytest], self.tree, 3600)
            if not well:
                break
        return well, output

    def verdict(self, edit):
        """"" if the edit does not compile; else the test that detected it, or "nothing"."""
        path = self.tree / edit.path
        text = path.read_text()
        lines = text.split("\n")
        lines[edit.number - 1] = edit.after
        path.write_text("\n".join(lines))
        try:
            return self.noticed_by(edit)
        finally:
            path.write_text(text)

    def noticed_by(self, edit):
        if not run(["cmake", "--build", str(self.tests), "--target", "unit_tests"], ROOT, 1800)[0]:
            return ""
        well, output = self.unit_tests()
        if not well:
            return "unit tests: " + failed_test(output)
        if not run(["cmake", "--build", str(self.programs), "--target", "all"], ROOT, 1800)[0]:
            return ""
        well, output = self.system_tests(edit)
        return "nothing" if well else "system tests: " + first_failure(output)

    def run(self):
        chance = random.Random(self.options.seed)
        sites = edits_of(self.tree)
        kinds = [kind for kind in OPERATORS if sites[kind]]
        unnoticed, done, tried = [], 0, 0
        while done < self.options.count:
            edit = chance.choice(sites[chance.choice(kinds)])
            if self.options.only not in edit.path:
                continue
            tried += 1
            if tried <= self.options.skip:
                continue
            began = time.monotonic()
            noticed = self.verdict(edit)
            if not noticed:
                continue
            done += 1
            print(f"{'FAIL' if noticed == 'nothing' else 'ok  '} {done}/{self.options.count} [{tried}] {edit}\n"
                  f"       noticed by {noticed} ({time.monotonic() - began:.0f} s)", flush=True)
            if noticed == "nothing":
                unnoticed.append(edit)
        print(f"{done - len(unnoticed)} passed, {len(unnoticed)} failed, 0 skipped")
        return 1 if unnoticed else 0


def failed_test(output):
    """The last test: they end with the first failure. Earlier ones only printed a message."""
    found = re.findall(r"TEST CASE: +(.*)", output)
    return found[-1].strip() if found else output.strip().splitlines()[-1] if output.strip() else "?"


def first_failure(output):
    found = re.search(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE)
    return found[1] if found else output.strip().splitlines()[-1] if output.strip() else "?"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--skip", type=int, default=0, metavar="N",
                        help="leave out the first N changes that this seed would try")
    parser.add_argument("--only", default="", metavar="TEXT", help="only files with this in the name")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR",
                        help="build in this new directory, and keep it")
    parser.add_argument("pytest", nargs="*", help="more options for pytest")
    options = parser.parse_args()
    if options.keep:
        if options.keep.exists():
            parser.error(f"{options.keep} exists already: remove it, or name a new directory")
        options.keep.mkdir(parents=True)
        mutations = Mutations(options, options.keep.resolve())
        mutations.prepare()
        return mutations.run()
    with tempfile.TemporaryDirectory(prefix="ringfence-mutate-") as folder:
        mutations = Mutations(options, pathlib.Path(folder))
        mutations.prepare()
        return mutations.run()


if __name__ == "__main__":
    sys.exit(main())
