"""The packages of the preset release, and roots to install them into."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from ordinary_user import ORDINARY_USER, place_for_base, remove
from repository import ROOT

BUILT = ROOT / "build/release/packages"
PATIENCE = 300


def run(*words, **more):
    done = subprocess.run(list(map(str, words)), text=True, capture_output=True, timeout=PATIENCE, check=False, **more)
    assert done.returncode == 0, f"{words}: {done}"
    return done.stdout


class Packages:
    """The files in build/release/packages."""

    def __init__(self):
        version = run(ROOT / "build/release/ringfence", "--version").split()[1]
        self.version = version
        self.deb = BUILT / f"ringfence_{version}_amd64.deb"
        self.rpm = BUILT / f"ringfence-{version}-1.x86_64.rpm"
        self.tarball = BUILT / f"ringfence-{version}-linux-x64.tar.gz"
        self.sbom = BUILT / f"ringfence-{version}-linux-x64.spdx.json"
        self.sums = BUILT / "SHA256SUMS"


@pytest.fixture(name="packages", scope="session")
def fixture_packages():
    packages = Packages()
    for file in (packages.deb, packages.rpm, packages.tarball, packages.sbom, packages.sums):
        assert file.exists(), f"{file} does not exist: cmake --build build/release --target packages"
    return packages


class Root:
    """A Debian with a user, in a directory. Only root can enter it."""

    def __init__(self, folder):
        self.folder = folder
        self.home = folder / "home/dev"

    def add_user(self):
        with (self.folder / "etc/passwd").open("a") as passwd:
            passwd.write(f"dev:x:{ORDINARY_USER}:{ORDINARY_USER}::/home/dev:/bin/sh\n")
        self.home.mkdir(parents=True)
        os.chown(self.home, ORDINARY_USER, ORDINARY_USER)

    def run(self, *words):
        """Runs a command of root's in it."""
        return run("chroot", self.folder, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8",
                   "DEBIAN_FRONTEND=noninteractive", *words)

    def files(self):
        """Every file and link outside of the homes and of what package managers note."""
        left_out = ("home", "proc", "sys", "dev", "tmp", "var/lib/dpkg", "var/lib/apt", "var/log", "var/cache", "usr/lib/sysimage",
                    "var/lib/rpm")
        found = set()
        for folder, folders, names in os.walk(self.folder):
            here = pathlib.Path(folder).relative_to(self.folder)
            folders[:] = [name for name in folders if str(here / name) not in left_out]
            found.update(str(here / name) for name in names)
        return found


def mirror():
    """The first source of packages of this machine, and its distribution."""
    for file in (*pathlib.Path("/etc/apt").glob("sources.list"), *pathlib.Path("/etc/apt").glob("sources.list.d/*")):
        text = file.read_text()
        if found := re.search(r"^deb (?:\[[^]]*\] )?(\S+) (\S+)", text, re.MULTILINE):
            return found[1], found[2]
        fields = dict(re.findall(r"^(URIs|Suites): (\S+)", text, re.MULTILINE))
        if len(fields) == 2:
            return fields["URIs"], fields["Suites"]
    return None


@pytest.fixture(name="debian", scope="session")
def fixture_debian():
    """A fresh Debian, to be copied."""
    if os.geteuid() != 0:
        pytest.skip("only root can make a Debian root")
    if not shutil.which("debootstrap"):
        pytest.skip("debootstrap is not installed")
    source = mirror()
    if source is None:
        pytest.skip("this machine has no source of Debian's packages")
    folder = pathlib.Path(place_for_base()) / f"ringfence-debian-{os.getpid()}"
    run("debootstrap", "--variant=minbase", source[1], folder / "root", source[0])
    root = Root(folder / "root")
    root.add_user()
    yield root
    remove(folder)


@pytest.fixture(name="root")
def fixture_root(debian):
    """A copy of the fresh Debian. Its files are links to the same ones: package managers replace
    files, and never write into them."""
    folder = debian.folder.parent / "copy"
    run("cp", "-al", debian.folder, folder)
    # These are written in place.
    for name in ("etc", "var", "home"):
        shutil.rmtree(folder / name)
        run("cp", "-a", debian.folder / name, folder / name)
    yield Root(folder)
    remove(folder)
