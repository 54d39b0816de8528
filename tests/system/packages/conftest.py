"""The packages of the preset release, and roots to install them into."""

import os
import pathlib
import shutil
import subprocess

import pytest

import client
import session as sessions
from built_packages import Packages, run
from debian_root import Root, mirror
from ordinary_user import ORDINARY_USER, place_for_base, remove


@pytest.fixture(name="packages", scope="session")
def fixture_packages():
    packages = Packages()
    for file in (packages.deb, packages.rpm, packages.tarball, packages.sbom, packages.sums):
        assert file.exists(), f"{file} does not exist: cmake --build build/release --target packages"
    return packages


@pytest.fixture(name="owner", scope="session")
def fixture_owner():
    """The id of the user who installs, if root runs the tests."""
    return ORDINARY_USER if os.geteuid() == 0 else None


@pytest.fixture(name="home")
def fixture_home(owner):
    """An empty home of the user, in a directory that every user can reach. The client names files by
    their project's path, and test_npm.py searches the home for names of ringfence's."""
    base = pathlib.Path(place_for_base()) / f"packages-{os.getpid()}"
    home = base / "home"
    home.mkdir(parents=True)
    base.chmod(0o755)
    if owner is not None:
        for folder in (base, home):
            os.chown(folder, owner, owner)
    yield home
    remove(base)


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


# -- an installed tree, for the plugin ------------------------------------------------------------------

@pytest.fixture(name="tree", scope="module")
def fixture_tree(pytestconfig, tmp_path_factory):
    """The prefix of an installation. The tests leave it as it is."""
    build = pathlib.Path(pytestconfig.option.hook).parent
    prefix = tmp_path_factory.mktemp("plugin") / "usr"
    done = subprocess.run(["cmake", "--install", build, "--prefix", prefix], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        pytest.fail(done.stderr[-600:], pytrace=False)
    return prefix.resolve()


@pytest.fixture(name="tools")
def fixture_tools(tree):
    try:
        claude = client.find()
    except client.Unavailable as reason:
        pytest.skip(str(reason))
    return sessions.Tools(claude, tree / "bin/ringfence-hook", tree / "bin/ringfence")
