"""The .deb in a fresh Debian: installed, in use, upgraded, removed."""

import json
import os
import re
import shutil
import subprocess
import time

import pytest

from built_packages import run
from first_denial import Place, first_denial, is_blocked
from ordinary_user import ORDINARY_USER
from repository import ROOT, VERSION

pytestmark = pytest.mark.xdist_group("packages")  # one process makes the root
KEPT = (".config/ringfence/policy.json", ".local/state/ringfence/audit.jsonl", "dev/outside.txt")


def install(root, package):
    name = f"/tmp/{package.name}"
    shutil.copy(package, root.folder / name[1:])
    return root.run("apt-get", "install", "-y", "-o", "Dpkg::Use-Pty=0", name)


def newer(package, folder):
    """The same package with a higher version."""
    tree = folder / "tree"
    run("dpkg-deb", "-R", package, tree)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"^Version: .*", "Version: 9.0", control.read_text(), flags=re.MULTILINE))
    run("dpkg-deb", "-b", "--root-owner-group", tree, folder / "ringfence_9.0_amd64.deb")
    return folder / "ringfence_9.0_amd64.deb"


def test_lintian_finds_no_error(packages):
    if not shutil.which("lintian"):
        pytest.skip("lintian is not installed")
    done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", packages.deb], text=True,
                          capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout


def test_from_the_file_to_the_first_denied_call_upgrade_and_removal(root, packages, tmp_path, record_property):
    before = root.files()
    since = time.monotonic()
    install(root, packages.deb)
    place = Place(root.home, "/usr/bin:/bin", root=root.folder, user=ORDINARY_USER)
    first_denial(".deb", place, since, record_property)
    assert "/usr/bin/ringfence-hook" in (root.home / ".claude/settings.json").read_text()

    texts = {name: (root.home / name).read_bytes() for name in KEPT}
    install(root, newer(packages.deb, tmp_path))
    assert root.run("dpkg-query", "-W", "-f", "${Version}", "ringfence") == "9.0"
    assert texts == {name: (root.home / name).read_bytes() for name in KEPT}
    is_blocked(place, "ringfence: write to")

    said = root.run("apt-get", "remove", "-y", "ringfence")
    assert "Claude Code now refuses every tool call" in said, said
    assert root.files() - before == set(), root.files() - before
    for name in KEPT:
        assert (root.home / name).read_bytes().startswith(texts[name]), name
    # The registration that is left refuses, and names what is missing.
    is_blocked(place, "/usr/bin/ringfence-hook")
    assert root.run("dpkg-query", "--list").count("ringfence") == 0, "dpkg keeps something to purge"


def test_apparmor_profile_where_user_namespaces_are_restricted(root, packages):
    profile = root.folder / "etc/apparmor.d/ringfence"
    calls = root.folder / "tmp/calls"
    parser = root.folder / "usr/sbin/apparmor_parser"
    switch = root.folder / "proc/sys/kernel/apparmor_restrict_unprivileged_userns"

    def have(status):
        profile.parent.mkdir(exist_ok=True)
        switch.parent.mkdir(parents=True, exist_ok=True)
        switch.write_text("1\n")
        parser.write_text(f'#!/bin/sh\necho "$@" >> /tmp/calls\nexit {status}\n')
        parser.chmod(0o755)

    install(root, packages.deb)
    assert not profile.exists(), "no AppArmor"
    have(1)
    root.run("dpkg-reconfigure", "ringfence")
    assert not profile.exists(), "a parser that does not know the rule"
    have(0)
    root.run("dpkg-reconfigure", "ringfence")
    assert "profile ringfence /usr/bin/ringfence{,-cli}" in profile.read_text()
    assert "-r -W /etc/apparmor.d/ringfence" in calls.read_text()
    assert os.listdir(profile.parent) == ["ringfence"]
    root.run("apt-get", "remove", "-y", "ringfence")
    assert not profile.exists() and "-R /etc/apparmor.d/ringfence" in calls.read_text()
    profile.write_text("profile ringfence /home/dev/.local/bin/ringfence{,-cli} {}\n")  # of another installation
    said = install(root, packages.deb)
    assert "to replace it: sh /usr/share/ringfence/apparmor.sh\n" in said, said
    root.run("apt-get", "remove", "-y", "ringfence")
    assert "/home/dev/" in profile.read_text()
    install(root, packages.deb)
    root.run("sh", "/usr/share/ringfence/apparmor.sh")
    assert "/home/dev/" not in profile.read_text()


def test_the_script_leaves_the_package_to_apt(root, packages):
    """A build from source below /usr would only add to what is to be removed."""
    install(root, packages.deb)
    shutil.copy(ROOT / "install.sh", root.folder / "tmp/install.sh")
    said = root.run("sh", "-c", "! HOME=/root /tmp/install.sh --uninstall --prefix /usr 2>&1")
    assert "apt remove ringfence" in said and "install it again" not in said, said
    assert (root.folder / "usr/bin/ringfence-hook").exists()


def test_the_package_states_the_oldest_glibc(packages):
    depends = run("dpkg-deb", "-f", packages.deb, "Depends")
    assert depends.strip() == "libc6 (>= 2.34)", depends


def test_programs_in_the_package_are_those_that_were_tested(root, packages):
    install(root, packages.deb)
    facts = json.loads(root.run("ringfence", "--version", "--json"))
    assert facts["version"] == VERSION
    assert (root.folder / "usr/share/zsh/vendor-completions/_ringfence").exists()
    for name in facts["libc"]:
        assert (root.folder / "usr/bin" / name).read_bytes() == (packages.deb.parents[1] / name).read_bytes(), name
