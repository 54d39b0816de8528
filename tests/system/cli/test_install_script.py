"""`install.sh`: a package file instead of a build, and removal when the programs cannot remove themselves."""

import os
import shutil
import subprocess
import tarfile
import tempfile

import pytest

from ordinary_user import ORDINARY_USER
from program_tree import LIST, ProgramTree, content, listed
from repository import ROOT, VERSION

SECONDS = 60
TEXTS = {"share/doc/ringfence/page": "a page", "share/ringfence/same": "same"}


class Script:
    """install.sh without the sources, an archive of a small installation, and the prefix ~/.local."""

    def __init__(self, world):
        self.world = world
        self.script = world.base / "clone/install.sh"
        self.script.parent.mkdir()
        shutil.copy(ROOT / "install.sh", self.script)
        self.tree = ProgramTree(world.base / "ringfence-9", world.programs, {**TEXTS, "bin/ringfence-hook": ""})
        shutil.copy(world.programs.hook, self.tree.prefix / "bin/ringfence-hook")
        self.tree.list.write_text(listed(self.tree.prefix, self.tree.files))
        self.archive = self.packed("ringfence-9.tar.gz")
        self.prefix = world.home / ".local"
        world.give_up_root()

    def packed(self, name):
        """The tree as it is now, in an archive."""
        archive = self.world.base / name
        with tarfile.open(archive, "w:gz") as file:
            file.add(self.tree.prefix, self.tree.prefix.name)
        return archive

    def run(self, *words):
        return subprocess.run([self.script, *map(str, words)], cwd=self.world.project, text=True,
                              capture_output=True, timeout=SECONDS, check=False, **self.world.as_user,
                              env={"HOME": str(self.world.home), "PATH": "/usr/bin:/bin"})

    def done(self, *words):
        done = self.run(*words)
        assert done.returncode == 0, done
        return done.stdout

    def refused(self, words, *parts):
        """Refuses with an error of install.sh, and nothing in the home has changed."""
        before = content(self.world.home)
        done = self.run(*words)
        assert done.returncode == 1 and "install.sh: error: " in done.stderr, done
        for part in parts:
            assert part in done.stderr, done.stderr
        assert content(self.world.home) == before

    def write(self, path, text):
        """A file of the user, in the prefix."""
        file = self.world.write(self.prefix / path, text)
        if os.geteuid() == 0:
            os.chown(file, ORDINARY_USER, ORDINARY_USER)


@pytest.fixture(name="script")
def fixture_script(world):
    world.base.chmod(0o755)
    return Script(world)


def test_an_archive_is_installed_and_removed(script):
    said = script.done("--from", script.archive)
    assert f"Installed ringfence {VERSION} in {script.prefix}" in said and '"permissionDecision":"deny"' in said, said
    assert script.done("--uninstall").count("Removed ") == 1
    assert not content(script.world.home)


@pytest.mark.parametrize("words", (("--from",), ("--from", ""), ("--from=",)))
def test_an_empty_file_name_starts_no_build(script, words):
    script.refused(words, "--from needs a file")


def test_damaged_programs_are_removed_and_changed_files_kept(script):
    """Like `ringfence uninstall --programs`, which does not run here."""
    script.done("--from", script.archive)
    script.write("bin/ringfence-cli", "damaged")
    script.write("bin/other", "mine")
    script.write("share/doc/ringfence/page", "notes")
    there = script.prefix / LIST
    there.write_text(there.read_text() + f"{'0' * 64}  bin/other\n")
    said = script.done("--uninstall")
    for path in ("bin/other", "share/doc/ringfence/page"):
        assert f"kept: {script.prefix}/{path}, which was changed" in said, said
    assert {path: text for path, (_, text) in content(script.prefix).items()} == {
        "bin/other": b"mine", "share/doc/ringfence/page": b"notes"}


def test_archives_that_cannot_be_installed(script):
    whole, cut, other = script.archive.read_bytes(), script.world.base / "cut.tar.gz", script.world.base / "other.tar.gz"
    cut.write_bytes(whole[:len(whole) // 2])
    script.refused(("--from", cut), "could not be unpacked", "download it again")
    with tarfile.open(other, "w:gz") as file:
        file.add(script.tree.list, "other/list")
    script.refused(("--from", other), "is not a package of ringfence")
    page = script.tree.prefix / "share/doc/ringfence/page"
    page.write_text("tampered")
    script.refused(("--from", script.packed("tampered.tar.gz")), f"page: is not the file that {LIST} names")
    page.write_text(TEXTS["share/doc/ringfence/page"])
    # A program for another processor.
    script.tree.program.write_bytes(b"\x7fELF\2\1\1" + bytes(9) + b"\3\0\xff\0" + bytes(100))
    script.refused(("--from", script.packed("foreign.tar.gz")), "do not run on this machine", os.uname().machine)
    assert not content(script.world.home)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system")
def test_no_program_can_be_started_among_temporary_files(script):
    inside = f"mount -t tmpfs -o noexec,mode=1777 none /tmp && exec setpriv --reuid {ORDINARY_USER} --clear-groups \"$@\""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        for file in (script.script, script.archive):
            shutil.copy(file, folder)
        words = ("unshare", "--mount", "/bin/sh", "-c", inside, "sh", f"{folder}/install.sh", "--from",
                 f"{folder}/{script.archive.name}")
        done = subprocess.run(list(map(str, words)), text=True, capture_output=True, timeout=SECONDS, check=False,
                              env={"HOME": "/nonexistent", "PATH": "/usr/bin:/bin"})
    assert done.returncode == 1 and 'for temporary files, "/tmp"' in done.stderr and "TMPDIR=" in done.stderr, done


def test_the_registration_that_is_suggested(script):
    prefix = script.world.home / "it's a place"
    said = script.done("--from", script.archive, "--prefix", prefix)
    command = said.split("the hook is not registered yet; to register it for all projects: ")[1].splitlines()[0]
    done = script.world.start(("/bin/sh", "-c", command), env={"HOME": str(script.world.home)})
    assert done.returncode == 0 and str(prefix) in script.world.user.read_text(), done
    said = script.done("--from", script.archive, "--prefix", prefix)
    assert "not registered" not in said and f"same options as the first time: {command}\n" in said, said
