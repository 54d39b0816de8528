"""Compares the hook's decisions with what `ringfence run` allows.

tests/agreement/main.cc has the details. --seed N, or RINGFENCE_SEED, repeats a run.
"""

import os
import subprocess

from ordinary_user import become_ordinary, place_with


def test_agreement(programs, pytestconfig):
    options = pytestconfig.option
    with place_with(programs, ("agreement", "agreement_probe", "ringfence")) as base:
        folder = base / "worlds"
        folder.mkdir()
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}
        if options.seed is not None:
            environment["RINGFENCE_SEED"] = str(options.seed)
        done = subprocess.run(
            [programs.agreement, programs.ringfence, programs.agreement_probe, folder, str(options.pairs)],
            env=environment, check=False, capture_output=True, text=True,
            preexec_fn=lambda: os.geteuid() or become_ordinary(base))
    print(done.stdout)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert done.stdout.endswith("1 passed, 0 failed, 0 skipped\n"), done.stdout[-300:]
