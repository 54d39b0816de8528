"""Limits that `ringfence init` sets in the client itself: files that @path in a prompt may not
name, and, with --client-fence, everything outside. Also the home directory as a project."""

import json
import os
import re
import shutil

import world
from cases.confined import ANSWERED
from cases.fixes import command_in, type_in
from cases.registration import once_noticed, ringfence, touching
from script import Call, Do, Heard, Told, absent, blocked, holds, present, refused, runs
from session import Session, Skip
from tool import bash, read, write

CLIENT_STATE = "$HOME/.claude.json"


def lays_links(stage):
    """Other names of the secret: through a link to it, to its directory and to the home."""
    os.symlink(stage.world.path("$HOME/.ssh/id_rsa"), stage.world.path("$PROJECT/named"))
    os.symlink(stage.world.path("$HOME/.ssh"), stage.world.path("$PROJECT/folder"))
    os.symlink(stage.world.home, stage.world.path("$BASE/other-home"))


def initialises(*words):
    bell = {"hooks": {"ConfigChange": [{"hooks": [touching("$BASE/bell")]}]},
            "skipDangerousModePermissionPrompt": True}

    def act(stage):
        stage.world.write(world.USER_SETTINGS, bell)
        ringfence(stage, "init", "--user", "--no-client-sandbox", "--hook", stage.tools.hook, *words)
    return act


def nothing(_):
    return None


MENTIONS = (" look at @~/.ssh/id_rsa @$HOME/.ssh/id_rsa @~/.ssh @../../.ssh/id_rsa @named @folder/id_rsa"
            " @$BASE/other-home/.ssh/id_rsa @/proc/self/root$HOME/.ssh/id_rsa please")
HEARD = Heard("the file", "main", (world.SECRET,))
GOES_ON = [Call("what is permitted", read("in.txt"), runs(world.INSIDE)),
           Call("a command", bash("find . -name '*.txt' | xargs grep -l harmless"), runs("in.txt"))]


def mentions(name, **more):
    return Session(f"secrets that a prompt mentions: {name}", prepare=(lays_links, initialises()),
                   register=nothing, says=MENTIONS, play=GOES_ON, **more)


IN_TERMINAL = {"in_terminal": True, "files": {CLIENT_STATE: ANSWERED}}

# Control: without init, a mention reaches the model.
CONTROL = Session("control of mentions: without init", prepare=(lays_links,), register=nothing,
                  fenced=False, says=MENTIONS, heard=(HEARD,), play=GOES_ON[:1])

LINKED_NOTES = Session(
    "a CLAUDE.md that is a link to a secret", prepare=(
        initialises(), lambda stage: os.symlink(stage.world.path("$HOME/.ssh/id_rsa"),
                                                stage.world.path("$PROJECT/CLAUDE.md"))),
    register=nothing, play=GOES_ON[:1])

OPEN = {"version": 1, "read": {"allow": [".", "~/dev/outside"]}}
FENCED = ("blockReadsOutsideWorkingDirectories",)


def without_the_fence(stage):
    """Removes it as another program would."""
    settings = json.loads(stage.world.read(world.USER_SETTINGS))
    for key in list(settings["permissions"]):
        if key.startswith("block"):
            del settings["permissions"][key]
    stage.world.write(world.USER_SETTINGS, settings)


def init_again(stage):
    ringfence(stage, "init", "--user", "--no-client-sandbox", "--hook", stage.tools.hook)


def fence(name, action, verdict):
    """The client keeps a removed fence until it ends; the log has the hook's answers."""
    line = f'"event":"ConfigChange"[^\n]*"verdict":"{verdict}"'

    def logged(where):
        log = where.read("$HOME/.local/state/ringfence/audit.jsonl") or ""
        return None if re.search(line, log) else f"no {line} in {log[-1000:]}"
    return Session(
        f"the client's own fence is taken down by {name}", policy=OPEN,
        prepare=(initialises("--client-fence"),), register=nothing, after=(logged,),
        play=[
            Call("up", read("$OUTSIDE/o.txt"), Told(False, FENCED)),
            Do("take it down", once_noticed(action)),
            Call("and still up", read("$OUTSIDE/o.txt"), Told(False, FENCED)),
        ])


FENCES = (
    fence("another program", without_the_fence, "deny"), fence("init", init_again, "permit"),
    Session("after init took the client's own fence down", policy=OPEN,
            prepare=(initialises("--client-fence"), init_again), register=nothing, fenced=False,
            play=[Call("what the policy permits", read("$OUTSIDE/o.txt"), runs(world.SECRET)),
                  Call("the hook goes on", read("~/.ssh/id_rsa"), Told(False))]))


def accepts_the_home(stage):
    """Init's own advice when it runs in the home directory."""
    stage.world.write(world.USER_SETTINGS, {})
    out = type_in(stage, f"ringfence init --no-client-sandbox --hook {stage.tools.hook}", "$HOME")
    command = command_in(r"run: (ringfence init --root \S+?)\.$", out, stage.world)
    type_in(stage, f"{command} --no-client-sandbox --hook {stage.tools.hook}", "$HOME")


HOME = Session(
    "the home, accepted as a project", start="$HOME", prepare=(accepts_the_home,),
    register=nothing, play=[
        Call("a file", read("~/dev/project/in.txt"), runs(world.INSIDE)),
        Call("a new file", write("~/new.txt"), runs(), present("$HOME/new.txt")),
        Call("a secret", read("~/.ssh/id_rsa"), Told(False)),
        Call("the client's settings", write(world.USER_SETTINGS, "{}"), refused(),
             holds(world.USER_SETTINGS, "PreToolUse")),
        Call("outside of it", write("$BASE/new.txt"), refused(), absent("$BASE/new.txt")),
    ], fenced=False)

PROJECT = Session(
    "a project below a home that is accepted", prepare=(accepts_the_home,), register=nothing,
    play=[
        Call("it is no wider by that", write("~/new.txt"), refused('"$HOME/new.txt"'),
             absent("$HOME/new.txt")),
        Call("and goes on", read("in.txt"), runs(world.INSIDE)),
    ])

# Init's note about the caches of package managers, and docs/faq.md about `npm install`.
INSTALL = ("mkdir -p lib/package && echo '{\"name\":\"lib1\",\"version\":\"1.0.0\"}' > lib/package/package.json"
           " && tar czf lib/lib1.tgz -C lib package && npm install --offline --no-audit --no-fund ./lib/lib1.tgz"
           " && ls node_modules/lib1")


def switches_the_sandbox_on(stage):
    for program in ("npm", "bwrap", "socat"):
        if not shutil.which(program):
            raise Skip(f"no {program} on this host")
    stage.world.path("$HOME/.npm").mkdir()
    stage.world.write(world.USER_SETTINGS, {"hooks": {"ConfigChange": [{"hooks": [touching("$BASE/bell")]}]}})
    said = ringfence(stage, "init", "--user", "--hook", stage.tools.hook)
    stage.world.write("$BASE/said", said)


def lets_commands_write_the_cache(stage):
    command = re.search(r"To permit one, run: (ringfence allow [^,]*), and (ringfence init) again",
                        stage.world.read("$BASE/said"))
    for typed in command.groups():
        type_in(stage, typed, "$PROJECT")


CACHE = Session(
    "a package cache in the home", prepare=(switches_the_sandbox_on,), register=nothing,
    play=[
        Call("cannot be written at first", bash(INSTALL), blocked("npm error")),
        Do("the user does what init says", once_noticed(lets_commands_write_the_cache)),
        Call("can be, once it is allowed", bash(INSTALL), runs("package.json")),
    ])

SESSIONS = (CONTROL, CACHE, mentions("headless"), mentions("in a terminal", **IN_TERMINAL), LINKED_NOTES,
            *FENCES, HOME, PROJECT)
