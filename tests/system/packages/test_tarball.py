"""The tarball in an empty home: unpacked, installed, in use, removed. And the files beside it."""

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import time

import pytest

from built_packages import run
from first_denial import Place, first_denial
from ordinary_user import ORDINARY_USER
from repository import ROOT

pytestmark = pytest.mark.xdist_group("packages")


def test_from_the_file_to_the_first_denied_call_and_removal(home, owner, packages, record_property):
    place = Place(home, f"{home}/.local/bin:/usr/bin:/bin", user=owner)
    since = time.monotonic()
    unpacked = home.parent / packages.tarball.name.removesuffix(".tar.gz")
    assert not place.run("tar", "-xzf", packages.tarball, "-C", home.parent).returncode
    done = place.run(unpacked / "bin/ringfence", "install")
    assert done.returncode == 0 and str(home / ".local") in done.stdout, done
    shutil.rmtree(unpacked)  # nothing of it is needed afterwards
    first_denial("tarball", place, since, record_property)
    done = place.run("ringfence", "uninstall", "--all", "--programs")
    assert done.returncode == 0, done
    assert not (home / ".local/bin").exists() and not (home / ".local/share").exists()
    assert not (home / ".claude/settings.json").exists()
    assert (home / ".config/ringfence/policy.json").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can enter a root")
def test_without_glibc_everything_but_proxy_and_stage_runs(home, packages):
    """In a root that has nothing but the tarball, as on a distribution with musl."""
    root = home.parent
    for name in ("dev", "proc", "tmp", "new"):
        (root / name).mkdir()
    run("tar", "-xzf", packages.tarball, "-C", root / "new", "--strip-components=1")
    (root / "tmp").chmod(0o1777)
    enter = ('mount --rbind /dev "$0/dev" && mount --rbind /proc "$0/proc" && '
             f'exec /usr/sbin/chroot --userspec={ORDINARY_USER}:{ORDINARY_USER} "$0" "$@"')

    def in_root(*words, status=0):
        done = subprocess.run(("unshare", "--mount", "/bin/sh", "-c", enter, root, *words), text=True, capture_output=True,
                              timeout=60, check=False, env={"HOME": "/home", "PATH": "/bin"})
        assert done.returncode == status, done
        return done.stdout + done.stderr

    in_root("/new/bin/ringfence", "install")
    said = in_root("/home/.local/bin/ringfence", "init")
    assert "Proof: the registered command denied a Read" in said, said
    said = in_root("/home/.local/bin/ringfence", "stage", "list", status=2)
    assert "it needs glibc 2.34 or later, which this system does not have" in said, said
    assert "/home/.local/bin/ringfence-hook" in (home / ".claude/settings.json").read_text()


def test_install_sh_installs_it(home, owner, packages):
    place = Place(home, "/usr/bin:/bin", user=owner)
    done = place.run(ROOT / "install.sh", "--from", packages.tarball)
    assert done.returncode == 0 and done.stdout.endswith("install.sh: done\n"), done
    assert '"permissionDecision":"deny"' in done.stdout and (home / ".local/bin/ringfence").exists(), done
    assert not (home / ".claude").exists()
    other = home.parent / "other.tar.gz"
    other.write_text("text")
    for name, says in ((other, "could not be unpacked"), (ROOT / "README.md", "is not a package of ringfence"),
                       (home / "nothing.deb", "is not a file")):
        done = place.run(ROOT / "install.sh", "--from", name, "--prefix", home / "prefix")
        assert done.returncode == 1 and says in done.stderr and not (home / "prefix").exists(), done


def test_digests_and_modes(packages):
    names = []
    for line in packages.sums.read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((packages.sums.parent / name).read_bytes()).hexdigest() == digest, name
        names.append(name)
    there = sorted(str(path.relative_to(packages.sums.parent)) for path in packages.sums.parent.rglob("*")
                   if path.is_file() and path != packages.sums)
    assert names == there
    with tarfile.open(packages.tarball) as archive:
        for member in archive:
            program = member.name.split("/")[1:2] == ["bin"] or member.name.endswith(".sh")
            assert (member.uid, member.gid, member.uname, member.gname) == (0, 0, "", "")
            assert member.mode == (0o755 if member.isdir() or program else 0o644), member.name


def test_the_bill_of_materials_names_every_file_and_library(packages, tmp_path):
    document = json.loads(packages.sbom.read_text())
    assert document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0"
    run("tar", "-xzf", packages.tarball, "-C", tmp_path, "--strip-components=1")
    there = {f"./{path.relative_to(tmp_path)}": hashlib.sha256(path.read_bytes()).hexdigest()
             for path in tmp_path.rglob("*") if path.is_file()}
    listed = {file["fileName"]: next(sum["checksumValue"] for sum in file["checksums"] if sum["algorithm"] == "SHA256")
              for file in document["files"]}
    assert listed == there
    facts = json.loads(run(tmp_path / "bin/ringfence", "--version", "--json"))
    libraries = {package["name"]: package for package in document["packages"] if package["name"] != "ringfence"}
    assert {library["name"]: library["version"] for library in facts["libraries"]} == {
        name: package["versionInfo"] for name, package in libraries.items()}
    ids = {entry["SPDXID"] for kind in ("packages", "files") for entry in document[kind]} | {"SPDXRef-DOCUMENT"}
    for relationship in document["relationships"]:
        assert {relationship["spdxElementId"], relationship["relatedSpdxElement"]} <= ids, relationship
    licences = (tmp_path / "share/doc/ringfence/third-party.txt").read_text()
    for name, package in libraries.items():
        section = licences.split(f"=== {name} ({package['licenseDeclared']})")[1].split("\n===")[0]
        assert len(section.strip()) > 40, name
