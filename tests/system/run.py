#!/usr/bin/env python3
"""Runs commands under the built `ringfence run`: how everybody inside
ends.

  run.py --ringfence PATH --hook PATH

Prints a line for each case that failed, and at the end "N passed, N failed, N skipped".
"""

import os
import pathlib
import sys

from command_world import run_cases

LAYERS = ("full", "landlock")


def processes_with(text):
    """Those that have `text` in their command line."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and text in (folder / "cmdline").read_text(errors="replace"):
                found.append(folder.name)
        except OSError:
            continue
    return found


def a_tree_that_is_left_behind_ends_with_the_command(world):
    for layers in LAYERS:
        mark = f"{os.getpid()}.left.{layers}"
        script = f"sh -c 'sh -c \"touch ready; sleep 1000; : {mark}\" & sleep 1000; : {mark}' & " \
                 "until [ -e ready ]; do sleep 0.01; done; rm ready"
        done = world.run("run", "--layers", layers, "--", "sh", "-c", script)
        assert done.returncode == 0, done.stderr
        assert not processes_with(mark), layers


if __name__ == "__main__":
    sys.exit(run_cases(sys.modules[__name__]))
