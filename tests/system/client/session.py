"""One session of the client: its world, the hook's registration, the scripts, the results."""

import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys
import time

import client
import director
import fake_api
import script
import world as worlds

EVENTS = ("PreToolUse", "PermissionRequest", "ConfigChange", "SessionStart", "SubagentStart",
          "PostToolUse", "PostToolUseFailure")


class Skip(Exception):
    """The session cannot be played on this host; the text says why."""


@dataclasses.dataclass(frozen=True)
class Tools:
    """The programs under test."""

    claude: pathlib.Path
    hook: pathlib.Path
    ringfence: object = None  # a path, or None if the command is not tested

    def copied_to(self, folder):
        """Copies of the programs where another user can reach them, as hard links if possible."""
        folder.mkdir(parents=True)
        copies = {}
        for field in dataclasses.fields(self):
            program = getattr(self, field.name)
            copies[field.name] = program and folder / program.name
            try:
                os.link(program, copies[field.name])
            except OSError:
                shutil.copy(program, copies[field.name])
        return Tools(**copies)


@dataclasses.dataclass
class Stage:
    """The objects that a step of a script can use."""

    world: worlds.ClientWorld
    tools: Tools
    client: object = None
    director: object = None


def registration(program, *args, events=EVENTS, timeout=10):
    entry = {"type": "command", "command": str(program), "args": ["--home", "$HOME", *args],
             "timeout": timeout, "onFailure": "block"}
    return {"hooks": {event: [{"hooks": [entry]}] for event in events}}


# Registrations of the hook: functions of the stage that return the user's settings.

def hooked(*args, **options):
    return lambda stage: registration(stage.tools.hook, *args, **options)


def unhooked(_):
    return {}


@dataclasses.dataclass(frozen=True)
class Session:
    name: str
    play: list
    subagents: dict = dataclasses.field(default_factory=dict)
    mode: str = "bypassPermissions"  # None: as the settings say
    policy: object = None  # the user's; None for the built-in one
    files: dict = dataclasses.field(default_factory=dict)  # in addition to those of every world
    register: object = hooked()
    prepare: tuple = ()  # functions of the stage, run before the client starts; may raise Skip
    arguments: tuple = ()  # additional ones for the client
    start: str = "$PROJECT"
    says: str = ""  # additional text of the user in the first prompt
    heard: tuple = ()  # script.Heard
    after: tuple = ()  # checks of the disk once the client has ended
    confined: object = None  # options of `ringfence run` for the client itself, or None
    in_terminal: bool = False  # with its user interface
    in_sdk: bool = False  # driven by the agent SDK, with the options in $BASE/options.json
    offered: tuple = ()  # script.Offered
    user: object = None  # the id of an ordinary user, if root runs this
    fenced: bool = True  # False for a control, in which the outside is reachable
    may_allow: bool = False  # the policy lets the hook skip the client's prompts
    world: object = worlds.ClientWorld  # creates it
    when_ended: object = None  # a function of the stage
    seconds: int = client.SESSION_SECONDS

    def call_names(self):
        steps = [step for steps in (self.play, *self.subagents.values()) for step in steps]
        return [call.name for step in steps if not isinstance(step, script.Do)
                for call in step.calls]

    def case_names(self):
        wishes = (*self.heard, *self.offered)
        return self.call_names() + [wish.name for wish in wishes] + [WHOLE]


WHOLE = "the session as a whole"


def perform(session, tools, keep=False):
    """Plays the session; returns an Outcome for each of its cases."""
    stage = Stage(session.world(), tools)
    try:
        # Inside, /tmp is private, but a home below it is visible.
        is_covered = session.confined is not None and tools.hook.is_relative_to("/tmp")
        if as_other(session) is not None or is_covered:
            stage.tools = tools.copied_to(stage.world.path("$HOME/bin"))
        _furnish(session, stage)
        return _play(session, stage)
    finally:
        if keep:
            print(f"kept: {stage.world.base} ({session.name})", file=sys.stderr)
        else:
            stage.world.remove()


def _furnish(session, stage):
    for path, content in session.files.items():
        stage.world.write(path, content)
    if session.policy is not None:
        stage.world.write(worlds.USER_POLICY, session.policy)
    for step in session.prepare:
        step(stage)
    settings = session.register(stage)
    if settings is not None:
        stage.world.write(worlds.USER_SETTINGS, settings)
    if as_other(session) is not None:
        stage.world.give_to(session.user)


def as_other(session):
    """The user that the client runs as, if it is another one."""
    return session.user if os.geteuid() == 0 else None


def client_of(session, stage, api, prompt, arguments):
    kind = client.TerminalClient if session.in_terminal else client.Client
    if session.in_sdk:
        kind = client.SdkClient
    launcher = ()
    if session.confined is not None:
        if not stage.tools.ringfence:
            raise Skip("without --ringfence")
        launcher = (stage.tools.ringfence, "run", *session.confined, "--")
    return kind(stage.tools.claude, stage.world, api.url, stage.world.path(session.start), prompt,
                arguments, launcher, as_other(session))


def _play(session, stage):
    stage.director = director.Director({"main": session.play, **session.subagents}, stage)
    mode = [] if session.mode is None else ["--permission-mode", session.mode]
    arguments = [*mode, *stage.world.expand(session.arguments)]
    with fake_api.FakeApi(stage.director) as api:
        prompt = script.play_prompt("main") + stage.world.expand(session.says)
        stage.client = client_of(session, stage, api, prompt, arguments)
        with stage.client:
            if session.in_terminal:
                _leave_when_played(stage)
            ended = stage.client.wait(session.seconds)
    # A call that ends the session has a result that no request contains.
    stage.director.check_results(stage.client.user_messages())
    if session.when_ended:
        session.when_ended(stage)
    outcomes = stage.director.outcomes()
    outcomes += [stage.director.heard(wish) for wish in session.heard]
    outcomes += [stage.director.offered(wish) for wish in session.offered]
    return outcomes + [director.Outcome(WHOLE, _problems_of_the_whole(session, stage, ended))]


def _leave_when_played(stage):
    try:
        stage.director.wait_until_finished("main", client.SESSION_SECONDS)
    except TimeoutError:
        return  # the calls report the missing results
    wait_until(lambda: stage.client.shows("done"), "the last answer is not shown")
    stage.client.say("/exit")
    time.sleep(1)  # input that arrives at once counts as pasted
    stage.client.say("\r")


def _problems_of_the_whole(session, stage, ended):
    problems = stage.director.trouble()
    problems += [wrong for wrong in (check(stage.world) for check in session.after) if wrong]
    if not ended:
        problems.append("the client did not come to an end: " + stage.client.diagnosis())
    if session.fenced and stage.director.ever_heard(worlds.SECRET):
        problems.append("WHAT IS OUTSIDE REACHED THE MODEL")
    if not session.may_allow:
        problems += [f"the hook skipped a prompt: {answer['stdout']!r}"
                     for answer in stage.client.hook_answers() if _allows(answer)]
    return problems


def _allows(answer):
    said = answer.get("stdout", "").replace(" ", "")
    return '"permissionDecision":"allow"' in said or '"behavior":"allow"' in said


# Steps while the model is silent: functions of the stage.

def writes(path, content):
    return lambda stage: stage.world.write(path, content)


def removes(path):
    return lambda stage: stage.world.path(path).unlink()


def sets_policy(policy):
    return writes(worlds.USER_POLICY, policy)


def waits_for_script(name):
    return lambda stage: stage.director.wait_until_finished(name)


def wait_until(condition, otherwise, seconds=15):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(otherwise)
        time.sleep(0.05)


def in_turn(*actions):
    def act(stage):
        for action in actions:
            action(stage)
    return act


def run_program(stage, command):
    """Runs a program in the world's home and returns its output. Skips if the program is
    missing."""
    environment = {"HOME": str(stage.world.home), "PATH": client.search_path(),
                   "GIT_CONFIG_NOSYSTEM": "1"}
    command = stage.world.expand([str(part) for part in command])
    try:
        done = subprocess.run(command, env=environment, cwd=stage.world.project, timeout=60,
                              capture_output=True, text=True)
    except FileNotFoundError as missing:
        raise Skip(f"no {command[0]} on this host") from missing
    if done.returncode:
        raise RuntimeError(f"{command} failed: {done.stderr.strip()[:300]}")
    return done.stdout
