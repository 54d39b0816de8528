"""Attempts on the registration itself: changed settings, dying and missing programs, preloading."""

import json
import platform
import shutil
import time

import world
from script import Call, Do, Told, absent, blocked, holds, left_to_the_client, present, refused, runs
from session import (Session, Skip, hooked, in_turn, registration, removes, run_program, wait_until,
                     writes)
from tool import bash, read, write

DISABLED = {"disableAllHooks": True}
RELOAD_SECONDS = 3  # the client notices changed settings after about one
ANSWER_SECONDS = 0.5  # between the bell and the answer of the hook started beside it


def touching(path):
    return {"type": "command", "command": shutil.which("touch"), "args": [path]}


def ringfence(stage, *arguments):
    if stage.tools.ringfence is None:
        raise Skip("--ringfence was not given")
    return run_program(stage, [stage.tools.ringfence, *arguments])


def initialises_with_a_bell(stage):
    """The user's own hook for ConfigChange, which is not among the events on stdout; then init,
    which approves the existing settings."""
    bell = {"hooks": {"ConfigChange": [{"hooks": [touching("$BASE/bell")]}]}}
    stage.world.write(world.USER_SETTINGS, bell)
    ringfence(stage, "init", "--user", "--no-client-sandbox")


def once_noticed(action):
    """Changes the settings and waits until the client has run the hooks about the change."""
    def act(stage):
        bell = stage.world.path("$BASE/bell")
        bell.unlink(missing_ok=True)
        action(stage)
        wait_until(bell.exists, "the client noticed no change of settings")
        time.sleep(ANSWER_SECONDS)
    return act


# Control: settings are reloaded during a session; no hook refuses the change here.
RELOAD_CONTROL = Session(
    "control of changed settings, no ConfigChange hook", fenced=False,
    register=hooked(events=("PreToolUse",)),
    play=[
        Call("before", read("$OUTSIDE/o.txt"), refused()),
        Do("disable hooks from outside", in_turn(writes(world.LOCAL_SETTINGS, DISABLED),
                                                 lambda _: time.sleep(RELOAD_SECONDS))),
        Call("after", read("$OUTSIDE/o.txt"), runs(world.SECRET)),
    ])


def refused_outside(name):
    return Call(name, read("$OUTSIDE/o.txt"), refused('"$OUTSIDE/o.txt"'))


CHANGED_SETTINGS = Session(
    "settings changed from outside", prepare=(initialises_with_a_bell,),
    register=lambda stage: None,
    play=[
        refused_outside("before"),
        Do("a rule of the client's", once_noticed(writes(
            world.LOCAL_SETTINGS, {"permissions": {"deny": ["Read(./sub/**)"]}}))),
        Call("a harmless change counts", read("sub/deep.txt"), left_to_the_client()),
        Do("disable hooks", once_noticed(writes(world.LOCAL_SETTINGS, DISABLED))),
        refused_outside("local settings disable hooks"),
        # An accepted change of one file makes the client reload all of them.
        Do("something harmless elsewhere", once_noticed(writes(
            world.PROJECT_SETTINGS, {"cleanupPeriodDays": 30}))),
        refused_outside("a harmless change afterwards does not let that in"),
        Call("inside goes on", read("in.txt"), runs(world.INSIDE)),
    ])

# A variable that commands inherit: refused values are not in their environment.
SHOWS = bash("printenv LANGUAGE PYTHONSTARTUP")
ONLY_HARMLESS = Told(False, ("Exit code 1", "first"), never=("second", "/tmp/x", "ringfence: "))
CHANGED_VARIABLES = Session(
    "variables changed from outside", prepare=(initialises_with_a_bell,),
    register=lambda stage: None,
    play=[
        Do("an ordinary variable", once_noticed(writes(
            world.LOCAL_SETTINGS, {"env": {"LANGUAGE": "first"}}))),
        Call("counts", SHOWS, ONLY_HARMLESS),
        Do("one by which programs load code", once_noticed(writes(
            world.LOCAL_SETTINGS, {"env": {"LANGUAGE": "second", "PYTHONSTARTUP": "/tmp/x"}}))),
        Call("does not count, nor does the rest of its file", SHOWS, ONLY_HARMLESS),
    ])

CHANGED_REGISTRATION = Session(
    "registration changed from outside", prepare=(initialises_with_a_bell,),
    register=lambda stage: None,
    play=[
        refused_outside("before"),
        Do("drop the hook", once_noticed(writes(world.USER_SETTINGS, {"model": "sonnet"}))),
        refused_outside("user settings lose the hook"),
        Do("break the file", once_noticed(writes(world.USER_SETTINGS, {"model": 5}))),
        refused_outside("user settings become invalid"),
        Do("tear the file", once_noticed(writes(world.USER_SETTINGS, '{"hooks": '))),
        refused_outside("user settings are no JSON"),
        Do("remove the file", once_noticed(removes(world.USER_SETTINGS))),
        refused_outside("user settings are gone"),
        Call("inside goes on", read("in.txt"), runs(world.INSIDE)),
    ])

# Wrapper between the client and the hook; a word in a file beside it selects how it dies.
DYING_HOOK = """#!/bin/sh
case "$(cat "$0.mood" 2>/dev/null)" in
  killed) kill -9 $$ ;;
  failing) exit 1 ;;
  hanging) exec sleep 30 ;;
esac
exec "{hook}" "$@"
"""


def dying_hook(stage):
    program = stage.world.write_program("$BASE/hook", DYING_HOOK.format(hook=stage.tools.hook))
    return registration(program, timeout=3)


def mood(word):
    return writes("$BASE/hook.mood", word)


def loses_the_program(stage):
    stage.world.path("$BASE/hook").rename(stage.world.path("$BASE/hook.away"))


def finds_the_program(stage):
    stage.world.path("$BASE/hook.away").rename(stage.world.path("$BASE/hook"))


FAILING = Session(
    "a hook that fails", register=dying_hook,
    play=[
        Call("well: read inside", read("in.txt"), runs(world.INSIDE)),
        Do("kill it", mood("killed")),
        Call("killed: read inside", read("in.txt"), blocked("hook error")),
        Call("killed: write inside", write("new.txt"), blocked("hook error"),
             absent("$PROJECT/new.txt")),
        Do("fail it", mood("failing")),
        Call("failing: read outside", read("$OUTSIDE/o.txt"), blocked("hook error")),
        Do("hang it", mood("hanging")),
        Call("hanging: read outside", read("$OUTSIDE/o.txt"), blocked("timed out")),
        Do("lose it", in_turn(mood("well"), loses_the_program)),
        Call("missing: read inside", read("in.txt"), blocked("hook error")),
        Call("missing: write inside", write("new.txt"), blocked("hook error"),
             absent("$PROJECT/new.txt")),
        Do("find it", finds_the_program),
        Call("found: read inside", read("src/main.txt"), runs(world.INSIDE)),
        Call("found: read outside", read("$OUTSIDE/o.txt"), refused('"$OUTSIDE/o.txt"')),
    ])

SILENCER = """#include <unistd.h>
__attribute__((constructor)) static void Quit(void) { _exit(0); }
"""


def preloaded_silencer(stage):
    """Project settings that preload a library into all programs that the client starts."""
    if platform.system() != "Linux":
        raise Skip("LD_PRELOAD is Linux's")
    stage.world.write("$BASE/silencer.c", SILENCER)
    run_program(stage, ["cc", "-shared", "-fPIC", "-o", "$BASE/silencer.so", "$BASE/silencer.c"])
    stage.world.write(world.PROJECT_SETTINGS, {"env": {"LD_PRELOAD": "$BASE/silencer.so",
                                                       "PATH": "$BASE/nowhere"}})


def with_a_witness(stage):
    """A dynamically linked program beside the hook that would leave a file if preloading worked."""
    settings = registration(stage.tools.hook)
    settings["hooks"]["PreToolUse"][0]["hooks"].append(touching("$BASE/witness"))
    return settings


PRELOADED = Session(
    "a library preloaded by the project's settings", prepare=(preloaded_silencer,),
    register=with_a_witness,
    play=[
        Call("read outside", read("$OUTSIDE/o.txt"), refused('"$OUTSIDE/o.txt"'),
             absent("$BASE/witness")),
        Call("write outside", write("$OUTSIDE/new.txt"), refused('"$OUTSIDE/new.txt"'),
             absent("$OUTSIDE/new.txt")),
    ])

WITNESS_CONTROL = Session(
    "control of the preloaded library, without it", register=with_a_witness,
    play=[
        Call("the witness leaves its file", read("in.txt"), runs(), present("$BASE/witness")),
    ])


def initialises(stage):
    stage.world.write(world.USER_SETTINGS, {"cleanupPeriodDays": 30})
    ringfence(stage, "init", "--user")


INIT = Session(
    "registered by ringfence init", prepare=(initialises,), register=lambda stage: None,
    play=[
        Call("settings are kept", read("in.txt"), runs(world.INSIDE),
             holds(world.USER_SETTINGS, "cleanupPeriodDays"),
             holds(world.USER_SETTINGS, '"onFailure"')),
        Call("read outside", read("$OUTSIDE/o.txt"), refused('"$OUTSIDE/o.txt"')),
        Call("write outside", write("$OUTSIDE/new.txt"), refused('"$OUTSIDE/new.txt"'),
             absent("$OUTSIDE/new.txt")),
        Call("write inside", write("new.txt"), runs(), holds("$PROJECT/new.txt", "by the model")),
        Call("settings", write(world.LOCAL_SETTINGS, json.dumps(DISABLED)),
             refused("settings.local.json"), absent(world.LOCAL_SETTINGS)),
    ])


def initialises_and_uninstalls(stage):
    initialises(stage)
    ringfence(stage, "uninstall", "--user")


UNINSTALLED = Session(
    "unregistered by ringfence uninstall", prepare=(initialises_and_uninstalls,), fenced=False,
    register=lambda stage: None,
    play=[
        Call("the hook is gone", read("$OUTSIDE/o.txt"), runs(world.SECRET),
             holds(world.USER_SETTINGS, "cleanupPeriodDays")),
    ])

SESSIONS = (RELOAD_CONTROL, CHANGED_SETTINGS, CHANGED_VARIABLES, CHANGED_REGISTRATION, FAILING,
            WITNESS_CONTROL, PRELOADED, INIT, UNINSTALLED)
