"""The .rpm, with rpm's own root: installed, in use, removed."""

import os
import shutil
import subprocess
import time

import pytest

from built_packages import run
from first_denial import Place, first_denial, is_blocked
from ordinary_user import ORDINARY_USER

pytestmark = [pytest.mark.xdist_group("packages"),
              pytest.mark.skipif(not shutil.which("rpm"), reason="rpm is not installed")]


def rpm(root, *words):
    return run("rpm", "--root", root.folder, "--dbpath", "/var/lib/rpm", "--nodeps", *words)


def test_from_the_file_to_the_first_denied_call_and_removal(root, packages, record_property):
    before = root.files()
    since = time.monotonic()
    rpm(root, "--install", packages.rpm)
    place = Place(root.home, "/usr/bin:/bin", root=root.folder, user=ORDINARY_USER)
    first_denial(".rpm", place, since, record_property)
    policy = root.home / ".config/ringfence/policy.json"
    text = policy.read_bytes()
    said = rpm(root, "--erase", "ringfence")
    assert "Claude Code now refuses every tool call" in said, said
    assert root.files() - before == set(), root.files() - before
    assert policy.read_bytes() == text
    is_blocked(place, "/usr/bin/ringfence-hook")


def test_the_package_owns_no_directory_of_the_system(packages):
    owned = run("rpm", "--query", "--package", "--list", packages.rpm).split()
    folders = [line.split()[-1] for line in run(
        "rpm", "--query", "--package", "--list", "--verbose", packages.rpm).splitlines() if line.startswith("d")]
    assert "/usr/bin/ringfence-hook" in owned
    assert all("ringfence" in os.path.basename(folder) or "/ringfence/" in folder for folder in folders), folders


def test_rpm_finds_what_the_programs_need(packages):
    needs = run("rpm", "--query", "--package", "--requires", packages.rpm)
    assert "libc.so.6(GLIBC_2.34)(64bit)" in needs and "libstdc++" not in needs and "libgit2" not in needs, needs
    done = subprocess.run(["rpm", "--checksig", packages.rpm], capture_output=True, text=True, check=False)
    assert "digests OK" in done.stdout, done
