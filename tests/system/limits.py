#!/usr/bin/env python3
"""Runs the hook where something is missing, full, slow or too small, and many at once.

    limits.py --hook build/release/ringfence-hook [--only REGEX]

Whatever happens, an event that must be denied is not let through, and no run ends in a status other
than 0 and 2.
"""

import argparse
import concurrent.futures
import inspect
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import limits_crowd
import limits_files
import limits_resources
import limits_streams
from hook_world import Report, SkipTest, program


def tests():
    """Every function named test_... of the modules, with what it says of itself."""
    for module in (limits_streams, limits_files, limits_resources, limits_crowd):
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if name.startswith("test_"):
                yield name[len("test_"):].replace("_", " "), function


class Tools:
    """The hook, and the launcher if it could be compiled."""

    def __init__(self, hook, folder):
        self.hook, self.folder = hook, folder
        source = pathlib.Path(__file__).with_name("launcher.c")
        self.launcher = self.compile(source, "launcher")

    def compile(self, source, name, *flags):
        """A static program, or None where there is no compiler for one."""
        built = self.folder / name
        if shutil.which("cc") is None:
            return None
        done = subprocess.run(["cc", "-O1", "-static", *flags, "-o", str(built), str(source)],
                              stderr=subprocess.PIPE, check=False)
        return built if done.returncode == 0 else None


def perform(name, function, tools, report):
    """A test returns what is wrong, or a list of (name, what is wrong); or raises SkipTest."""
    try:
        outcome = function(tools)
    except SkipTest as reason:
        report.skip(name, str(reason))
        return
    for part, problem in outcome if isinstance(outcome, list) else [("", outcome)]:
        report.check(f"{name}{': ' if part else ''}{part}", problem)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hook", type=program, required=True, help="the ringfence-hook to test")
    parser.add_argument("--only", type=re.compile, default=re.compile(""), metavar="REGEX",
                        help="only tests whose name matches")
    options = parser.parse_args()
    report = Report()
    wanted = [(name, function) for name, function in tests() if options.only.search(name)]
    with tempfile.TemporaryDirectory(prefix="ringfence-limits.") as folder:
        tools = Tools(options.hook, pathlib.Path(folder))
        # Most of those that wait for the hook's deadline do nothing else.
        waiting = [test for test in wanted if getattr(test[1], "waits", False)]
        with concurrent.futures.ThreadPoolExecutor(max(1, len(waiting))) as pool:
            for _ in pool.map(lambda test: perform(*test, tools, report), waiting):
                pass
        for name, function in wanted:
            if not getattr(function, "waits", False):
                perform(name, function, tools, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
