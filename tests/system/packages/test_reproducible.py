"""The same commit gives the same bytes: built again in another directory, as another user, with
another umask, time zone and locale."""

import hashlib
import os
import pathlib
import subprocess

import pytest

from built_packages import BUILT, run
from ordinary_user import ORDINARY_USER, place_for_base, remove
from repository import ROOT

pytestmark = pytest.mark.xdist_group("reproducible")
PATIENCE = 1200  # a whole build, on a busy machine


def digests(folder):
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(name="clone")
def fixture_clone():
    """Clones the sources into a directory with the given name."""
    if subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, check=False).returncode:
        pytest.skip("the source is not a git clone")
    base = pathlib.Path(place_for_base()) / f"ringfence-clone-{os.getpid()}"

    def clone(name):
        run("git", "clone", "--quiet", ROOT, base / name)
        return base / name
    yield clone
    remove(base)


def test_two_builds_give_the_same_packages(packages, clone):  # pylint: disable=unused-argument
    if run("git", "-C", ROOT, "status", "--porcelain", "--untracked-files=no"):
        pytest.skip("the source has changes that are not committed")
    other = clone("a-longer-name/ringfence")
    more = {}
    if os.geteuid() == 0:
        run("chown", "-R", f"{ORDINARY_USER}:{ORDINARY_USER}", other.parents[1])
        more = {"user": ORDINARY_USER, "group": ORDINARY_USER, "extra_groups": []}
    environment = {"PATH": os.environ["PATH"], "HOME": str(other.parent), "TZ": "Asia/Kathmandu", "LANG": "C.UTF-8"}
    for words in (("cmake", "--preset", "release"), ("cmake", "--build", "--preset", "packages")):
        done = subprocess.run(["sh", "-c", 'umask 077 && exec "$@"', "sh", *words], cwd=other, env=environment,
                              text=True, capture_output=True, timeout=PATIENCE, check=False, **more)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert digests(other / "build/release/packages") == digests(BUILT)


def test_a_directory_with_a_space(clone):
    """Only rpmbuild cannot use it, which the target `packages` says."""
    folder = clone("a name with spaces")
    run("cmake", "--preset", "release", cwd=folder)
    run("cmake", "--build", "build/release", "--target", "musl_fast_objects", cwd=folder)
    done = subprocess.run(["cmake", f"-DSOURCE={folder}", f"-DBUILD={folder}/build/release", "-P",
                           folder / "packaging/make_packages.cmake"], text=True, capture_output=True, check=False)
    assert done.returncode != 0 and "has a space: build in another directory" in " ".join(done.stderr.split()), done
