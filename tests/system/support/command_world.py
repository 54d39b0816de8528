"""The world of tests that run the commands of `ringfence`."""

import copy
import json
import os
import subprocess

from ordinary_user import ORDINARY_USER, copy_programs
from plain_world import World

EVENTS = ["PreToolUse", "PermissionRequest", "ConfigChange", "SessionStart", "SubagentStart",
          "PostToolUse", "PostToolUseFailure"]


class CommandWorld(World):
    """A separate home and project, and the program. `as_root`: a sandbox that the test starts
    belongs to root, not to an ordinary user."""

    def __init__(self, base, programs, as_root=False):
        super().__init__(base, programs)
        self.as_root = as_root
        self.user = self.home / ".claude/settings.json"
        self.state = self.home / ".local/state/ringfence"
        self.as_user = {}

    def give_up_root(self):
        """From here on the program runs as an ordinary user, who owns home and project."""
        if os.geteuid() != 0:
            return
        self.programs = copy.copy(self.programs)
        copy_programs(self.programs, ("ringfence", "hook"), self.base)
        for path in (self.base, *self.base.rglob("*")):
            os.chown(path, ORDINARY_USER, ORDINARY_USER, follow_symlinks=False)
        self.as_user = {"user": ORDINARY_USER, "group": ORDINARY_USER, "extra_groups": []}

    def run(self, *arguments, cwd=None, env=None, hook=True):
        command = [self.programs.ringfence, *map(str, arguments), "--home", str(self.home)]
        if hook and arguments[0] == "init":
            command += ["--hook", self.programs.hook]
        return subprocess.run(command, cwd=cwd or self.project, capture_output=True, text=True,
                              timeout=60, env={"PATH": "/usr/bin:/bin", **(env or {})},
                              **self.as_user)

    def start(self, command, stdin="", env=None):
        """Runs any program, in the project."""
        return subprocess.run(list(map(str, command)), cwd=self.project, input=stdin, text=True,
                              capture_output=True, timeout=60,
                              env={"PATH": "/usr/bin:/bin", **(env or {})}, **self.as_user)

    def init(self, *arguments, **more):
        done = self.run("init", *arguments, **more)
        assert done.returncode == 0, f"init: {done.returncode} {done.stdout}{done.stderr}"
        return done.stdout

    def trust(self, *arguments):
        """Trusts the project's policy as a script does: by the digest of what is shown."""
        shown = json.loads(self.run("trust", *arguments, "--json").stdout)
        return self.run("trust", *arguments, "--yes", "--digest", shown["sha256"])

    def snapshot(self):
        """Every file of home and project, except the hook's own logs."""
        files = {}
        for folder in (self.home, self.project):
            for path in sorted(folder.rglob("*")):
                if path.is_file() and path.name != "audit.jsonl":
                    files[str(path)] = path.read_bytes()
        return files

    def stub(self, script):
        return self.write(self.base / "ringfence-hook", "#!/bin/sh\n" + script + "\n")


def settings_of(path):
    return json.loads(path.read_bytes().decode("utf-8-sig"))


def registered(path, hook):
    hooks = settings_of(path)["hooks"]
    return [event for event in EVENTS for group in hooks.get(event, []) for entry in group["hooks"]
            if entry["command"] == hook]


def error_of(done, status, *parts):
    assert done.returncode == status, f"status {done.returncode}: {done.stdout}{done.stderr}"
    assert done.stderr.startswith("ringfence: "), done.stderr
    for part in parts:
        assert part in done.stderr, f"{part!r} is not in {done.stderr!r}"
