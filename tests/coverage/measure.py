#!/usr/bin/env python3
"""Measures the branch coverage of the hook's and the egress proxy's code: every side of a branch
that no test takes must be listed in untaken.txt, under the reason.

    cmake --preset coverage && cmake --build --preset coverage
    tests/coverage/measure.py --build build/coverage [--no-run] [--no-unit] [--update]

The programs of that build write their counters below BUILD/profiles when they end. This script
runs the unit tests with them, and those system tests that depend only on the program. It ignores
test failures, which other parts of tests/run.sh report.

untaken.txt has lines "## REASON", each followed by the entries that it applies to. An entry is a
prefix: it covers every side whose description begins with it, so that one reason can cover a
condition anywhere in a function, or a whole function ("FILE FUNCTION:"). The longest entry
counts. Entries have no line numbers. The sides of an entry that begins with "~" depend on timing
or on the machine, and may be taken or not. --update rewrites the file and keeps entries that
still cover a side; new entries go under "## NEW", which is a failure until they get a reason or
a test.
"""

import argparse
import collections
import concurrent.futures
import glob
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIST = HERE / "untaken.txt"
FOLDERS = ("agents", "audit_log", "base", "policy", "hook", "proxy")
# Parts of these directories that only the commands use. Of the proxy: its main(), and what a worker
# runs confined, when it can no longer open the file of its counters; tests/system/proxy tests these.
NOT_COUNTED = ("agents/claude/setup/", "agents/claude/shell.", "agents/claude/transcripts/", "audit_log/chain.",
               "audit_log/order.", "base/json.", "base/json_edit.", "base/process.", "base/socket_pair.",
               "base/message_socket.", "proxy/main.", "proxy/worker/lockdown.", "proxy/worker/worker.")
NEW = "NEW"
# The side of a switch that matches none of its cases; -Wswitch-enum keeps the cases complete.
NO_CASE = re.compile(r": true of `[^`]*` in `switch \(")
NO_CASE_REASON = "no value of the enumeration is left: -Wswitch-enum"
# System tests in tests/system/hook that run the hook repeatedly. Not faults and limits: failing
# system calls and memory limits also hit the counters, and the branches of two processes that race
# for the log vary. Those tests run the shipped program.
SYSTEM_TESTS = ("corpus", "mcp", "captures", "failure", "failures", "wrap",
                "plugin_command")


def tool(name):
    """The path of an LLVM tool such as llvm-cov, of any installed version."""
    versions = sorted(glob.glob(f"/usr/bin/{name}-[0-9]*"), key=lambda path: (len(path), path))
    found = shutil.which(name) or (versions[-1] if versions else None)
    if found is None:
        sys.exit(f"error: {name} is not installed")
    return found


def run_tests(build, unit):
    profiles = build / "profiles"
    hook = build / "ringfence-hook"
    commands = []
    if unit:
        shutil.rmtree(profiles, ignore_errors=True)
        profiles.mkdir()
        commands = [[str(build / "tests/unit_tests")]]
    parallel = ["-n", str(os.cpu_count())] if importlib.util.find_spec("xdist") else []
    commands.append([sys.executable, "-m", "pytest", f"--hook={hook}", "-m", "not large", *parallel,
                     *(str(ROOT / f"tests/system/hook/test_{name}.py") for name in SYSTEM_TESTS)])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for line in pool.map(lambda command: run_test(command, build), commands):
            print(line, flush=True)


def run_test(command, build):
    """Runs one command in the build directory; returns its name and last line."""
    done = subprocess.run(command, cwd=build, stdout=subprocess.PIPE, check=False,
                          stderr=subprocess.STDOUT)
    last = done.stdout.decode(errors="replace").strip().splitlines()[-1:]
    name = "pytest" if len(command) > 1 else pathlib.Path(command[0]).name
    return f"  {name}: {''.join(last)}"


def export(build):
    profiles = [str(path) for path in (build / "profiles").glob("*.profraw")]
    if not profiles:
        sys.exit(f"error: no counters below {build / 'profiles'}")
    merged = build / "coverage.profdata"
    subprocess.run([tool("llvm-profdata"), "merge", "-sparse", *profiles, "-o", str(merged)],
                   check=True)
    done = subprocess.run(
        [tool("llvm-cov"), "export", "-format=text", f"-instr-profile={merged}",
         str(build / "tests/unit_tests"), "-object", str(build / "ringfence-hook")],
        check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["data"][0]["functions"]


def short_names(mangled):
    """The names of functions without namespace, parameters and template arguments."""
    symbols = [name.rsplit(":", 1)[-1] for name in mangled]
    done = subprocess.run([tool("llvm-cxxfilt")], input="\n".join(symbols).encode(), check=True,
                          stdout=subprocess.PIPE)
    return dict(zip(mangled, map(short_name, done.stdout.decode().splitlines())))


def short_name(name):
    for noise in ("(anonymous namespace)::", "ringfence::", "[abi:cxx11]"):
        name = name.replace(noise, "")
    name = re.sub(r"\boperator\(\)", "operator-call", name)
    name = name.replace("operator<=>", "operator-order").replace("operator->", "operator-arrow")
    while (shorter := re.sub(r"<[^<>]*>|\([^()]*\)(?: const)?", "", name)) != name:
        name = shorter
    name = re.sub(r"::(\$_\d+|'lambda\d*'|\{lambda[^}]*\}).*", "", name)
    return name.replace("&", "").split()[-1]


class Branches:
    """Every branch with the counts of both sides, summed over template instances."""

    def __init__(self, functions):
        self.counts = collections.defaultdict(lambda: [0, 0])
        self.function_at = {}
        names = short_names([function["name"] for function in functions])
        for function in functions:
            for branch in function["branches"]:
                file = project_file(function["filenames"][branch[6]])
                if file is None:
                    continue
                place = (file, *branch[:4])
                self.counts[place][0] += branch[4]
                self.counts[place][1] += branch[5]
                self.function_at[place] = names[function["name"]]

    def sides(self):
        return 2 * len(self.counts)

    def untaken(self):
        """The entries of all sides that were never taken, in source order."""
        seen = collections.Counter()
        for place in sorted(self.counts):
            for side, count in zip(("true", "false"), self.counts[place]):
                entry = self.describe(place, side)
                seen[entry] += 1
                if count == 0:
                    yield entry + (f" #{seen[entry]}" if seen[entry] > 1 else "")

    def describe(self, place, side):
        file, line, column, last_line, last_column = place
        lines = source_lines(file)[line - 1:last_line]
        text = lines[0].strip()
        lines[-1] = lines[-1][:last_column - 1]
        lines[0] = lines[0][column - 1:]
        condition = " ".join(part.strip() for part in lines)
        return f"{file} {self.function_at[place]}: {side} of `{condition}` in `{text}`"


def project_file(name):
    """The path below ROOT, if it is in one of FOLDERS. The compiler writes it relative to ROOT
    or to the build directory."""
    file = re.sub(r"^(\.{1,2}/)+", "", name)
    is_counted = file.split("/", 1)[0] in FOLDERS and not file.startswith(NOT_COUNTED)
    return file if is_counted else None


def source_lines(file, cache={}):
    if file not in cache:
        cache[file] = (ROOT / file).read_text().splitlines()
    return cache[file]


def read_list():
    """{entry: reason}, and the set of entries that may be taken or not."""
    reasons, unsteady, reason = {}, set(), None
    for line in LIST.read_text().splitlines() if LIST.exists() else ():
        if line.startswith("## "):
            reason = line[3:].strip()
        elif line.strip() and not line.startswith("# "):
            entry = line.removeprefix("~").strip()
            if reason is None or entry in reasons:
                sys.exit(f"error: {LIST.name}: no reason, or listed twice: {entry}")
            reasons[entry] = reason
            if line.startswith("~"):
                unsteady.add(entry)
    return reasons, unsteady


def entry_of(side, reasons):
    """The longest entry that covers this side, or None."""
    return max((entry for entry in reasons if side.startswith(entry)), key=len, default=None)


def write_list(untaken, reasons, unsteady):
    kept = {entry: reasons[entry] for entry in unsteady}
    for side in untaken:
        entry = entry_of(side, reasons)
        if entry is not None:
            kept[entry] = reasons[entry]
        else:
            # Keeps only the condition: the rest of the line changes more often.
            condition = side.split("` in `", maxsplit=1)[0] + "`"
            kept[condition] = NO_CASE_REASON if NO_CASE.search(side) else NEW
    groups = collections.defaultdict(list)
    for entry, reason in kept.items():
        groups[reason].append(f"{'~ ' if entry in unsteady else ''}{entry}")
    text = "# Sides of branches that no test takes, under the reason why: see measure.py.\n"
    for reason in sorted(groups, key=lambda reason: (reason == NEW, reason)):
        text += f"\n## {reason}\n" + "".join(entry + "\n" for entry in sorted(groups[reason]))
    LIST.write_text(text)


def compare(untaken, reasons, unsteady):
    """The differences from the list, one line each."""
    used = set()
    for side in untaken:
        entry = entry_of(side, reasons)
        used.add(entry)
        if reasons.get(entry, NEW) == NEW:
            yield f"never taken and without a reason: {side}"
    for entry in reasons:
        if entry not in used and entry not in unsteady:
            yield f"listed, but taken or gone: {entry}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--no-run", action="store_true", help="only evaluate the existing counters")
    parser.add_argument("--no-unit", action="store_true",
                        help="the unit tests have left their counters already")
    parser.add_argument("--update", action="store_true", help="rewrite untaken.txt")
    options = parser.parse_args()
    build = options.build.resolve()
    if not options.no_run:
        run_tests(build, not options.no_unit)
    branches = Branches(export(build))
    untaken = dict.fromkeys(branches.untaken())
    reasons, unsteady = read_list()
    if options.update:
        write_list(untaken, reasons, unsteady)
        reasons, unsteady = read_list()
    problems = list(compare(untaken, reasons, unsteady))
    for problem in problems:
        print(f"FAIL {problem}")
    sides = branches.sides()
    print(f"branch coverage of {', '.join(FOLDERS)}: {100 * (sides - len(untaken)) / sides:.2f} % "
          f"({sides - len(untaken)} of {sides} sides)")
    print(f"{sides - len(problems)} passed, {len(problems)} failed, 0 skipped")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
