"""Commands, their effects, and the network tools."""

import shutil
import time

import world
from script import (Call, Do, Found, absent, blocked, holds, left_to_the_client, present, refused,
                    runs)
from session import Session, run_program, unhooked
from tool import bash, enter_worktree, read, web_fetch, write

TASK_OUTPUT = Found(r"/\S+/tasks/\w+\.output")

CONTROL = Session(
    "control of commands without a hook", register=unhooked, fenced=False,
    play=[
        Call("a command without the sandbox runs",
             bash("touch made", dangerouslyDisableSandbox=True), runs(),
             present("$PROJECT/made")),
    ])

COMMANDS = Session(
    "commands",
    play=[
        Call("a command", bash("echo made > made; echo done"), runs("done"),
             holds("$PROJECT/made", "made")),
        Call("the flag with false", bash("echo done", dangerouslyDisableSandbox=False),
             runs("done")),
        Call("without the sandbox", bash("touch escaped", dangerouslyDisableSandbox=True),
             refused("dangerouslyDisableSandbox"), absent("$PROJECT/escaped")),
        Call("without the sandbox, as text",
             bash("touch escaped", dangerouslyDisableSandbox="true"),
             refused("dangerouslyDisableSandbox"), absent("$PROJECT/escaped")),
        Call("without the sandbox, in the background",
             bash("touch escaped", dangerouslyDisableSandbox=True, run_in_background=True),
             refused("dangerouslyDisableSandbox"), absent("$PROJECT/escaped")),
        Call("in the background", bash("echo from behind", run_in_background=True),
             runs("/tasks/")),
        Do("let it end", lambda _: time.sleep(1)),
        Call("its output is read", read(TASK_OUTPUT), runs("from behind")),
        Call("into a folder", bash("cd sub && pwd"), runs("/sub")),
        Call("relative to that folder", read("deep.txt"), runs(world.INSIDE)),
        Call("outside, seen from that folder", read("../../outside/o.txt"),
             refused('"$OUTSIDE/o.txt"')),
        Call("the project, seen from that folder", write("../new.txt"), runs(),
             holds("$PROJECT/new.txt", "by the model")),
        Do("take the folder away", lambda stage: shutil.rmtree(stage.world.path("$PROJECT/sub"))),
        Call("outside, seen from nowhere", read("$OUTSIDE/o.txt"), refused('"$OUTSIDE/o.txt"')),
    ])

MANUAL = Session(
    "commands in manual mode", mode="manual",
    play=[
        Call("a permitted command is left to the client's prompt", bash("touch made"),
             left_to_the_client(), absent("$PROJECT/made")),
        Call("without the sandbox", bash("touch escaped", dangerouslyDisableSandbox=True),
             refused("dangerouslyDisableSandbox"), absent("$PROJECT/escaped")),
    ])

WEB = Session(
    "web",
    policy={"version": 1, "tools": {"deny": ["WebSearch"]},
            "network": {"allow": ["docs.example"], "deny": ["gist.docs.example"]}},
    play=[
        Call("file address", web_fetch("file://$OUTSIDE/o.txt"), refused("file:")),
        Call("host that is not listed", web_fetch("https://elsewhere.example/"),
             refused("elsewhere.example")),
        Call("host that is denied", web_fetch("https://gist.docs.example/"),
             refused("gist.docs.example")),
        Call("host with letters that look alike", web_fetch("https://dоcs.example/"), refused()),
        Call("tool that is denied", ("WebSearch", {"query": "anything"}), refused("WebSearch")),
    ])


def worktree_outside(stage):
    identity = ["-c", "user.name=t", "-c", "user.email=t@example"]
    run_program(stage, ["git", "init", "-q", "."])
    run_program(stage, ["git", *identity, "commit", "-q", "--allow-empty", "-m", "first"])
    run_program(stage, ["git", "worktree", "add", "-q", "--detach", "$OUTSIDE/tree"])
    stage.world.write("$OUTSIDE/tree/o.txt", world.SECRET)


WORKTREES_CONTROL = Session(
    "control of worktrees without a hook", register=unhooked, fenced=False,
    prepare=(worktree_outside,),
    play=[
        Call("worktree outside is entered", enter_worktree(path="$OUTSIDE/tree"), runs()),
        Call("and read", read("o.txt"), runs(world.SECRET)),
    ])

WORKTREES = Session(
    "worktrees", prepare=(worktree_outside,),
    play=[
        Call("worktree outside", enter_worktree(path="$OUTSIDE/tree"), refused('"$OUTSIDE/tree"')),
        Call("it was not entered", read("o.txt"), blocked("does not exist")),
        # The client refuses these before it calls a hook.
        Call("worktree named .git", enter_worktree(name=".git"), blocked("Invalid worktree name")),
        Call("worktree whose name climbs", enter_worktree(name="../../outside"),
             blocked("Invalid worktree name")),
    ])

SESSIONS = (CONTROL, COMMANDS, MANUAL, WEB, WORKTREES_CONTROL, WORKTREES)
