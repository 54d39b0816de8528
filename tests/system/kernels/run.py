#!/usr/bin/env python3
"""Tests `ringfence run` on kernels of Debian's in QEMU, which needs no KVM and no rights.

    run.py --ringfence PROGRAM --hook PROGRAM --probe PROGRAM [--full] [--suite SUITE]...

Boots Debian 12's kernel, Linux 6.1, and runs what depends on the kernel. With --full all rows of
the escape list, a start without Landlock, and the kernels of other suites.
"""

import argparse
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

import machine
import packages

ROOT = pathlib.Path(__file__).resolve().parents[3]
LAYERS = ("", ",--layers,landlock")
NO_LANDLOCK = "lsm=yama,apparmor"
OLD, USUAL, NEW = "bullseye", "bookworm", "trixie"  # Linux 5.10, 6.1, 6.12

# The last one changes what cannot be changed back.
OTHERS = ["namespaces", "limits", "spellings", "ptrace"]
QUICK = ["host", *(f"escape,quick{layers}" for layers in LAYERS), *OTHERS]
FULL = ["host", *(f"escape{layers}" for layers in LAYERS), *OTHERS]
AS_ROOT = [f"escape,--as-root{layers}" for layers in LAYERS]


def boots_of(suite, full):
    """(options of the kernel, arguments of inside.py) of each boot."""
    if suite == OLD:
        return [("", ["old"])]
    if not full:
        return [("", QUICK)]
    return [("", FULL), ("", AS_ROOT), (NO_LANDLOCK, ["without-landlock"])]


def test_suite(suite, options, folder):
    """(passed, failed, skipped) of all boots."""
    counts = [0, 0, 0]
    kernel = machine.Kernel(packages.fetch(suite, options.cache), folder / suite)
    for extra, words in boots_of(suite, options.full):
        began = time.monotonic()
        seconds = machine.SECONDS * (10 if options.full else 1)
        output, console = machine.boot(kernel, options.disks, words, extra, seconds)
        *lines, last, end = output.splitlines() or ["", "", ""]
        found = re.search(r"(\d+) passed, (\d+) failed, (\d+) skipped$", last)
        print("\n".join(lines))
        print(f"{last or 'no output'} ({time.monotonic() - began:.0f} s)", flush=True)
        if end != "the end" or not found:
            print(f"FAILED {suite}: it did not come to the end:\n{last}\n{end}\n{console}", flush=True)
            counts[1] += 1
        else:
            counts = [one + int(other) for one, other in zip(counts, found.groups())]
    return counts


def test_all(options):
    counts = [0, 0, 0]
    programs = [options.ringfence, options.ringfence + "-cli", options.hook, options.probe]
    with tempfile.TemporaryDirectory(prefix="ringfence-kernels-", dir=options.cache) as folder:
        folder = pathlib.Path(folder)
        options.disks = [machine.make_root(folder, programs), *machine.make_disks(folder)]
        for suite in options.suite:
            try:
                more = test_suite(suite, options, folder)
            except (OSError, RuntimeError, StopIteration, subprocess.SubprocessError) as problem:
                print(f"FAILED {suite}: {type(problem).__name__}: {problem}", flush=True)
                more = [0, 1, 0]
            counts = [one + other for one, other in zip(counts, more)]
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    for name in ("ringfence", "hook", "probe"):
        parser.add_argument(f"--{name}", required=True, type=os.path.abspath)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--suite", action="append", help="of Debian; default: bookworm")
    parser.add_argument("--cache", default=ROOT / "build/kernels", type=os.path.abspath)
    options = parser.parse_args()
    if not options.suite:
        options.suite = [OLD, USUAL, NEW] if options.full else [USUAL]
    if platform.machine() != "x86_64" or not shutil.which("apt-get"):
        print("SKIPPED kernels: they are Debian's for x86-64\n0 passed, 0 failed, 1 skipped")
        return 0
    os.makedirs(options.cache, exist_ok=True)
    passed, failed, skipped = test_all(options)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
