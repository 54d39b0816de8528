"""The output of `ringfence settings`, used by the real client and by the agent SDK. Each session
shows that every section counts: a file with one wrong value would be dropped as a whole."""

import json
import pathlib
import shutil
import sys

import client
import world
from script import Call, Offered, Told, absent, holds, left_to_the_client, present, refused, runs
from session import Session, Skip, run_program
from tool import bash, glob, grep, read, write

ECHO = pathlib.Path(__file__).parents[1] / "echo_mcp.py"
SERVER = {"type": "stdio", "command": sys.executable, "args": [str(ECHO)]}
SKILL = "---\nname: shell\ndescription: runs a line\n---\nIt says !`touch skill-ran; echo done`.\n"

POLICY = {
    "version": 1,
    "tools": {"allow": ["@session-tools", "Read", "Write", "Edit", "Bash", "Glob", "Grep", "Skill",
                        "mcp__team__*"],
              "deny": ["WebSearch"]},
    "read": {"deny": ["**/.env", "private/*.key", "closed"]},
    "write": {"deny": ["**/*.lock"]},
    "profiles": {"main": {"client": {"permission_mode": "bypassPermissions"}},
                 "worker": {"permitted": "allow", "write": {"ask": ["asked"]}}},
}
FILES = {
    "$PROJECT/.env": world.SECRET, "$PROJECT/sub/.env": world.SECRET,
    "$PROJECT/private/a.key": world.SECRET, "$PROJECT/closed/c.txt": world.SECRET,
    "$PROJECT/.claude/skills/shell/SKILL.md": SKILL,
    # A project that tries to disable hooks.
    world.PROJECT_SETTINGS: {"disableAllHooks": True},
}


def needs_sandbox(_):
    for program in ("bwrap", "socat"):
        if not shutil.which(program):
            raise Skip(f"no {program} on this host")


def derive(stage, *arguments):
    if stage.tools.ringfence is None:
        raise Skip("--ringfence was not given")
    return run_program(stage, [stage.tools.ringfence, "settings", "--hook", stage.tools.hook,
                               "--root", "$PROJECT", *arguments])


def settings_in(path, *arguments):
    return lambda stage: stage.world.write(path, derive(stage, *arguments))


def options_of_the_sdk(*arguments):
    """The options as printed, and two MCP servers that a host would add."""
    def write_them(stage):
        try:
            client.find_sdk()
        except client.Unavailable as reason:
            raise Skip(str(reason)) from reason
        options = json.loads(derive(stage, "--for", "sdk", *arguments))
        options["mcpServers"] = {"team": SERVER, "other": SERVER}
        stage.world.write("$BASE/options.json", options)
    return write_them


def nothing_skipped(path):
    """The client's own report on settings files that it read."""
    def check(where):
        log = where.read(path) or "no log"
        wrong = [line for line in log.splitlines() if "nvalid setting" in line or "no log" == line]
        return "; ".join(wrong)[:600] if wrong else None
    return check


def no_registration(_):
    return None


def sections_count():
    return [
        Call("the hook is called", read("$OUTSIDE/o.txt"), refused('"$OUTSIDE/o.txt"')),
        Call("what is permitted runs", read("in.txt"), runs(world.INSIDE)),
        Call("a search leaves out what floats", grep("tell-nobody", path="$PROJECT/sub"),
             Told(True, (), (world.SECRET,))),
        Call("and does not name it", glob("**/.env", path="$PROJECT/sub"),
             Told(True, (), ("sub/.env",))),
        Call("a command does not see it", bash("sh -c 'cat sub/.e\"\"nv; cat private/a.k*; echo end'"),
             runs("Permission denied", "end")),
        Call("nor what is denied by a plain path", bash("sh -c 'cat clo*/c.txt; echo end'"),
             runs("end")),
        Call("commands are in the sandbox", bash("touch $HOME/made; touch made; echo end"),
             runs("end"), absent("$HOME/made"), present("$PROJECT/made")),
        Call("they do not read outside of the project", bash("sh -c 'cat ../outside/o.*; echo end'"),
             Told(True, ("end",), (world.SECRET,))),
        Call("and do not leave it", bash("touch $HOME/left", dangerouslyDisableSandbox=True),
             refused(), absent("$HOME/left")),
        Call("what floats is not written", write("gen/a.lock"), Told(False),
             absent("$PROJECT/gen/a.lock")),
        Call("a skill runs no shell", ("Skill", {"skill": "shell"}), Told(True),
             absent("$PROJECT/skill-ran")),
    ]


TOOLS = ("--tools", "Read,Write,Edit,Bash,Glob,Grep,Skill,WebSearch,WebFetch")
DEBUG = ("--debug-file", "$BASE/debug.log")

ON_THE_COMMAND_LINE = Session(
    "settings given by --settings", policy=POLICY, files=FILES,
    prepare=(needs_sandbox, settings_in("$BASE/settings.json", "--client-fence")),
    register=no_registration,
    arguments=("--settings", "$BASE/settings.json", *TOOLS), play=sections_count(),
    offered=(Offered("tools", ("Read", "Bash", "Skill"), ("WebSearch", "WebFetch")),))

MERGED = Session(
    "settings merged into the user's file", policy=POLICY,
    files={**FILES, world.PROJECT_SETTINGS: {},
           world.USER_SETTINGS: '{ "cleanupPeriodDays" : 31 }\n'},
    prepare=(needs_sandbox,
             lambda stage: derive(stage, "--client-fence", "--merge", "$HOME/.claude/settings.json",
                                  "--in-place")),
    register=no_registration, arguments=(*TOOLS, *DEBUG), play=sections_count(),
    after=(nothing_skipped("$BASE/debug.log"),
           holds(world.USER_SETTINGS, '{ "cleanupPeriodDays" : 31, ')))

# Without the client's own fence its sandbox lets commands read outside the project, except for
# paths that the policy denies by name. The hook is unchanged.
WITHOUT_FENCE = Session(
    "settings without the client's own fence", policy=POLICY, files=FILES, fenced=False,
    prepare=(needs_sandbox, settings_in("$BASE/settings.json")), register=no_registration,
    arguments=("--settings", "$BASE/settings.json", *TOOLS),
    play=[
        Call("a command reads outside", bash("sh -c 'cat ../outside/o.*; echo end'"),
             runs(world.SECRET, "end")),
        Call("but no secret", bash("sh -c 'cat ~/.ss*/id_rsa; echo end'"),
             Told(True, ("end",), (world.SECRET,))),
        Call("the hook is called", read("$OUTSIDE/o.txt"), refused('"$OUTSIDE/o.txt"')),
    ])

# Control: the client reports a skipped rule.
SKIPPED = Session(
    "control of merged settings: a rule that the client skips",
    files={world.USER_SETTINGS: {"permissions": {"deny": ["webfetch"]}}},
    register=no_registration, arguments=DEBUG,
    play=[Call("a read", read("in.txt"), runs(world.INSIDE))],
    after=(holds("$BASE/debug.log", "Invalid setting skipped"),))

# The mode comes from the settings, not from the command line.
def mode_of(profile, told, *disk):
    chosen = ("--profile", profile) if profile else ()
    return Session(
        f"the mode of a profile: {profile or 'none'}", policy=POLICY, mode=None,
        prepare=(needs_sandbox, settings_in("$BASE/settings.json", *chosen)),
        register=no_registration, arguments=("--settings", "$BASE/settings.json"),
        may_allow=profile == "worker", play=[Call("a write", write("new.txt"), told, *disk)])


MODES = (mode_of("", left_to_the_client("haven't granted"), absent("$PROJECT/new.txt")),
         mode_of("main", runs(), present("$PROJECT/new.txt")),
         mode_of("worker", runs(), present("$PROJECT/new.txt")))

OFFERED = Offered("tools that exist", ("Read", "Bash", "mcp__team__echo"),
                  ("WebSearch", "WebFetch", "Agent", "Monitor", "NotebookEdit"))


def echo(server):
    return f"mcp__{server}__echo", {"text": "hello"}


SDK_MAIN = Session(
    "the agent SDK, bypassing prompts", in_sdk=True, policy=POLICY, files=FILES,
    prepare=(needs_sandbox, options_of_the_sdk("--profile", "main", "--client-fence")),
    register=no_registration, offered=(OFFERED,),
    play=sections_count() + [
        Call("a listed MCP tool", echo("team"), runs("hello")),
        Call("an MCP tool that is not listed", echo("other"), refused("mcp__other__echo")),
        Call("a tool that is not offered", ("WebSearch", {"query": "anything"}), Told(False)),
    ])

SDK_WORKER = Session(
    "the agent SDK, a worker", in_sdk=True, policy=POLICY, files=FILES, may_allow=True,
    prepare=(needs_sandbox, options_of_the_sdk("--profile", "worker")), register=no_registration,
    offered=(OFFERED,),
    play=[
        Call("a read outside", read("$OUTSIDE/o.txt"), refused('"$OUTSIDE/o.txt"')),
        Call("a write needs no prompt", write("new.txt"), runs(), present("$PROJECT/new.txt")),
        Call("what is asked about is no exception", write("asked/new.txt"),
             Told(False, ("needs the user's approval",)), absent("$PROJECT/asked/new.txt")),
        Call("a command in the sandbox needs none", bash("touch $HOME/made; touch made; echo end"),
             runs("end"), absent("$HOME/made"), present("$PROJECT/made")),
        Call("an MCP tool does", echo("team"), left_to_the_client("haven't granted")),
        Call("an MCP tool that is not listed", echo("other"), refused("mcp__other__echo")),
    ])

# Control: the project's settings would have disabled the hook.
SDK_CONTROL = Session(
    "control of the agent SDK: without the word on hooks", in_sdk=True, policy=POLICY, files=FILES,
    fenced=False,
    prepare=(options_of_the_sdk("--profile", "main"),
             lambda stage: _without(stage, "disableAllHooks", "permissions")),
    register=no_registration,
    play=[Call("a read outside", read("$OUTSIDE/o.txt"), runs(world.SECRET))])


def _without(stage, *keys):
    options = json.loads(stage.world.read("$BASE/options.json"))
    for key in keys:
        del options["settings"][key]
    del options["sandbox"]
    stage.world.write("$BASE/options.json", options)


SESSIONS = (ON_THE_COMMAND_LINE, MERGED, WITHOUT_FENCE, SKIPPED, *MODES, SDK_MAIN, SDK_WORKER, SDK_CONTROL)
