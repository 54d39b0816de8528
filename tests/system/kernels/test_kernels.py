"""Tests `ringfence run` on Debian kernels in QEMU, without KVM and privileges.

Boots Debian 12's kernel, Linux 6.1, and runs the kernel-dependent tests; with --full also all rows
of the escape list, a start without Landlock, the kernels of other suites, and the kernel for arm64
with programs that were cross-built.
"""

import os
import pathlib
import platform
import re
import shutil
import tempfile

import pytest

import foreign
import machine
import packages
from repository import ROOT

CACHE = ROOT / "build/kernels"
LAYERS = ("", ",--layers,landlock")
NO_LANDLOCK = "lsm=yama,apparmor"
OLD, USUAL, NEW = "bullseye", "bookworm", "trixie"  # Linux 5.10, 6.1, 6.12
ARM64 = "bookworm on arm64"

# The last one changes a setting that cannot be changed back.
OTHERS = ["namespaces", "limits", "spellings", "network", "stages", "ptrace"]
QUICK = ["host", *(f"escape,quick{layers}" for layers in LAYERS), *OTHERS]
FULL = ["host", *(f"escape{layers}" for layers in LAYERS), *OTHERS]
ON_ARM64 = ["host", *(f"escape,quick{layers}" for layers in LAYERS), "stages", "network", "arm32"]
AS_ROOT = [f"escape,--as-root{layers}" for layers in LAYERS]


def boots_of(suite, full):
    """(kernel options, arguments of inside.py) of each boot."""
    if suite == OLD:
        return [("", ["old"])]
    if suite == ARM64:
        return [("", ON_ARM64)]
    if not full:
        return [("", QUICK)]
    return [("", FULL), ("", AS_ROOT), (NO_LANDLOCK, ["without-landlock"])]


def pytest_generate_tests(metafunc):
    if "suite" in metafunc.fixturenames:
        metafunc.parametrize("suite", (OLD, USUAL, NEW, ARM64) if metafunc.config.option.full else (USUAL,))


@pytest.fixture(name="folder", scope="module")
def fixture_folder():
    """A directory that gets the images of all disks: see `disks`."""
    if platform.machine() != "x86_64" or not shutil.which("apt-get"):
        pytest.skip("the kernels are Debian's for x86-64")
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ringfence-kernels-", dir=CACHE) as folder:
        yield pathlib.Path(folder)


@pytest.fixture(name="disks", scope="module")
def fixture_disks(folder, pytestconfig):
    option = pytestconfig.option
    parts = [f"{option.ringfence}{part}" for part in ("", "-cli", "-proxy", "-stage")]
    programs = [*parts, option.hook, os.path.join(option.probes, "escape_probe")]
    tree = machine.Tree(folder / "root")
    return [machine.make_root(tree, programs), *machine.make_disks(folder)]


@pytest.fixture(name="boot")
def fixture_boot(suite, folder, request):
    """Boots the suite's kernel: see machine.boot()."""
    if suite == ARM64:
        if reason := foreign.missing():
            pytest.skip(f"{suite}: {reason}")
        kernel = machine.Kernel(packages.fetch(USUAL, "arm64", CACHE), folder / "arm64-kernel",
                                machine.ARM64, foreign.busybox())
        disks = [machine.make_root(foreign.Tree(folder / "arm64"), foreign.programs())]
    else:
        kernel = machine.Kernel(packages.fetch(suite, "amd64", CACHE), folder / suite)
        disks = request.getfixturevalue("disks")
    return lambda *words: machine.boot(kernel, disks, *words)


def test_kernel(suite, boot, pytestconfig, checks):
    full = pytestconfig.option.full
    for extra, words in boots_of(suite, full):
        output, console = boot(words, extra, machine.SECONDS * (10 if full else 1))
        print(output)
        *lines, last, end = output.splitlines() or ["", "", ""]
        found = re.search(r"(\d+) passed, (\d+) failed, (\d+) skipped$", last)
        assert end == "the end" and found, f"it did not come to the end:\n{last}\n{end}\n{console}"
        add(checks, lines, *map(int, found.groups()))


def add(checks, lines, passed, failed, skipped):
    """The output inside the machine, and the counts of its last line, which must agree."""
    for word, kept, count in (("FAILED", checks.problems, failed), ("SKIPPED", checks.skipped, skipped)):
        told = [line for line in lines if re.search(rf"(^|: ){word} ", line)]
        assert len(told) == count, (word, count, told)
        kept += told
    checks.passed += passed
