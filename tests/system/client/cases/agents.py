"""Subagents, their profiles, and MCP servers."""

import pathlib
import sys

import world
from script import Call, Do, Heard, absent, holds, play_prompt, refused, runs
from session import Session, sets_policy, waits_for_script
from tool import agent, echo, mcp_resource, read, write

WORKER = {"version": 1, "profiles": {"worker": {"when": {"subagent": True},
                                                "write": {"allow": ["src"]}}}}
# What an event says about itself is the model's word: it may tighten the policy, never widen it.
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
                 refused('"$PROJECT/wide.txt"'), absent("$PROJECT/wide.txt")),
            Call("wider profile: write outside", write("$OUTSIDE/wide.txt"),
                 refused('"$OUTSIDE/wide.txt"'), absent("$OUTSIDE/wide.txt")),
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

SESSIONS = (SUBAGENTS, MCP)
