"""Makes random changes to names in `ringfence run`, and checks the files afterwards.

tests/probes/random_names.c runs inside. The oracle is independent of ringfence: the few rules of
the policy are repeated here, and apply to the resulting files, whatever calls created them. A run
cannot be repeated exactly, since processes and threads race; --seed repeats what each tries.
"""

import hashlib
import json
import os
import pathlib
import random
import stat

import pytest

from child import Child
from ordinary_user import place_with
from run_world import RunWorld

SECONDS = {"ordinary": 60, "root": 20}
ROUND_SECONDS = 5
SECRET, WRITTEN = "SECRET-7f3a", b"written-inside"
ANY = None  # one component

# Names that may not be created, in any directory.
NEVER = ((".mcp.json",), (".ringfence",), (".claude", "settings.json"),
         (".claude", "settings.local.json"), (".claude", "commands"), (".git", "hooks"),
         (".git", "modules", ANY, "hooks"))
# Names that may be created only in a repository of this run.
IN_OWN_REPOSITORIES = ((".git", "info", "attributes"),)
# Names that may be created only in a work tree of this run.
IN_OWN_TREES = ((".github", "workflows"), (".vscode",), (".envrc",))
# Files that may be created only with content that ringfence permits.
NOT_WRITTEN = ((".git", "config"), ("commondir",), (".git", "modules", ANY, "config"))
CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"


class Facts:
    """All facts about a file except its access time."""

    def __init__(self, path):
        facts = os.lstat(path)
        self.is_folder = stat.S_ISDIR(facts.st_mode)
        self.mode, self.inode = facts.st_mode, facts.st_ino
        self.rest = (facts.st_uid, facts.st_gid, facts.st_nlink, facts.st_mtime_ns, facts.st_ctime_ns)
        self.content = b""
        if stat.S_ISREG(facts.st_mode):
            self.content = path.read_bytes()
        elif stat.S_ISLNK(facts.st_mode):
            self.content = os.fsencode(os.readlink(path))
        self.attributes = sorted((name, os.getxattr(path, name, follow_symlinks=False))
                                 for name in os.listxattr(path, follow_symlinks=False))

    def whole(self):
        return (*self.without_times(), self.rest)

    def without_times(self):
        return (self.mode, self.inode, self.digest(), self.attributes)

    def digest(self):
        return hashlib.sha256(self.content).hexdigest()


def tree(folder):
    """The facts of a directory and everything below it, by relative names."""
    found = {"": Facts(folder)}
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = pathlib.Path(place, name)
            found[str(path.relative_to(folder))] = Facts(path)
    return found


class NamesWorld(RunWorld):
    # Paths that may not change in any way, and protected paths in writable directories.
    CLOSED = ("outside", "home", "policy.json")
    KEPT = {"project": (".git/config", ".git/hooks", ".git/info/attributes",
                        ".claude/settings.json", ".mcp.json", ".envrc", ".github/workflows",
                        ".vscode", "docs/adr"),
            "shared": ("locked",)}
    # Hidden if there are mounts.
    HIDDEN = ("conf/key.pem", ".env")
    # Moving a parent directory moves these along; their content stays. Only a mount preserves their
    # times, which do not count.
    MOVED_ALONG = ("sub/.git/config", "sub/.git/hooks")

    def __init__(self, base, programs, hides_below=True):
        super().__init__(base, programs)
        self.hides_below = hides_below
        self.shared = self.base / "shared"
        denied = ["docs/adr", str(self.shared / "locked")]
        policy = {"version": 1, "read": {"deny": ["@secrets", "conf/key.pem", ".env"]},
                  "write": {"allow": [".", str(self.shared)], "deny": denied}}
        self.policy.write_text(json.dumps(policy))
        secret = SECRET + "\n" if hides_below else "hidden\n"
        for name, text in {
            "home/.ssh/id_ed25519": SECRET + "\n", "home/.bashrc": "", "home/letter.txt": "dear\n",
            "home/.config/ringfence/policy.json": '{"version": 1}\n', "home/docs/1.md": "one\n",
            "outside/a/b/file": "file\n", "outside/letter.txt": "dear\n", "outside/docs/1.md": "",
            "outside/.git/config": CONFIG, "outside/.git/hooks/pre-commit": "#!/bin/sh\n",
            "shared/a/file": "file\n", "shared/locked/letter.txt": "dear\n", "shared/letter.txt": "",
            "project/.git/HEAD": "ref: refs/heads/main\n", "project/.git/config": CONFIG,
            "project/.git/hooks/pre-commit": "#!/bin/sh\n", "project/.git/info/attributes": "* text\n",
            "project/.git/objects/a": "", "project/.git/refs/heads/main": "",
            "project/sub/.git/HEAD": "ref: refs/heads/main\n", "project/sub/.git/config": CONFIG,
            "project/sub/.git/hooks/pre-commit": "#!/bin/sh\n", "project/sub/a/file": "file\n",
            "project/.claude/settings.json": "{}\n", "project/.mcp.json": "{}\n",
            "project/.envrc": "export A=1\n", "project/.github/workflows/ci.yml": "on: push\n",
            "project/.vscode/tasks.json": "{}\n", "project/docs/adr/1.md": "one\n",
            "project/docs/1.md": "one\n", "project/conf/key.pem": secret, "project/.env": secret}.items():
            self.write(name, text)
        (self.project / "link").symlink_to(self.base / "outside")
        (self.project / "out").symlink_to("../outside/a")
        for folder in ("outside", "outside/a", "outside/a/b"):
            (self.base / folder).chmod(0o777)
        (self.base / "outside/a/b/file").chmod(0o666)
        os.setxattr(self.base / "outside/letter.txt", "user.was", b"1")
        # While a file is open, no new file gets its inode number, by which the oracle knows it.
        self.held = [os.open(path, os.O_PATH | os.O_NOFOLLOW)
                     for path in (self.base, *self.base.rglob("*"))]

    def release(self):
        for descriptor in self.held:
            os.close(descriptor)

    def look(self):
        return {place: {"": Facts(self.base / place)} if place == "policy.json"
                else tree(self.base / place) for place in (*self.CLOSED, *self.KEPT)}


# --- the oracle ---------------------------------------------------------------------------------------


def violations(world, before, moves_folders):
    """Changes that the policy denies, in words."""
    found, after = [], world.look()
    for place in NamesWorld.CLOSED:
        found += changed(place, without_log(before[place]), without_log(after[place]))
    for place, kept in NamesWorld.KEPT.items():
        if place == "project":
            kept += NamesWorld.HIDDEN if world.hides_below else ()
        for name in kept:
            found += changed(place, below(before[place], name), below(after[place], name))
        found += forbidden(place, before, after, moves_folders)
    return found + lost(before["project"], after, moves_folders)


def moved_along(files):
    return {path: facts for name in NamesWorld.MOVED_ALONG for path, facts in below(files, name).items()}


def lost(files, after, moves_folders):
    """The moved files must be somewhere, unchanged."""
    everything = [*after["project"].items(), *after["shared"].items()]
    now = {facts.inode: (path, facts.without_times()) for path, facts in everything}
    found = []
    for path, facts in moved_along(files).items():
        other_path, other = now.get(facts.inode, ("", None))
        if other != facts.without_times() or (not moves_folders and other_path != path):
            found.append(f"project/{path}: has changed, or is gone")
    return found


def without_log(files):
    """ringfence's own log is in the home; its parent directories get a new entry in the first
    run."""
    return {name: facts for name, facts in files.items() if not name.startswith(".local")
            and not (name == "" and ".bashrc" in files)}


def below(files, name):
    return {path: facts for path, facts in files.items() if (path + "/").startswith(name + "/")}


def changed(place, before, after):
    found = [f"{place}/{name}: is gone" for name in before.keys() - after.keys()]
    found += [f"{place}/{name}: is new" for name in after.keys() - before.keys()]
    for name in before.keys() & after.keys():
        then, now = before[name].whole(), after[name].whole()
        if then != now:
            found.append(f"{place}/{name}: has changed: {then} -> {now}")
    return found


def forbidden(place, all_before, all_after, moves_folders):
    before, after, found = all_before[place], all_after[place], []
    moved = {facts.inode for facts in moved_along(all_before["project"]).values()}
    for name, facts in after.items():
        is_same = name in before and before[name].inode == facts.inode
        is_new = not is_same and facts.inode not in moved
        if not facts.is_folder and facts.mode & (stat.S_ISUID | stat.S_ISGID):
            found.append(f"{place}/{name}: has mode {facts.mode:o}")
        if not is_new:
            continue
        words = pathlib.PurePath(name).parts
        if any(starts(rule, words) is not None for rule in NEVER):
            found.append(f"{place}/{name}: may not exist")
        for rule in IN_OWN_REPOSITORIES:
            start = starts(rule, words)
            git = None if start is None else "/".join(words[:start + 1])
            if git in before and before[git].inode == after[git].inode:
                found.append(f"{place}/{name}: is in a repository that was there")
        ends = [rule for rule in NOT_WRITTEN if starts(rule, words) == len(words) - len(rule)]
        if ends and WRITTEN in facts.content:
            found.append(f"{place}/{name}: has a content that may not be written")
        for rule in () if moves_folders else IN_OWN_TREES:
            start = starts(rule, words)
            if start is not None and not is_own_tree(words[:start], before, after):
                found.append(f"{place}/{name}: is not in a work tree of this run")
    return found


def starts(rule, words):
    """The position of the first sequence of components that matches a rule, or None."""
    for start in range(len(words) - len(rule) + 1):
        if all(word is ANY or word == words[start + i].lower() for i, word in enumerate(rule)):
            return start
    return None


def is_own_tree(folders, before, after):
    """True if one of the directories on the way is new and has a new `.git`."""
    for length in range(len(folders), 0, -1):
        folder = "/".join(folders[:length])
        if folder in before and before[folder].inode == after[folder].inode:
            return False
        if folder + "/.git" in after:
            return True
    return False


# --- rounds -------------------------------------------------------------------------------------------

def write(base, name, text):
    (base / name).parent.mkdir(parents=True, exist_ok=True)
    (base / name).write_text(text)


# Violations that the oracle must detect: each is made by hand, outside any sandbox.
PLANTED = {
    "a file outside": lambda base: (base / "outside/x").write_text(""),
    "a time outside": lambda base: os.utime(base / "outside/letter.txt", (1, 1)),
    "a mode outside": lambda base: (base / "home/letter.txt").chmod(0o600),
    "an attribute outside": lambda base: os.setxattr(base / "outside/a/b/file", "user.x", b"1"),
    "a hard link": lambda base: (base / "project/x").hardlink_to(base / "home/letter.txt"),
    "a denied file": lambda base: (base / "shared/locked/x").write_text(""),
    "a denied folder that moved": lambda base: (base / "project/docs").rename(base / "project/d"),
    "a configuration that changed": lambda base: (base / "project/sub/.git/config").write_text(""),
    "a hook": lambda base: (base / "project/sub/.git/hooks/x").write_text(""),
    "hooks of a new repository": lambda base: (base / "project/b/.git/hooks").mkdir(parents=True),
    "attributes of a repository that was there": lambda base: write(base, "project/sub/.git/info/attributes", ""),
    "hooks in other letters": lambda base: (base / "project/b/.GIT/Hooks").mkdir(parents=True),
    "a configuration": lambda base: write(base, "project/b/.git/config", WRITTEN.decode()),
    "a workflow": lambda base: (base / "project/b/.github/workflows").mkdir(parents=True),
    "a workflow beside a .git below": lambda base: [
        (base / "project/b/.github" / name).mkdir(parents=True) for name in (".git", "workflows")],
    "a set-user-ID bit": lambda base: (base / "project/sub/a/file").chmod(0o4755),
    "a secret": lambda base: (base / "project/.env").write_text("other"),
}


@pytest.mark.users("ordinary", "root")
@pytest.mark.as_user
@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED.keys())
def test_the_oracle_detects_violations(plant, programs, place):
    world = NamesWorld(place, programs)
    before = world.look()
    plant(world.base)
    found = violations(world, before, moves_folders=False)
    world.release()
    assert found


@pytest.mark.users("ordinary", "root")
@pytest.mark.as_user
def test_the_oracle_permits_a_workflow_of_a_new_work_tree(programs, place):
    world = NamesWorld(place, programs)
    before = world.look()
    for name in (".git", ".github/workflows"):
        (world.project / "b" / name).mkdir(parents=True)
    seen = violations(world, before, moves_folders=False)
    world.release()
    assert not seen, seen


@pytest.mark.users("ordinary", "root")
@pytest.mark.as_user
def test_the_oracle_permits_a_work_tree_in_place_of_a_link(programs, place):
    world = NamesWorld(place, programs)
    before = world.look()
    (world.project / "link").unlink()
    for name in (".git", ".envrc"):
        (world.project / "link" / name).mkdir(parents=True)
    seen = violations(world, before, moves_folders=False)
    world.release()
    assert not seen, seen


class Rounds:
    def __init__(self, programs, place):
        self.programs, self.place = programs, place
        self.done = {}
        self.worlds = 0

    def world(self, **options):
        self.worlds += 1
        folder = self.place / f"w{self.worlds}"
        folder.mkdir()
        return NamesWorld(folder, self.programs, **options)

    def one(self, seed, layers, moves):
        """The problems after the round."""
        world = self.world(hides_below=layers == "full")
        before = world.look()
        folders = [world.project, world.shared, world.base / "outside", world.home]
        flags = [] if moves else ["--no-moves"]
        done = world.run(self.programs.random_names, ROUND_SECONDS, seed, *flags, *folders,
                         extra=("--layers", layers), seconds=ROUND_SECONDS + 60)
        problems = violations(world, before, moves)
        world.release()
        problems += [line for line in done.stdout.splitlines() if line.startswith("leak\t")]
        if done.returncode != 0:
            problems.append(f"status {done.returncode}: {done.stderr[-500:]}")
        self.count(done.stdout)
        return "\n  ".join(problems[:12])

    def count(self, output):
        for line in output.splitlines():
            fields = line.split("\t")
            if len(fields) == 3 and fields[0] != "leak":
                tried, done = self.done.get(fields[0], (0, 0))
                self.done[fields[0]] = (tried + int(fields[1]), done + int(fields[2]))

    def run(self, seed, count):
        """(name, problem) of each round, and of each call that was tried."""
        found = []
        for number in range(count):
            layers, moves = ("full", "landlock")[number % 2], number % 4 < 2
            found.append((f"seed {seed + number}, {layers}{'' if moves else ', no folder is moved'}",
                          self.one(seed + number, layers, moves)))
        for call, (tried, done) in self.done.items():
            print(f"{call}: {done} of {tried} succeeded")
            if call != "openat2":  # ringfence reports it as missing
                found.append((f"{call} succeeds sometimes", "" if done else "never"))
        return found


@pytest.mark.users("ordinary", "root")
def test_random_names(user, programs, pytestconfig, checks):
    if os.geteuid() != 0:
        # Otherwise an escape would write into the files of the user who started this.
        pytest.skip("only root can start it as another user")
    options = pytestconfig.option
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 30)
    seconds = options.seconds or SECONDS[user]
    with place_with(programs, ("ringfence", "random_names")) as place, \
            Child(lambda: Rounds(programs, place), place, user == "root") as rounds:
        for name, problem in rounds.call("run", seed, max(1, seconds // ROUND_SECONDS)):
            checks.check(name, problem)
