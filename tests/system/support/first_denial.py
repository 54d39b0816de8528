"""Proves that an installed artefact works: `ringfence init`, and then the real client makes one call
that is denied and one that is permitted.

The API is a script on 127.0.0.1. The place can be a home directory of this machine, or a root of its
own, which needs what the client needs: glibc, a shell and env. It sees this machine's /dev and /proc.
"""

import dataclasses
import os
import pathlib
import shutil
import subprocess
import time

import pytest

import client
import director
import fake_api
import script
from checks import TIME
from script import Call, Do, Told, refused, runs
from session import Stage, Tools
from tool import read, write

SECONDS = 30  # from "file is there" to "first denied call", at most
PATIENCE = 120
OUTSIDE, INSIDE = "must stay as it is", "harmless-0815"


@dataclasses.dataclass
class Place:
    """Where the artefact was installed. `home` is a path of this machine, below `root`."""

    home: pathlib.Path
    path: str  # PATH, as the user has it after the installation
    root: pathlib.Path = pathlib.Path("/")
    user: object = None  # an id, if root runs this for another user
    environment: dict = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        self.project = self.home / "dev/project"
        self.outside = self.home / "dev/outside.txt"
        self.base = self.home.parent  # for the client's standard error
        self.names = {"PROJECT": self.inside(self.project), "OUTSIDE": self.inside(self.outside)}
        self.more_environment = {"HOME": self.inside(self.home), "PATH": self.path, **self.environment}
        if self.user is None and os.geteuid() == 0:
            self.more_environment["IS_SANDBOX"] = "1"  # else the client refuses to start

    def inside(self, path):
        return "/" + str(pathlib.Path(path).relative_to(self.root))

    def expand(self, value):
        if isinstance(value, str):
            for name, place in self.names.items():
                value = value.replace("$" + name, place)
            return value
        if isinstance(value, dict):
            return {key: self.expand(item) for key, item in value.items()}
        return [self.expand(item) for item in value] if isinstance(value, (list, tuple)) else value

    def write_program(self, _, text):
        """Of client.Client, which puts a quick npm into its PATH; the one here is in no PATH."""
        program = self.base / "client/npm"
        program.write_text(text)
        return program

    @property
    def folder(self):
        """Where commands start."""
        return self.project if self.project.exists() else self.home

    @property
    def launcher(self):
        """Starts a command in the root."""
        if self.root == pathlib.Path("/"):
            return ()
        user = 0 if self.user is None else self.user
        enter = ('mount --rbind /dev "$0/dev" && mount --rbind /proc "$0/proc" && '
                 f'exec /usr/sbin/chroot --userspec={user}:{user} "$0" env -C "$@"')
        return ("unshare", "--mount", "/bin/sh", "-c", enter, str(self.root), self.inside(self.folder))

    @property
    def as_user(self):
        if self.user is None or self.launcher:
            return {}
        return {"user": self.user, "group": self.user, "extra_groups": []}

    def run(self, *words, **more):
        """Runs a command of the user."""
        return subprocess.run([*self.launcher, *map(str, words)], cwd=self.folder, env=self.more_environment, text=True,
                              capture_output=True, timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL,
                              **{**self.as_user, **more})

    def prepare(self):
        """Creates the project, and the files of the two calls."""
        self.project.mkdir(parents=True, exist_ok=True)
        (self.project / "in.txt").write_text(INSIDE)
        self.outside.write_text(OUTSIDE)
        if self.user is not None:
            for path in (self.home / "dev", self.project, self.project / "in.txt", self.outside):
                os.chown(path, self.user, self.user)

    def claude(self):
        """The real client where the place can start it; raises client.Unavailable."""
        program = self.base / "client/claude"
        if not program.exists():
            program.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(client.find(), program)
            except OSError:
                shutil.copy(client.find(), program)
        return program


def first_denial(artefact, place, since, record_property, init=("ringfence", "init")):
    """Runs init and starts the client. Reports the seconds from `since` (time.monotonic()) until the
    model learns that its first call was denied. Skips the test without a client."""
    begin = time.monotonic()
    try:
        place.claude()
    except client.Unavailable as reason:
        pytest.skip(str(reason))
    place.prepare()
    since += time.monotonic() - begin  # the client and the files of the test do not count
    done = place.run(*init)
    assert done.returncode == 0, f"{init}: {done}"
    times = []
    play(place, Call("a write outside the project", write("$OUTSIDE"), refused()),
         Do("note the time", lambda _: times.append(time.monotonic())),
         Call("a read in the project", read("$PROJECT/in.txt"), runs(INSIDE)))
    seconds = times[0] - since
    record_property(TIME, f"{artefact}: file is there -> first denied call: {seconds:.1f} s")
    assert seconds < SECONDS, f"{seconds:.1f} s until the first denied call"


def is_blocked(place, *fragments):
    """Starts the client after first_denial(), with the registration as it is now: the same write is
    still refused, in these words."""
    play(place, Call("a write outside the project", write("$OUTSIDE"), Told(False, fragments)))


def play(place, *steps):
    """One session of the client. The file outside the project must stay as it is."""
    program = place.claude()
    stage = Stage(place, Tools(program, None))
    stage.director = director.Director({"main": list(steps)}, stage)
    with fake_api.FakeApi(stage.director) as api:
        started = place.inside(program) if place.launcher else program
        stage.client = client.Client(started, place, api.url, place.project, script.play_prompt("main"),
                                     ["--permission-mode", "bypassPermissions"], place.launcher,
                                     None if place.launcher else place.user)
        with stage.client:
            assert stage.client.wait(), stage.client.diagnosis()
    problems = [f"{case.name}: {problem}" for case in stage.director.outcomes() for problem in case.problems]
    assert not problems, (problems, stage.director.trouble(), stage.client.diagnosis())
    assert place.outside.read_text() == OUTSIDE
