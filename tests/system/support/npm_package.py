"""npm packages that tests use, pinned and unpacked into a cache that is filled once.

The cache is ${XDG_CACHE_HOME:-~/.cache}/ringfence-tests/. Installing a package runs none of its
code.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile


class Unavailable(Exception):
    """The package is not available; the text says why."""


def folder(name, version):
    """The directory of the unpacked package."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    place = pathlib.Path(caches) / "ringfence-tests" / f"{name.replace('/', '+')}-{version}"
    if not place.exists():
        _fetch(f"{name}@{version}", place)
    return place


def _fetch(package, place):
    if not shutil.which("npm"):
        raise Unavailable(f"npm is not installed, which fetches {package}")
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
        pack = ["npm", "pack", "--silent", "--pack-destination", scratch, package]
        _run(pack, package)
        tarballs = list(pathlib.Path(scratch).glob("*.tgz"))
        if not tarballs:
            raise Unavailable(f"npm pack {package} made no tarball")
        _run(["tar", "-xzf", tarballs[0], "-C", scratch, "--no-same-owner"], package)
        try:
            (pathlib.Path(scratch) / "package").replace(place)  # atomic: never half a package
        except OSError:
            if not place.exists():  # otherwise another process was faster
                raise


def _run(command, package):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{command[0]} for {package}: {error}") from error
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        raise Unavailable(f"{command[0]} for {package} failed: {lines[-1]}")
