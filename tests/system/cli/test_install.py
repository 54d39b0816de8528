"""`ringfence install` and `ringfence uninstall --all --programs`: all files or none, whatever is in
the way."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from command_world import CommandWorld, error_of
from ordinary_user import ORDINARY_USER
from program_tree import LIST, ProgramTree, content, digest, listed
from repository import ROOT
from small_disk import MIB, fill, small_disk

SECONDS = 60
OLD = {"bin/ringfence-hook": "old hook", "share/doc/ringfence/gone": "old", "share/ringfence/same": "same"}
NEW = {"bin/ringfence-hook": "new hook", "share/doc/new/a page": "new", "share/ringfence/same": "same"}
USERS = {"bin/other": "mine", "share/doc/ringfence/notes": "mine"}  # files of the user in the prefix


class Installs:
    """Two versions to install, and the prefix ~/.local. All belong to an ordinary user."""

    def __init__(self, world):
        self.world = world
        self.old = ProgramTree(world.base / "old", world.programs, OLD)
        self.new = ProgramTree(world.base / "new", world.programs, NEW)
        self.prefix = world.home / ".local"
        world.give_up_root()

    def run(self, program, *words, fault=(), env=None):
        done = subprocess.run([*map(str, fault), program, *map(str, words)], cwd=self.world.project, text=True,
                              capture_output=True, timeout=SECONDS, check=False, **self.world.as_user,
                              env={"HOME": str(self.world.home), "PATH": "/usr/bin:/bin", **(env or {})})
        return done

    def install(self, tree, *words, **more):
        return self.run(tree.program, "install", *words, **more)

    def installed(self, tree, *words):
        done = self.install(tree, *words)
        assert done.returncode == 0, done
        return done.stdout

    def write(self, files):
        for path, text in files.items():
            self.world.write(self.prefix / path, text)
        self.own()

    def own(self):
        if os.geteuid() == 0:
            for path in (self.world.home, *self.world.home.rglob("*")):
                os.chown(path, ORDINARY_USER, ORDINARY_USER, follow_symlinks=False)


@pytest.fixture(name="installs")
def fixture_installs(world):
    world.base.chmod(0o755)
    return Installs(world)


# -- install --------------------------------------------------------------------------------------

def test_every_file_is_copied_once(installs):
    assert ": 5 files written." in installs.installed(installs.new, "--dry-run")
    assert not installs.prefix.exists()
    said = installs.installed(installs.new)
    assert f"in {installs.prefix}: 5 files written." in said, said
    assert f'"{installs.prefix}/bin" is not in PATH' in said, said
    assert said.endswith(f"To register the hook, run: {installs.prefix}/bin/ringfence init\n"), said
    assert {path: text for path, (_, text) in content(installs.prefix).items()} == \
        {path: text for path, (_, text) in content(installs.new.prefix).items()}
    modes = {path: mode for path, (mode, _) in content(installs.prefix).items()}
    assert modes["bin/ringfence-hook"] == 0o755 and modes["share/doc/new/a page"] == 0o644, modes
    before = content(installs.prefix)
    done = installs.install(installs.new, env={"PATH": f"/bin:{installs.prefix}/bin"})
    assert "; nothing was changed.\n" in done.stdout and "PATH" not in done.stdout, done
    # The copy is an installation like the first one.
    done = installs.run(installs.prefix / "bin/ringfence", "install", "--json")
    assert json.loads(done.stdout)["changed"] is False, done
    assert content(installs.prefix) == before
    assert not list((installs.world.home / ".local/state/ringfence").iterdir())


def test_the_umask_does_not_count(installs):
    words = ("/bin/sh", "-c", 'umask 077; exec "$@"', "sh", installs.new.program, "install")
    assert installs.run(*words).returncode == 0
    modes = {path: path.stat().st_mode & 0o777 for path in (installs.prefix / "share").rglob("*")}
    assert all(mode == (0o755 if path.is_dir() else 0o644) for path, mode in modes.items()), modes


def test_an_upgrade_replaces_and_removes(installs):
    installs.write(USERS)
    installs.installed(installs.old)
    with open(installs.prefix / "bin/ringfence-hook", "rb") as running:
        said = installs.installed(installs.new)
        assert running.read() == b"old hook"  # a program that runs keeps its file
    assert ": 2 files written, 1 old file removed." in said, said
    assert 'does not have them: "share/doc/ringfence/gone".\n' in said, said
    files = content(installs.prefix)
    assert files["bin/ringfence-hook"][1] == b"new hook" and files["bin/other"][1] == b"mine"
    assert set(files) == {*installs.new.files, *USERS, LIST}
    installs.installed(installs.old)  # and back; the directory of the page was made for it
    assert not (installs.prefix / "share/doc/new").exists()
    assert set(content(installs.prefix)) == {*installs.old.files, *USERS, LIST}


def test_some_of_the_removed_files_are_named(installs):
    headers = {f"include/ringfence/{name}.h": "" for name in "abcdef"}
    older = ProgramTree(installs.world.base / "older", installs.world.programs, {**NEW, **headers})
    installs.installed(older)
    named = ", ".join(f'"include/ringfence/{name}.h"' for name in "abcd")
    for words, verb in ((("--dry-run",), "would remove"), ((), "removed")):
        said = installs.installed(installs.new, *words)
        assert ": 0 files written, 6 old files removed.\n" in said, said
        assert (f"Note: {verb} from the earlier installation, since this one does not have them: "
                f"{named} and 2 more.\n") in said, said
    assert not (installs.prefix / "include").exists()


def test_a_file_that_was_changed_is_replaced_but_not_removed(installs):
    installs.installed(installs.old)
    installs.write({"bin/ringfence-hook": "broken", "share/doc/ringfence/gone": "notes"})
    said = installs.installed(installs.new)
    assert 'share/doc/ringfence/gone" was changed since it was installed, so it was kept' in said, said
    files = content(installs.prefix)
    assert files["bin/ringfence-hook"][1] == b"new hook" and files["share/doc/ringfence/gone"][1] == b"notes"


def test_what_is_in_the_way_stays(installs):
    installs.write({"bin/ringfence-hook": "mine", "share/doc/new/a page": "mine"})
    before = content(installs.world.home)
    error_of(installs.install(installs.new), 2, f"{installs.prefix}/bin/ringfence-hook: is in the way",
             "so is another file", "ringfence install --prefix DIR")
    installs.write({"share/ringfence/same": "mine"})
    error_of(installs.install(installs.new), 2, "so are 2 other files")
    (installs.prefix / "share/ringfence/same").unlink()
    assert content(installs.world.home) == before
    other = installs.world.home / "programs"
    installs.installed(installs.new, "--prefix", other)
    assert content(other).keys() == {*installs.new.files, LIST}


@pytest.mark.parametrize("path", ("bin/ringfence-hook", "bin", "share/doc/new", LIST))
def test_no_link_is_followed(installs, path):
    target = installs.world.home / "target"
    target.mkdir()
    (installs.prefix / path).parent.mkdir(parents=True)
    (installs.prefix / path).symlink_to(target)
    installs.own()
    before = content(installs.world.home)
    error_of(installs.install(installs.new), 2, f"ringfence: {installs.prefix}/")
    assert content(installs.world.home) == before and not list(target.iterdir())


def test_a_directory_in_the_way(installs):
    (installs.prefix / "bin/ringfence-hook/x").mkdir(parents=True)
    installs.own()
    error_of(installs.install(installs.new), 2, "is in the way")
    shutil.rmtree(installs.prefix)
    installs.write({"share": "a file"})
    error_of(installs.install(installs.new), 2, f"{installs.prefix}/share", "is in the way")
    assert content(installs.world.home) == {".local/share": (0o644, b"a file")}


def test_a_link_to_the_prefix_is_followed(installs):
    target = installs.world.home / "disk"
    target.mkdir()
    installs.prefix.symlink_to(target)
    installs.own()
    assert f"in {target}" in installs.installed(installs.new)


def test_places_that_cannot_be_a_directory(installs):
    installs.write({"file": "mine"})
    before = content(installs.world.home)
    file = installs.prefix / "file"
    for place in (file, file / "below"):
        error_of(installs.install(installs.new, "--prefix", place), 2, f"{place}: a file is in the way", "--prefix DIR")
    # The command that registers the hook would be empty.
    error_of(installs.install(installs.new, "--prefix", installs.world.home / "two\nlines"), 2,
             "two\\nlines\": no command can name this path")
    if installs.world.as_user:
        done = installs.install(installs.new, "--prefix", "/root/x")
        error_of(done, 2, "ringfence: /root/x: cannot be created: permission denied")
    assert content(installs.world.home) == before


@pytest.mark.users("ordinary")
def test_places_that_are_refused(installs, user):  # pylint: disable=unused-argument
    inside = installs.new.prefix / "x"
    for place, says in (("/usr", "belongs to the system"), ("/usr/lib/x", "belongs to the system"),
                        ("/", "belongs to the system"), (inside, "is inside the installation to copy"),
                        ("/opt/nowhere", "belongs to another user")):
        if os.geteuid() == 0 or place != "/opt/nowhere":
            error_of(installs.install(installs.new, "--prefix", place), 2, says)
    error_of(installs.install(installs.new, env={"HOME": "relative"}), 2, "not an absolute path")
    installs.prefix.mkdir()
    installs.own()
    installs.prefix.chmod(0o777)
    error_of(installs.install(installs.new), 2, f"{installs.prefix}: can be written by every user")
    below = installs.prefix / "below"
    error_of(installs.install(installs.new, "--prefix", below), 2,
             f"{below}: its nearest existing directory can be written by every user")
    installs.prefix.chmod(0o1777)
    assert "5 files written" in installs.installed(installs.new, "--prefix", below, "--dry-run")
    installs.prefix.chmod(0o555)
    if installs.world.as_user:
        error_of(installs.install(installs.new), 2, "permission denied")
    installs.prefix.chmod(0o755)
    done = installs.install(installs.new, env={"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ATTENDED": "0"})
    error_of(done, 1, "an agent runs this")
    assert not content(installs.world.home)


def test_programs_without_a_list(installs):
    installs.new.list.unlink()
    for words in (("install",), ("uninstall", "--all", "--programs")):
        error_of(installs.run(installs.new.program, *words), 2, LIST, "does not exist",
                 "apt remove ringfence", "install it again")
    done = installs.run(pathlib.Path(installs.world.programs.ringfence), "install")
    error_of(done, 2, "does not exist" if installs.world.as_user else "is not in the directory bin")


HOSTILE = ("{d}  /etc/passwd\n", "{d}  ../outside\n", "{d}  share/../../outside\n", "{d}  share//x\n", "{d} *x\n",
           "x\n", "\n", "{d}  bin/ringfence-hook\n", "{d}  bin/ringfence/x\n", f"{{d}}  {LIST}\n", "{d}  a\0b\n",
           "{d}  x", "x" * (MIB + 1))


@pytest.mark.parametrize("line", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_list_is_refused(installs, line):
    """In the source and in the target."""
    outside = installs.world.write(installs.world.home / "outside", "mine")
    line = line.format(d=digest(outside))
    installs.installed(installs.old)
    good, there = installs.new.list.read_text(), installs.prefix / LIST
    before = content(installs.world.home)
    installs.new.list.write_text(good + line)
    error_of(installs.install(installs.new), 2)
    installs.new.list.write_text(good)
    assert content(installs.world.home) == before
    there.write_text(there.read_text() + line)
    before = content(installs.world.home)
    error_of(installs.install(installs.new), 2)
    error_of(installs.run(installs.prefix / "bin/ringfence", "uninstall", "--all", "--programs"), 2)
    assert content(installs.world.home) == before


def test_a_list_removes_no_file_with_other_content(installs):
    installs.installed(installs.old)
    installs.write(USERS)
    there = installs.prefix / LIST
    there.write_text(there.read_text() + f"{'0' * 64}  bin/other\n")
    said = installs.installed(installs.new)
    assert 'bin/other" was changed since it was installed' in said, said
    assert (installs.prefix / "bin/other").read_text() == "mine"


def test_a_damaged_source_changes_nothing(installs):
    installs.installed(installs.old)
    before = content(installs.world.home)
    page = installs.new.prefix / "share/doc/new/a page"
    page.write_text("other")
    error_of(installs.install(installs.new), 2, f"{page}: is not the file that {LIST} names")
    page.unlink()
    error_of(installs.install(installs.new), 2, f"{page}: does not exist")
    os.mkfifo(page)
    error_of(installs.install(installs.new), 2, "is not a regular file")
    page.unlink()
    page.symlink_to("/etc/hostname")
    error_of(installs.install(installs.new), 2, "symbolic link")
    assert content(installs.world.home) == before


def test_damaged_records_change_nothing(installs):
    installs.write({"state/ringfence/registrations.json": "{"})
    error_of(installs.install(installs.new), 2, "registrations.json")
    assert not content(installs.prefix)


def test_a_full_disk_changes_nothing(installs):
    place = installs.world.home / "disk"
    place.mkdir()
    installs.own()
    with small_disk(installs.world.base, place, 24):
        installs.installed(installs.old, "--prefix", place)
        before = content(place)
        full = fill(place)
        done = installs.install(installs.new, "--prefix", place)
        error_of(done, 2, f"{place}: cannot be changed: the disk is full", "nothing was changed")
        full.unlink()
        assert content(place) == before
        installs.installed(installs.new, "--prefix", place)


# write, mkdirat, renameat, renameat2 and unlinkat on x86-64. Of the first two only some count: the
# state between them is the same to the next command.
FEW, ALL = (1, 258), (263, 264, 316)


def kill_points(installs, words):
    """Before each of these calls the command is killed."""
    done = installs.run(*words, fault=(installs.world.programs.fail_call, "list"))
    assert done.returncode == 0, done
    rows = [line.split() for line in done.stderr.splitlines() if line.startswith("call 0 ")]
    calls = [(int(row[2]), int(row[3])) for row in rows if not (row[2] == "1" and row[4] in ("1", "2"))]
    return [(number, which) for number, which in calls if number in ALL or (number in FEW and which % 4 == 0)]


@pytest.fixture(name="installs_in_memory")
def fixture_installs_in_memory(programs):
    """On a file system that has nothing to wait for."""
    with tempfile.TemporaryDirectory(prefix="ringfence-install-", dir="/dev/shm") as folder:
        os.chmod(folder, 0o755)
        yield Installs(CommandWorld(os.path.realpath(folder), programs))


def killed_everywhere(installs, words, after, every=1):
    """Yields what is in the prefix after each kill and `after`, which runs the next command."""
    saved = installs.world.base / "saved"
    shutil.copytree(installs.prefix, saved)
    points = kill_points(installs, words)
    assert len(points) > 24, points
    for point in points[::every]:
        shutil.rmtree(installs.prefix, ignore_errors=True)
        shutil.copytree(saved, installs.prefix, copy_function=os.link)
        installs.own()
        done = installs.run(*words, fault=(installs.world.programs.fail_call, 0, *point, "kill"))
        assert done.returncode == 128 + 9, (point, done)
        after(point)
        assert not list((installs.world.home / ".local/state/ringfence").glob("programs-*")), point
        yield point, content(installs.prefix)


def test_install_killed_before_each_call(installs_in_memory):
    """The next command first restores the old version, unless the new one is complete."""
    installs = installs_in_memory
    page = installs.new.prefix / "share/doc/new/a page"
    installs.installed(installs.new)
    new = content(installs.prefix)
    installs.installed(installs.old)
    old, states = content(installs.prefix), []

    def restores(point):
        for path, facts in content(installs.prefix).items():
            assert facts in (old.get(path), new.get(path)) or ".ringfence-" in path, (point, path)
        page.write_text("damaged")  # so that the next command restores, but does not install
        error_of(installs.install(installs.new), 2, "is not the file")
        page.write_text(NEW["share/doc/new/a page"])

    for point, now in killed_everywhere(installs, (installs.new.prefix / "bin/ringfence-cli", "install"), restores):
        assert now in (old, new), (point, sorted(now))
        states.append("old" if now == old else "new")
    assert states == sorted(states, reverse=True) and set(states) == {"old", "new"}, states


def test_uninstall_killed_before_each_call(installs_in_memory):
    """Installing again is the way back, whatever is left. Restoring is tested above."""
    installs = installs_in_memory
    installs.installed(installs.old)
    old = content(installs.prefix)
    words = (installs.prefix / "bin/ringfence-cli", "uninstall", "--all", "--programs")
    for point, now in killed_everywhere(installs, words, lambda _: installs.installed(installs.old), every=3):
        assert now == old, (point, sorted(now))


def test_uninstall_after_an_install_that_was_killed(installs_in_memory):
    """It removes the files that it restores, which the new list does not describe."""
    installs = installs_in_memory
    installs.installed(installs.old)

    def removes(point):
        done = installs.run(installs.prefix / "bin/ringfence", "uninstall", "--all", "--programs")
        assert done.returncode == 0, (point, done)

    words = (installs.new.prefix / "bin/ringfence-cli", "install")
    for point, now in killed_everywhere(installs, words, removes):
        assert not now, (point, sorted(now))


# -- registrations ----------------------------------------------------------------------------------

def real_hook(installs, *trees):
    for tree in trees:
        shutil.copy(installs.world.programs.hook, tree.prefix / "bin/ringfence-hook")
        tree.list.write_text(listed(tree.prefix, tree.files))


def test_a_registration_of_another_prefix_is_named(installs):
    real_hook(installs, installs.old, installs.new)
    installs.installed(installs.old)
    done = installs.run(installs.prefix / "bin/ringfence", "init", "--local", ".")
    assert done.returncode == 0, done
    other = installs.world.home / "other place"
    said = installs.installed(installs.new, "--prefix", other)
    command = said.split("to run the hook that was installed now: ")[1].rstrip(".\n")
    assert f'runs "{installs.prefix}/bin/ringfence-hook"' in said and "init --local" in command, said
    done = installs.run("/bin/sh", "-c", command)
    assert done.returncode == 0, done
    assert str(other) in (installs.world.project / ".claude/settings.local.json").read_text()
    said = installs.installed(installs.new, "--prefix", other)
    assert "hook" not in said, said


def test_removing_one_installation_names_another_that_was_registered(installs):
    real_hook(installs, installs.old, installs.new)
    installs.installed(installs.old)
    other = installs.world.home / "other place"
    installs.installed(installs.new, "--prefix", other)
    assert installs.run(other / "bin/ringfence", "init").returncode == 0
    done = installs.run(installs.prefix / "bin/ringfence", "uninstall", "--all", "--programs")
    assert f'ran "{other}/bin/ringfence-hook", which is still installed' in done.stdout, done
    command = done.stdout.split("To register it again, run: ")[1].splitlines()[0]
    assert installs.run("/bin/sh", "-c", command).returncode == 0
    assert str(other) in installs.world.user.read_text()
    done = installs.run(other / "bin/ringfence", "uninstall", "--all", "--programs")
    assert done.returncode == 0 and "still installed" not in done.stdout, done


def test_init_refuses_programs_in_npms_directory(installs):
    real_hook(installs, installs.new)
    there = installs.world.home / "node_modules/@ringfence/linux-x64"
    shutil.copytree(installs.new.prefix, there)
    installs.own()
    done = installs.run(there / "bin/ringfence", "init")
    error_of(done, 1, "is in a directory of npm", "ringfence install")
    assert not (installs.world.home / ".claude").exists()
    error_of(installs.run(there / "bin/ringfence", "uninstall", "--all", "--programs"), 2, "npm removes them")
    assert installs.run(there / "bin/ringfence", "install").returncode == 0
    done = installs.run(installs.prefix / "bin/ringfence", "init")
    assert done.returncode == 0, done


# -- uninstall --all --programs -----------------------------------------------------------------------

def test_programs_are_removed_and_policies_kept(installs):
    real_hook(installs, installs.new)
    installs.write(USERS)
    installs.installed(installs.new)
    program = installs.prefix / "bin/ringfence"
    done = installs.run(program, "uninstall", "--programs")
    error_of(done, 2, "--all")
    assert installs.run(program, "init").returncode == 0
    done = installs.run(program, "uninstall", "--all", "--programs")
    assert done.returncode == 0, done
    assert f"Removed 6 files of ringfence from {installs.prefix}." in done.stdout, done.stdout
    for kept in ("~/.config/ringfence", "~/.local/state/ringfence"):
        assert f"Kept {kept}" in done.stdout, done.stdout
    assert set(content(installs.prefix)) == set(USERS)
    assert not (installs.prefix / "share/ringfence").exists()
    assert not installs.world.user.exists() and installs.world.policy.exists()


def test_programs_stay_while_they_are_registered(installs):
    real_hook(installs, installs.new)
    installs.installed(installs.new)
    program = installs.prefix / "bin/ringfence"
    assert installs.run(program, "init").returncode == 0
    installs.world.user.write_text(installs.world.user.read_text() + "}")
    before = content(installs.world.home)
    done = installs.run(program, "uninstall", "--all", "--programs")
    error_of(done, 2, str(installs.world.user))
    assert content(installs.world.home) == before


def test_a_changed_program_is_kept_and_named(installs):
    installs.installed(installs.new)
    installs.write({"share/doc/new/a page": "notes"})
    done = installs.run(installs.prefix / "bin/ringfence", "uninstall", "--all", "--programs", "--json")
    report = json.loads(done.stdout)["programs"]
    assert report["kept"] == ["share/doc/new/a page"] and len(report["removed"]) == 5, report
    assert list(content(installs.prefix)) == ["share/doc/new/a page"]


# -- the list of a real installation --------------------------------------------------------------------

@pytest.mark.parametrize("destination", ("", "staged"))
def test_cmake_lists_what_it_installs(world, destination):
    stage, prefix = world.base / destination, world.base / "prefix"
    there = stage / str(prefix)[1:] if destination else prefix
    done = subprocess.run(["cmake", "--install", ROOT / "build/release", "--prefix", prefix], text=True,
                          env={"PATH": "/usr/bin:/bin", **({"DESTDIR": str(stage)} if destination else {})},
                          capture_output=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done
    files = [str(path.relative_to(there)) for path in there.rglob("*") if path.is_file() or path.is_symlink()]
    files.remove(LIST)
    assert (there / LIST).read_text() == listed(there, files)
    assert [path.name for path in world.base.iterdir() if path.name in ("prefix", "staged")] == \
        [destination or "prefix"]
