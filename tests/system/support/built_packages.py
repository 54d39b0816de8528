"""The packages of the preset release."""

import subprocess

from repository import ROOT, VERSION

BUILT = ROOT / "build/release/packages"
PATIENCE = 900  # for debootstrap, on a busy machine


def run(*words, **more):
    done = subprocess.run(list(map(str, words)), text=True, capture_output=True, timeout=PATIENCE, check=False, **more)
    assert done.returncode == 0, f"{words}: {done}"
    return done.stdout


class Packages:
    """The files in build/release/packages."""

    def __init__(self):
        self.deb = BUILT / f"ringfence_{VERSION}_amd64.deb"
        self.rpm = BUILT / f"ringfence-{VERSION}-1.x86_64.rpm"
        self.tarball = BUILT / f"ringfence-{VERSION}-linux-x64.tar.gz"
        self.sbom = BUILT / f"ringfence-{VERSION}-linux-x64.spdx.json"
        self.sums = BUILT / "SHA256SUMS"
        self.npm = BUILT / "npm"
