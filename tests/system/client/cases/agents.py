"""Subagents, their profiles, and MCP servers."""

import pathlib
import sys

import world
from script import Call, Do, Heard, absent, holds, play_prompt, refused, runs
from session import Session, sets_policy, waits_for_script
from tool import agent, bash, echo, mcp_resource, read, write

WORKER = {"version": 1, "profiles": {"worker": {"when": {"subagent": True},
                                                "write": {"allow": ["src"]}}}}
# An event's claims about itself come from the model: they may tighten the policy, never widen it.
WIDE = {"version": 1, "write": {"allow": ["src"]},
        "profiles": {"wide": {"when": {"subagent": True},
                              "read": {"allow": ["/"]}, "write": {"allow": ["/"]}}}}

SUBAGENTS = Session(
    "subagents", policy=WORKER,
    heard=(Heard("a subagent is told the boundaries", "front", ("ringfence",)),),
    play=[
        Call("the main agent writes anywhere inside", write("main.txt"), runs(),
             holds("$PROJECT/main.txt", "by the model")),
        Call("a subagent in the foreground", agent(play_prompt("front")), runs()),
        Call("a subagent in the background", agent(play_prompt("behind"), background=True), runs()),
        Do("let it work", waits_for_script("behind")),
        Call("the main agent still writes anywhere inside", write("main-2.txt"), runs(),
             holds("$PROJECT/main-2.txt", "by the model")),
        Do("a profile that widens", sets_policy(WIDE)),
        Call("a subagent with a wider profile", agent(play_prompt("wide")), runs()),
    ],
    subagents={
        "front": [
            Call("foreground: read inside", read("in.txt"), runs(world.INSIDE)),
            Call("foreground: read outside", read("$OUTSIDE/o.txt"), refused('"$OUTSIDE/o.txt"')),
            Call("foreground: write in src", write("src/front.txt"), runs(),
                 holds("$PROJECT/src/front.txt", "by the model")),
            Call("foreground: write beside src", write("front.txt"),
                 refused('"$PROJECT/front.txt"'), absent("$PROJECT/front.txt")),
        ],
        "behind": [
            Call("background: read outside", read("$OUTSIDE/o.txt"), refused('"$OUTSIDE/o.txt"')),
            Call("background: write in src", write("src/behind.txt"), runs(),
                 holds("$PROJECT/src/behind.txt", "by the model")),
            Call("background: write beside src", write("behind.txt"),
                 refused('"$PROJECT/behind.txt"'), absent("$PROJECT/behind.txt")),
        ],
        "wide": [
            Call("wider profile: read outside", read("$OUTSIDE/o.txt"),
                 refused('"$OUTSIDE/o.txt"')),
            Call("wider profile: write beside src", write("wide.txt"),
                 refused('/wide.txt"'), absent("$PROJECT/wide.txt")),
            Call("wider profile: write outside", write("$OUTSIDE/wide.txt"),
                 refused('/wide.txt"'), absent("$OUTSIDE/wide.txt")),
        ],
    })

ECHO_SERVER = str(pathlib.Path(__file__).resolve().parent.parent / "echo_mcp.py")
ECHO_CONFIG = {"mcpServers": {"echo": {"type": "stdio", "command": sys.executable,
                                       "args": [ECHO_SERVER]}}}
NAMED = {"version": 1, "tools": {"allow": ["@session-tools", "Read", "ReadMcpResourceTool",
                                           "mcp__echo__*"]}}

MCP = Session(
    "MCP servers", files={"$BASE/mcp.json": ECHO_CONFIG},
    arguments=("--mcp-config", "$BASE/mcp.json", "--strict-mcp-config"),
    play=[
        Call("tool the policy does not name", echo(text="hello"), refused("mcp__echo__echo")),
        Call("resource of a server the policy does not name", mcp_resource("echo://hello"),
             refused("echo")),
        Do("name it", sets_policy(NAMED)),
        Call("named: plain text", echo(text="hello"), runs("echo: ", "hello")),
        Call("named: path inside", echo(path="$PROJECT/in.txt"), runs("echo: ", "in.txt")),
        Call("named: path outside", echo(path="$OUTSIDE/o.txt"), refused('"$OUTSIDE/o.txt"')),
        Call("named: relative path outside", echo(path="../outside/o.txt"),
             refused("../outside/o.txt")),
        Call("named: file address outside", mcp_resource("file://$OUTSIDE/o.txt"),
             refused("outside/o.txt")),
        Call("a tool that is no longer named", write("new.txt"), refused("Write"),
             absent("$PROJECT/new.txt")),
    ])

# A server stays where the session started when the model changes directory.
MOVING = Session(
    "MCP servers and cd", files={"$BASE/mcp.json": ECHO_CONFIG},
    policy={"version": 1, "tools": {"allow": ["@session-tools", "Bash", "ReadMcpResourceTool",
                                              "mcp__echo__*"]}},
    arguments=("--mcp-config", "$BASE/mcp.json", "--strict-mcp-config"),
    play=[
        Call("before: a path beside the project", echo(path="../outside/o.txt"),
             refused("../outside/o.txt")),
        Call("the model moves on", bash("cd src && pwd"), runs("/src")),
        Call("after: a path beside the project", echo(path="../outside/o.txt"),
             refused("../outside/o.txt")),
        Call("after: by another name", echo(text="../outside/o.txt"), refused("../outside/o.txt")),
        Call("after: a link of the project", echo(text="link-file"), refused("link-file")),
        Call("after: a resource", mcp_resource("../outside/o.txt"), refused("../outside/o.txt")),
        Call("after: a path inside from both folders", echo(path="main.txt"),
             runs("echo: ", "main.txt")),
        Call("after: plain text", echo(text="a/b, or c"), runs("echo: ", "a/b, or c")),
    ])

ODD_SERVERS = ("gr\u00f6\u00dfe 4.0", "claude.ai  My (Drive)", "emoji\U0001f600x", "a__b")
ODD_PARTS = ("gr__e_4_0", "claude_ai_My_Drive", "emoji__x", "a__b")
NAMES = Session(
    "names of MCP servers",
    files={"$BASE/mcp.json": {"mcpServers": {
        name: {"type": "stdio", "command": sys.executable, "args": [ECHO_SERVER]}
        for name in ODD_SERVERS}}},
    policy={"version": 1, "tools": {"allow": ["@session-tools", "ReadMcpResourceTool",
                                              *(f"mcp__{part}__*" for part in ODD_PARTS)]}},
    arguments=("--mcp-config", "$BASE/mcp.json", "--strict-mcp-config"),
    play=[Call(f"a tool of {part}", (f"mcp__{part}__echo", {"text": "hello"}),
               runs("echo: ", "hello")) for part in ODD_PARTS] +
         [Call(f"a resource of {part}", ("ReadMcpResourceTool", {"server": name, "uri": "echo://x"}),
               runs("echo://x")) for name, part in zip(ODD_SERVERS, ODD_PARTS)])

SESSIONS = (SUBAGENTS, MCP, MOVING, NAMES)
