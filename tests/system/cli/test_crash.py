"""Kills commands that change files before each system call that could change one.

After each kill, the next command must restore the state before the killed command, or keep the
state after it, with no other files.
"""

import fcntl
import json
import os
import shutil
import stat
import subprocess

import pytest

from command_world import error_of

# Calls that can change a file, by their x86-64 numbers, and flock.
WRITES = (1, 18)
CALLS = (*WRITES, 73, 74, 75, 77, 82, 83, 84, 86, 87, 90, 91, 92, 93, 258, 260, 263, 264, 265, 268, 316)
KILLED = 128 + 9
SECONDS = 60
# A command that changes nothing except to recover from an interruption.
NEXT_COMMAND = ("revoke", "/never/there", "--as", "path")


def tree_of(world):
    """The files in home and project, without the lock. The state directory may stay, and the
    hook writes its log."""
    tree = {}
    for top in (world.home, world.project):
        for path in sorted(top.rglob("*")):
            facts = path.lstat()
            is_folder = stat.S_ISDIR(facts.st_mode)
            is_left_out = path.name == "journal.lock" or path.name.startswith("audit.jsonl")
            if is_left_out or (is_folder and world.state.is_relative_to(path)):
                continue
            what = (os.readlink(path) if path.is_symlink() else "" if is_folder else path.read_bytes())
            tree[str(path)] = (oct(facts.st_mode), facts.st_uid, what)
    return tree


class Scenario:
    """A command in its own world, which is restored before each run."""

    def __init__(self, world, prepare, command):
        self.world, self.command = world, command
        self.fail_call = world.programs.fail_call
        prepare(world)
        self.saved = world.base / "saved"
        self.saved.mkdir()
        for top in (world.home, world.project):
            shutil.copytree(top, self.saved / top.name, symlinks=True)
        self.old = tree_of(world)
        calls = self.traced("list").stderr
        self.new = tree_of(world)
        assert self.new != self.old and not self.left(), self.left()
        rows = [tuple(map(int, line.split()[1:])) for line in calls.splitlines()
                if line.startswith("call 0 ")]
        self.points = [(number, which) for _, number, which, first, _ in rows
                       if number in CALLS and not (number in WRITES and first in (1, 2))]

    def put_back(self):
        for top in (self.world.home, self.world.project):
            for path in top.iterdir():
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
            shutil.copytree(self.saved / top.name, top, symlinks=True, dirs_exist_ok=True)

    def traced(self, *fault, command=None):
        words = [self.world.programs.ringfence, *map(str, command or self.command),
                 "--home", str(self.world.home)]
        if words[1] == "init":
            words += ["--hook", self.world.programs.hook]
        return subprocess.run([self.fail_call, *map(str, fault), *words], cwd=self.world.project,
                              capture_output=True, text=True, timeout=SECONDS, check=False,
                              env={"PATH": "/usr/bin:/bin"})

    def kill(self, point, command=None):
        done = self.traced(0, *point, "kill", command=command)
        assert done.returncode == KILLED, (point, done.returncode, done.stderr)

    def recover(self):
        done = self.world.run(*NEXT_COMMAND)
        assert done.returncode == 0, done.stderr
        return done.stderr

    def left(self):
        return [str(path) for top in (self.world.home, self.world.project) for path in top.rglob("*")
                if path.name.startswith((".ringfence-", "journal"))]

    def state(self):
        """"old" or "new"."""
        now = tree_of(self.world)
        assert not self.left(), self.left()
        if now in (self.old, self.new):
            return "old" if now == self.old else "new"
        wrong = sorted(path for path in {*now, *self.old, *self.new}
                       if now.get(path) not in (self.old.get(path), self.new.get(path)))
        raise AssertionError(f"neither old nor new: {wrong or 'some files are old, some new'}")

    def is_torn(self):
        """True if some files are old and some new, apart from those that the next command
        removes."""
        left = self.left()
        now = {path: what for path, what in tree_of(self.world).items() if path not in left}
        return now not in (self.old, self.new)

    def kill_everywhere(self):
        states, torn = [], []
        for point in self.points:
            self.put_back()
            self.kill(point)
            if self.is_torn():
                torn.append(point)
            said = self.recover()
            try:
                states.append(self.state())
            except AssertionError as problem:
                raise AssertionError(f"killed before call {point}: {problem}; {said}") from problem
        assert states == sorted(states, reverse=True), states  # old until the end is written
        assert {"old", "new"} == set(states), set(states)
        return torn


# -- killed commands ------------------------------------------------------------------------------

def nothing(_):
    pass


def settings_of_a_project(world):
    world.write(world.project / ".claude/settings.json", '{\n  "model": "x"\n}\n').chmod(0o640)
    world.write(world.policy, '{"version": 1}').chmod(0o600)


def a_linked_policy(world):
    target = world.write(world.home / "dotfiles/policy.json", '{"version": 1}')
    target.chmod(0o640)
    world.policy.parent.mkdir(parents=True)
    world.policy.symlink_to(target)


def a_trusted_project(world):
    world.init("--project", ".")


def a_project_that_is_not_trusted(world):
    world.write(world.project / ".ringfence/policy.json", '{"version": 1}')


def digest(world):
    return json.loads(world.run("trust", "--json").stdout)["sha256"]


ROWS = (  # name, initial files, command, changes several files
    ("init in an empty home", nothing, ("init",), True),
    ("init in a project", settings_of_a_project, ("init", "--project"), True),
    ("allow through a link", a_linked_policy, ("allow", "/srv/data"), False),
    ("allow in a trusted project", a_trusted_project, ("allow", "/srv/data"), True),
    ("revoke", a_linked_policy, ("revoke", "/srv/data"), False),
    ("trust", a_project_that_is_not_trusted, ("trust", "--yes", "--digest"), False),
    ("uninstall", a_trusted_project, ("uninstall", "--project"), True),
)


@pytest.mark.parametrize("prepare, command, is_of_several", [row[1:] for row in ROWS],
                         ids=[row[0] for row in ROWS])
def test_killed_before_each_call(world, prepare, command, is_of_several):
    def prepared(world):
        prepare(world)
        if command[0] == "revoke":
            assert world.run("allow", "/srv/data").returncode == 0

    if command[-1] == "--digest":
        prepare(world)
        scenario = Scenario(world, nothing, (*command, digest(world)))
    else:
        scenario = Scenario(world, prepared, command)
    torn = scenario.kill_everywhere()
    assert bool(torn) == is_of_several, torn


def torn_points(scenario):
    for point in scenario.points:
        scenario.put_back()
        scenario.kill(point)
        if scenario.is_torn():
            yield point


def torn_scenario(world):
    """A command in a trusted project, killed between two of its files."""
    scenario = Scenario(world, a_trusted_project, ("allow", "/srv/data"))
    return scenario, next(torn_points(scenario))


def a_project_for_a_group(world):
    world.init("--project", ".")
    for folder in (".claude", ".ringfence"):
        (world.project / folder).chmod(0o775)


def uninstalled_scenario(world):
    """A command that removes directories, killed before it is complete."""
    scenario = Scenario(world, a_project_for_a_group, ("uninstall", "--project"))
    return scenario, list(torn_points(scenario))[-1]


@pytest.mark.parametrize("make", (torn_scenario, uninstalled_scenario))
def test_a_killed_recovery_can_be_repeated(world, make):
    scenario, point = make(world)
    scenario.put_back()
    scenario.kill(point)
    calls = scenario.traced("list", command=NEXT_COMMAND).stderr
    assert scenario.state() == "old"
    rows = [line.split() for line in calls.splitlines() if line.startswith("call 0 ")]
    again = [(int(row[2]), int(row[3])) for row in rows
             if int(row[2]) in CALLS and not (int(row[2]) in WRITES and row[4] in ("1", "2"))]
    assert len(again) > 5, again
    for second in again:
        scenario.put_back()
        scenario.kill(point)
        scenario.kill(second, command=NEXT_COMMAND)
        scenario.recover()
        assert scenario.state() == "old"


def test_recovery_does_not_overwrite_a_changed_file(world):
    scenario, _ = torn_scenario(world)
    policy = scenario.world.project / ".ringfence/policy.json"
    policy.write_text('{ "version": 1 }')
    before = tree_of(scenario.world)
    for command in (NEXT_COMMAND, ("init",), ("uninstall",), ("trust", "--remove"), ("allow", "/x")):
        error_of(scenario.world.run(*command), 2, str(policy), "was changed after ringfence changed it",
                 f'remove "{scenario.world.state / "journal"}"')
        assert tree_of(scenario.world) == before, command
    (scenario.world.state / "journal").unlink()
    scenario.recover()
    assert policy.read_text() == '{ "version": 1 }'
    assert not (scenario.world.state / "journal").exists()


def test_read_only_commands_do_not_recover(world):
    scenario, _ = torn_scenario(world)
    before = tree_of(scenario.world)
    for command in (("init", "--dry-run"), ("trust", "--list"), ("explain", "Read", '{"file_path": "x"}')):
        scenario.world.run(*command)
        assert tree_of(scenario.world) == before, command


def test_an_invalid_journal_is_not_applied(world):
    scenario, _ = torn_scenario(world)
    journal = scenario.world.state / "journal"
    whole = journal.read_bytes()
    before = tree_of(scenario.world)

    def refused(*parts):
        error_of(scenario.world.run(*NEXT_COMMAND), 2, str(journal), *parts)
        now = tree_of(scenario.world)
        now.pop(str(journal))
        assert now == {path: was for path, was in before.items() if path != str(journal)}

    for damaged in (b"", whole[:-1], whole + b"x", whole[:100] + b"x" + whole[101:]):
        journal.write_bytes(damaged)
        refused("it is damaged")
    journal.write_bytes(whole)
    journal.chmod(0o620)
    refused("it must be yours, with mode 0600")
    journal.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(journal, 1, -1)
        refused("it must be yours, with mode 0600")
        os.chown(journal, 0, -1)
    scenario.recover()
    assert scenario.state() == "old"


def test_concurrent_commands_wait_for_the_lock(world):
    world.init()
    words = [world.programs.ringfence, "allow", "/srv/data", "--home", str(world.home)]
    with open(world.state / "journal.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with subprocess.Popen(words, cwd=world.project, stdout=subprocess.PIPE) as waiting:
            try:
                waiting.wait(0.7)
                raise AssertionError("it did not wait")
            except subprocess.TimeoutExpired:
                assert "/srv/data" not in world.policy.read_text()
            (world.state / "journal.lock").unlink()  # as its owner does
            fcntl.flock(lock, fcntl.LOCK_UN)
            assert waiting.wait(SECONDS) == 0
    assert "/srv/data" in world.policy.read_text()
    places = [f"/srv/{number}" for number in range(12)]
    left = places
    while left:
        tried = [(place, subprocess.Popen([world.programs.ringfence, "allow", place, "--home", world.home],
                                          cwd=world.project, stdout=subprocess.DEVNULL,
                                          stderr=subprocess.PIPE, text=True)) for place in left]
        ended = [(place, one.communicate(timeout=SECONDS)[1], one.returncode) for place, one in tried]
        again = [(place, said) for place, said, status in ended if status != 0]
        assert len(again) < len(left), again
        assert all("run the command again" in said for _, said in again), again
        left = [place for place, _ in again]
    assert all(f'"{place}"' in world.policy.read_text() for place in places)
    assert not list(world.state.glob("journal*"))


def test_a_lock_that_cannot_be_opened_is_named(world):
    world.init()
    lock = world.state / "journal.lock"
    lock.mkdir()
    error_of(world.run("allow", "/srv/data"), 2, str(lock), "if no other ringfence command runs, remove it")
    lock.rmdir()
    assert world.run("allow", "/srv/data").returncode == 0


def test_no_agent_can_write_the_journal(world):
    world.init()
    for name in ("journal", "journal.new", "journal.lock"):
        for tool, arguments in (("Write", {"content": "x"}), ("Edit", {"old_string": "", "new_string": "x"})):
            arguments["file_path"] = str(world.state / name)
            done = world.run("explain", tool, json.dumps(arguments), "--json")
            assert json.loads(done.stdout)["verdict"] == "deny", done.stdout
        # The state is shown read-only, or not at all.
        world.run("run", "--", "sh", "-c", f"echo x > '{world.state / name}'")
        assert not (world.state / name).exists()
    lock = world.state / "journal.lock"  # of a command that was killed
    lock.touch(0o200)
    for mode in ("r", "a"):
        done = world.run("run", "--", "/usr/bin/python3", "-c", f"open({str(lock)!r}, {mode!r})")
        assert done.returncode == 1 and "Error: [Errno" in done.stderr, (mode, done)
    assert world.run("allow", "/srv/data").returncode == 0
