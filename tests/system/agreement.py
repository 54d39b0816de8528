#!/usr/bin/env python3
"""Holds the hook's decisions against what `ringfence run` lets be done.

    agreement.py --agreement PROGRAM --agreement-probe PROGRAM --ringfence PROGRAM [--pairs N]

tests/agreement/main.cc says how. --seed N, or RINGFENCE_SEED, repeats a run.
"""

import argparse
import os
import pathlib
import subprocess
import sys

from ordinary_user import add_options, run_in_folder


def run_all(options, base):
    folder = pathlib.Path(base) / "worlds"
    folder.mkdir()
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}
    if options.seed:
        environment["RINGFENCE_SEED"] = options.seed
    sys.stdout.flush()
    return subprocess.run([options.agreement, options.ringfence, options.agreement_probe, folder,
                           str(options.pairs)], env=environment, check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--agreement", "--agreement-probe", "--ringfence"):
        parser.add_argument(name, required=True, type=os.path.abspath)
    parser.add_argument("--pairs", type=int, default=10000)
    parser.add_argument("--seed", default=os.environ.get("RINGFENCE_SEED"))
    add_options(parser)
    options = parser.parse_args()
    return run_in_folder(options, ("agreement", "agreement_probe", "ringfence"), run_all)


if __name__ == "__main__":
    sys.exit(main())
