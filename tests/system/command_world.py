"""What the tests of the built `ringfence` share: a home and a project of their own for each case.

A case is a function of a file that takes a `world`; run_cases() finds them.
"""

import argparse
import copy
import inspect
import json
import os
import pathlib
import subprocess
import tempfile

from ordinary_user import ORDINARY_USER, copy_programs

EVENTS = ["PreToolUse", "PermissionRequest", "ConfigChange", "SessionStart", "SubagentStart",
          "PostToolUse", "PostToolUseFailure"]


class Skip(Exception):
    pass


class World:
    """A home, a project and the program, alone with each other."""

    def __init__(self, options, base):
        self.options = options
        self.base = base
        self.home = base / "home"
        self.project = base / "project"
        self.home.mkdir()
        self.project.mkdir()
        self.user = self.home / ".claude/settings.json"
        self.policy = self.home / ".config/ringfence/policy.json"
        self.state = self.home / ".local/state/ringfence"
        self.as_user = {}

    def give_up_root(self):
        """From here on the program runs as an ordinary user, to whom home and project belong."""
        if os.geteuid() != 0:
            return
        self.options = copy.copy(self.options)
        copy_programs(self.options, ("ringfence", "hook"), self.base)
        for path in (self.base, *self.base.rglob("*")):
            os.chown(path, ORDINARY_USER, ORDINARY_USER, follow_symlinks=False)
        self.as_user = {"user": ORDINARY_USER, "group": ORDINARY_USER, "extra_groups": []}

    def run(self, *arguments, cwd=None, env=None, hook=True):
        command = [self.options.ringfence, *map(str, arguments), "--home", str(self.home)]
        if hook and arguments[0] == "init":
            command += ["--hook", self.options.hook]
        return subprocess.run(command, cwd=cwd or self.project, capture_output=True, text=True,
                              timeout=60, env={"PATH": "/usr/bin:/bin", **(env or {})},
                              **self.as_user)

    def start(self, command, stdin="", env=None):
        """Any program, in the project."""
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

    def write(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def snapshot(self):
        """Every file of home and project, without what the hook itself logs."""
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


def cases_of(module):
    return [case for case in vars(module).values()
            if inspect.isfunction(case) and case.__module__ == module.__name__
            and list(inspect.signature(case).parameters) == ["world"]]


def run_case(case, options):
    with tempfile.TemporaryDirectory(prefix="ringfence-command-") as folder:
        case(World(options, pathlib.Path(os.path.realpath(folder))))


def run_cases(module):
    """Runs what the command line asks for; the status for sys.exit()."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--ringfence", type=os.path.abspath, help="for cases that run it")
    parser.add_argument("--hook", required=True, type=os.path.abspath)
    parser.add_argument("--as-root", action="store_true", help="for cases that become another user")
    options = parser.parse_args()
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for case in cases_of(module):
        name = case.__name__.replace("_", " ")
        try:
            run_case(case, options)
            counts["passed"] += 1
        except Skip as skip:
            print(f"SKIPPED {name}: {skip}")
            counts["skipped"] += 1
        except (AssertionError, OSError, KeyError, ValueError, subprocess.SubprocessError) as problem:
            print(f"FAILED {name}: {type(problem).__name__}: {problem}")
            counts["failed"] += 1
    print(", ".join(f"{count} {word}" for word, count in counts.items()))
    return 1 if counts["failed"] else 0

