"""Every fix that a message suggests works: the real client is denied a call, the user follows the
message, and the same call runs in the same session.

A row is a `Fix`. `says` are the steps: a pattern finds a command in the text that the model got,
or in the output of the previous step; a text without a group is typed as it is; a function
performs what a message asks for in words. Commands run in a shell in the project, as in the
user's second terminal. Each command that a message of the sources suggests has a row:
tests/system/cli/test_remedies.py compares the two.
"""

import dataclasses
import json
import pathlib
import re
import subprocess
import sys

import client
import world
from cases.registration import once_noticed, touching
from script import Call, Do, Told, asked, left_to_the_client
from session import Session, Skip, run_program, sets_policy, writes
from tool import bash, echo, mcp_resource, read, web_fetch, write

RINGFENCE = r"`(ringfence [^`]*)`"  # the last one counts
TRUST = r"run: (ringfence trust --yes --digest .*)$"


@dataclasses.dataclass(frozen=True)
class Fix:
    name: str
    use: tuple  # the call
    told: tuple  # fragments of the refusal
    says: tuple = (RINGFENCE,)
    policy: object = None  # the built-in one by default
    files: dict = dataclasses.field(default_factory=dict)
    prepare: tuple = ()
    start: str = "$PROJECT"
    init: tuple = ()  # additional words for ringfence init
    arguments: tuple = ()
    waits: bool = False  # for the client to reload its settings
    told_after: tuple = ()
    never: object = None  # a call that must be denied both before and after
    mode: str = "bypassPermissions"
    after: object = None  # Told, if the user would be asked about the same call


def session_of(fix):
    after = fix.after or Told(True, fix.told_after, never=("ringfence: ",))
    carry_out = lambda stage: carries_out(fix, stage)
    play = [Call("refused", fix.use, Told(False, fix.told)),
            Do("what the message says", once_noticed(carry_out) if fix.waits else carry_out),
            Call("the same call again", fix.use, after)]
    if fix.never:
        play.append(Call("and no more than that", fix.never, Told(False)))
    return Session("fix: " + fix.name, policy=fix.policy, files=fix.files, start=fix.start,
                   prepare=(initialises(fix.init), *fix.prepare), register=lambda stage: None,
                   arguments=fix.arguments, mode=fix.mode, play=play, fenced=False)


def initialises(options):
    """A separate hook that signals when the client has reloaded its settings."""
    def act(stage):
        if stage.tools.ringfence is None:
            raise Skip("--ringfence was not given")
        bell = {"hooks": {"ConfigChange": [{"hooks": [touching("$BASE/bell")]}]}}
        stage.world.write(world.USER_SETTINGS, bell)
        run_program(stage, [stage.tools.ringfence, "init", "--user", "--no-client-sandbox", "--hook",
                            stage.tools.hook, *options])
    return act


def carries_out(fix, stage):
    said = stage.director.told("refused")
    for step in fix.says:
        if callable(step):
            step(stage, said)
        else:
            said = type_in(stage, command_in(step, said, stage.world), fix.start)


def command_in(pattern, said, where):
    if "(" not in pattern:
        return where.expand(pattern)
    found = re.findall(pattern, said.strip(), re.MULTILINE)
    if not found:
        raise LookupError(f"no command like {pattern!r} in {said!r}")
    return found[-1]


def type_in(stage, command, start):
    """Runs the command in a shell, as the user does; returns its output."""
    path = f"{pathlib.Path(stage.tools.ringfence).parent}:{client.search_path()}"
    done = subprocess.run(["/bin/sh", "-c", command], cwd=stage.world.path(start), timeout=60,
                          capture_output=True, text=True,
                          env={"HOME": str(stage.world.home), "PATH": path})
    if done.returncode:
        raise RuntimeError(f"{command!r} failed: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def by_hand(action):
    return lambda stage, _: action(stage)


ECHO = pathlib.Path(__file__).parents[1] / "echo_mcp.py"


def with_server(stage):
    stage.world.write("$BASE/mcp.json", {"mcpServers": {"echo": {
        "type": "stdio", "command": sys.executable, "args": [str(ECHO)]}}})


MCP = {"prepare": (with_server,), "arguments": ("--mcp-config", "$BASE/mcp.json")}

OUTSIDE = read("$OUTSIDE/o.txt")
FENCE = "ringfence allow --read $OUTSIDE/o.txt"


def adds_the_folder(stage, said):
    """Adds the directory to the client's working directories, as `ringfence allow` says."""
    found = re.search(r'add ("[^"]*") to permissions\.additionalDirectories in (~\S+)\.$', said,
                      re.MULTILINE)
    path = stage.world.path("$HOME" + found[2][1:])
    settings = json.loads(path.read_text())
    settings["permissions"]["additionalDirectories"] = [json.loads(found[1])]
    stage.world.write(path, settings)


def adds_the_tool(stage, said):
    """Adds the tool to "mcp" in the policy, as the reason says."""
    found = re.search(r'The user can add "mcp": (\{.*\}) to the policy\.', said)
    sets_policy({**TOOLS_OF_ECHO, "mcp": json.loads(found[1])})(stage)


TOOLS_OF_ECHO = {"version": 1, "tools": {"allow": ["@session-tools", "mcp__echo__*"]}}

FIXES = (
    Fix("a file to read", OUTSIDE, ('"$OUTSIDE/o.txt"',), told_after=(world.SECRET,),
        never=read("$HOME/.ssh/id_rsa")),
    Fix("a file to read, for the session", OUTSIDE, ('"$OUTSIDE/o.txt"',),
        (FENCE + " --session",), told_after=(world.SECRET,)),
    Fix("a file to write", write("$OUTSIDE/new.txt"), ('"$OUTSIDE/new.txt"',)),
    Fix("a file whose name a shell would take apart", read("$OUTSIDE/a b;c.txt"), ("outside",),
        files={"$OUTSIDE/a b;c.txt": world.SECRET}, told_after=(world.SECRET,)),
    Fix("a file that runs code later", write("$HOME/.bashrc"), ("outside", "--ask"), mode="manual",
        after=left_to_the_client("requested permissions to edit")),  # the client's own words
    Fix("a file that another program runs later", write("$HOME/.config/nvim/init.lua"),
        ("outside", "--ask"), mode="manual", after=asked("it can run code later (@runs-later)")),
    Fix("a host that looks like a file", web_fetch("http://readme.md/"), ("--as host readme.md",),
        policy={"version": 1, "network": {"allow": ["@agent-hosts"]}}, mode="manual",
        after=left_to_the_client("requested permissions to use WebFetch")),
    Fix("a place behind a link", read("$PROJECT/link-file"), ("leads to",),
        told_after=(world.SECRET,)),
    Fix("a tool that the policy does not name", bash("echo hello"), ("Bash",),
        policy={"version": 1, "tools": {"allow": ["Read"]}}, told_after=("hello",)),
    Fix("a tool of an MCP server", echo(text="hello"), ("mcp__echo__echo",), **MCP,
        told_after=("hello",)),
    Fix("a resource of an MCP server", mcp_resource("echo://greeting"), ("echo",), **MCP),
    # The client's own settings.
    Fix("a file outside the client's own fence", OUTSIDE, ('"$OUTSIDE/o.txt"',), (FENCE, adds_the_folder),
        init=("--client-fence",), waits=True, told_after=(world.SECRET,)),
    # Steps that the message describes in words.
    Fix("a profile that lacks it", OUTSIDE, ("add it to this list of the profile",),
        (by_hand(sets_policy({"version": 1, "read": {"allow": [".", "~/dev/outside"]},
                              "profiles": {"main": {"read": {"allow": [".", "~/dev/outside"]}}}})),),
        policy={"version": 1, "read": {"allow": [".", "~/dev/outside"]},
                "profiles": {"main": {"read": {"allow": ["."]}}}},
        init=("--profile", "main"), told_after=(world.SECRET,)),
    Fix("a project's policy that narrows", read("sub/deep.txt"), ("add it to the project's own policy",),
        (by_hand(writes("$PROJECT/.ringfence/policy.json",
                        {"version": 1, "read": {"allow": ["src", "sub"]}})),),
        files={"$PROJECT/.ringfence/policy.json": {"version": 1, "read": {"allow": ["src"]}}},
        told_after=(world.INSIDE,), never=OUTSIDE),
    Fix("an argument of an MCP tool that is not a path", echo(path="$OUTSIDE/o.txt"),
        ('Not a path?',), (adds_the_tool,), policy=TOOLS_OF_ECHO, **MCP),
    # A policy in the project, which came with the repository.
    Fix("a project's policy that is not trusted", read("$HOME/shared/s.txt"), ("outside",),
        ("ringfence trust $PROJECT || true", TRUST),  # no terminal: it prints the digest
        files={"$HOME/shared/s.txt": world.SECRET, "$PROJECT/.ringfence/policy.json": {
            "version": 1, "read": {"allow": [".", "~/shared"]}}},
        told_after=(world.SECRET,)),
)

SESSIONS = tuple(session_of(fix) for fix in FIXES)
NAMES = tuple(fix.name for fix in FIXES)
