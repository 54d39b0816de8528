"""A project whose changes are staged."""

import contextlib
import json
import os
import stat
import subprocess
import time

import pytest

from command_world import CommandWorld


OF_OTHERS = "of-others"  # a file that stays root's


class StageWorld(CommandWorld):
    """If the tests run as root, the program runs as an ordinary user, unless `as_root`."""

    def __init__(self, base, programs, as_root=False):
        super().__init__(base, programs, as_root)
        self.environment |= {"TERM": "xterm", "PATH": "/usr/local/bin:/usr/bin:/bin"}
        if not as_root:
            self.give_up_root()

    def call(self, *arguments, cwd=None, variables=None, **options):
        """Runs `ringfence ARGUMENT...`, with these variables besides the usual ones."""
        return subprocess.run(
            [self.programs.ringfence, *map(str, arguments)], cwd=cwd or self.project, text=True,
            errors="surrogateescape", stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
            check=False,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), **(variables or {})},
            **self.as_user, **options)

    @contextlib.contextmanager
    def begin(self, *arguments):
        """Starts `ringfence ARGUMENT...`, with pipes to it and from it."""
        with subprocess.Popen(
                [self.programs.ringfence, *map(str, arguments)], cwd=self.project, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home)},
                **self.as_user) as running:
            try:
                yield running
            except BaseException:
                running.kill()
                raise

    def put(self, path, text=""):
        """A file of the user's in the project; without text, a directory."""
        place = self.project / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        self.give(self.project)
        return place

    def user_policy(self, **sections):
        """Writes the user's policy."""
        self.write(self.policy, json.dumps({"version": 1, **sections}))
        self.give(self.home)

    def keep_changes_in_memory(self):
        try:
            os.setxattr("/dev/shm", b"user.ringfence-test", b"")
            os.removexattr("/dev/shm", b"user.ringfence-test")
        except OSError as problem:
            pytest.skip(f"files in memory have no user attributes here: {problem}")
        self.user_policy(stage={"buffer": "memory", "buffer_size": "8M"})

    def give(self, folder):
        for path in (folder, *folder.rglob("*")):
            if self.as_user and path.lstat().st_uid == 0 and path.name != OF_OTHERS:
                os.chown(path, self.as_user["user"], self.as_user["user"], follow_symlinks=False)

    def forbid_overlay(self):
        """From here on a stage is a copy: an overlay could not copy a file of another owner."""
        if not self.as_user:
            pytest.skip("only root can make files of another owner")
        path = self.project / OF_OTHERS
        path.write_text("")
        path.chmod(0o666)

    def stage(self, script, *options, shell="sh"):
        """Runs a script in a stage that is kept. Returns its id."""
        done = self.call("stage", "run", "--json", "--keep", *options, "--", shell, "-ec", script)
        assert done.returncode == 0, f"{done.returncode}: {done.stdout}{done.stderr}"
        return json.loads(done.stdout)["id"]

    def started(self, *command, options=(), cwd=None):
        """Starts `ringfence stage run`, with pipes."""
        return subprocess.Popen(
            [self.programs.ringfence, "stage", "run", *options, "--", *command],
            cwd=cwd or self.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.home)}, **self.as_user)

    def changes(self, stage):
        """The kind of each change, by its path."""
        done = self.good("stage", "diff", stage, "--json")
        return {change["path"]: change["change"] for change in json.loads(done.stdout)["changes"]}

    def good(self, *arguments):
        done = self.call(*arguments)
        assert done.returncode == 0, f"{arguments}: {done.returncode}: {done.stdout}{done.stderr}"
        return done

    def stages(self):
        return json.loads(self.good("stage", "list", "--json").stdout)["stages"]


def tree_of(folder):
    """Kind, permissions and content of everything below a directory."""
    found = {}
    for path in sorted(folder.rglob("*")):
        facts = path.lstat()
        if stat.S_ISLNK(facts.st_mode):
            content = os.readlink(path)
        else:
            content = path.read_bytes() if stat.S_ISREG(facts.st_mode) else ""
        found[str(path.relative_to(folder))] = (oct(facts.st_mode), content)
    return found


def wait_for(condition):
    for _ in range(300):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("it did not happen")
