"""The files of a virtual machine for arm64: Debian's packages and programs of the preset release-arm64."""

import os
import shutil

import machine
from repository import ROOT

PACKAGES = ("busybox-static", "coreutils", "dash", "procps", "python3")
CACHE = ROOT / "build/arm64-root"
BUILD = ROOT / "build/release-arm64"
PROGRAMS = ("ringfence", "ringfence-cli", "ringfence-hook", "ringfence-proxy", "ringfence-stage",
            "probes/escape_probe")
# Directories of the packages that no test needs.
UNUSED = ("doc", "info", "locale", "man", "perl*", "perl-base", "zoneinfo")


def programs():
    """Paths of the programs. `tests/run.sh --full --only kernels` builds them."""
    return [BUILD / name for name in PROGRAMS]


def missing():
    """The reason why the machine cannot run, or ""."""
    if not shutil.which(machine.ARM64.command[0]):
        return f"{machine.ARM64.command[0]} is not installed"
    absent = [str(path) for path in programs() if not os.access(path, os.X_OK)]
    return f"not built: {', '.join(absent)}" if absent else ""


def packages():
    """The unpacked packages, with their dependencies."""
    machine.run(ROOT / "packaging/arm64_packages.sh", "--dependencies", CACHE, *PACKAGES)
    return CACHE


def busybox():
    return packages() / "usr/bin/busybox"


class Tree(machine.Tree):
    """A root file system of the packages."""

    def fill(self):
        for name in ("etc", "usr"):
            shutil.copytree(packages() / name, self.root / name, symlinks=True, dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns(*UNUSED, *machine.UNUSED))

    def add_test(self, program):
        """The programs under test need no other library than the C library."""
        shutil.copy(program, self.root / "tests")
