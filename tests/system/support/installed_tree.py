"""The installed files: what `cmake --install` writes, which packages contain."""

import subprocess

from repository import ROOT


def install_tree(prefix):
    done = subprocess.run(["cmake", "--install", ROOT / "build/release", "--prefix", prefix], capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == 0, done
    return prefix
