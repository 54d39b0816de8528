"""The same commit gives the same bytes: built again in another directory, as another user, with
another umask, time zone and locale."""

import hashlib
import os
import pathlib
import shutil
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


def test_two_builds_give_the_same_packages(packages):  # pylint: disable=unused-argument
    if subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, check=False).returncode:
        pytest.skip("the source is not a git clone")
    if run("git", "-C", ROOT, "status", "--porcelain", "--untracked-files=no"):
        pytest.skip("the source has changes that are not committed")
    base = pathlib.Path(place_for_base()) / f"ringfence-reproducible-{os.getpid()}"
    clone = base / "a longer name/ringfence"
    clone.parent.mkdir(parents=True)
    try:
        run("git", "clone", "--quiet", ROOT, clone)
        more = {}
        if os.geteuid() == 0:
            run("chown", "-R", f"{ORDINARY_USER}:{ORDINARY_USER}", base)
            more = {"user": ORDINARY_USER, "group": ORDINARY_USER, "extra_groups": []}
        environment = {"PATH": os.environ["PATH"], "HOME": str(base), "TZ": "Asia/Kathmandu", "LANG": "C.UTF-8"}
        for words in (("cmake", "--preset", "release"),
                      ("cmake", "--build", "build/release", "--target", "packages")):
            done = subprocess.run(["sh", "-c", 'umask 077 && exec "$@"', "sh", *words], cwd=clone, env=environment,
                                  text=True, capture_output=True, timeout=PATIENCE, check=False, **more)
            assert done.returncode == 0, done.stdout[-3000:] + done.stderr
        assert digests(clone / "build/release/packages") == digests(BUILT)
    finally:
        remove(base)
        shutil.rmtree(base, ignore_errors=True)
