"""Groups of a team, each with its own directory for messages: their writes pass, other groups'
directories are out of reach, `main` reaches all, and a failure caused by the sandbox becomes an
alert."""

import json
import pathlib
import sys

import world
from cases.wrapped import needs_ringfence
from script import Call, Heard, Told, absent, holds, present, refused, runs
from session import Session, hooked
from tool import bash, send, write

IPC = "$HOME/team/ipc"
GROUPS = ("a", "ab", "b", "main")
SERVER = str(pathlib.Path(__file__).resolve().parent.parent / "echo_mcp.py")
SAY = "Use mcp__echo__send to tell the group what was refused."


def profile(name, *reaches):
    return {"write": {"allow": [".", *reaches]},
            "alerts": {"inbox": f"{IPC}/{name}/messages", "fields": {"chat": name}}}


POLICY = {
    "version": 1, "bash": {"wrap": True}, "denied": {"say": SAY},
    "tools": {"allow": ["@session-tools", "Read", "Write", "Bash", "mcp__echo__*"]},
    "profiles": {"a": profile("a", f"{IPC}/a"), "b": profile("b", f"{IPC}/b"),
                 "main": profile("main", "$HOME/team")},
}
FILES = {**{f"{IPC}/{name}/messages/1.json": world.INSIDE for name in GROUPS},
         "$BASE/mcp.json": {"mcpServers": {"echo": {
             "type": "stdio", "command": sys.executable,
             "args": [SERVER, f"{IPC}/a/messages"]}}}}


def with_a_link(stage):
    stage.world.path(f"{IPC}/a/linked").symlink_to("../b")


def alerts_of(stage_world, name):
    folder = stage_world.path(f"{IPC}/{name}/messages")
    return [json.loads(file.read_text()) for file in sorted(folder.glob("ringfence-*.json"))]


def alerted(group, *words):
    """Checks that each group has one alert, with these words, and that there is no other alert."""
    def check(stage_world):
        found = alerts_of(stage_world, group)
        missing = [word for word in stage_world.expand(words)
                   if not any(word in alert["text"] for alert in found)]
        if missing or len(found) != len(words):
            return f"no alert {missing}, or too many: {found}"
        wrong = [alert for alert in found
                 if (alert["type"], alert["tool"], alert["profile"], alert["chat"]) !=
                 ("ringfence-denial", "Bash", group, group) or not alert["session"]]
        others = [other for other in GROUPS
                  if other != group and alerts_of(stage_world, other)]
        return f"alerts {wrong}, in {others}" if wrong or others else None
    return check


ARGUMENTS = ("--mcp-config", "$BASE/mcp.json", "--strict-mcp-config")


def place(name):
    return f"{IPC}/{name}/messages/2.json"


A = Session(
    "a group", policy=POLICY, files=FILES, register=hooked("--profile", "a"),
    prepare=(needs_ringfence, with_a_link), arguments=ARGUMENTS,
    play=[
        Call("its own message", write(place("a")), runs(), present(place("a"))),
        Call("its own, by a command", bash(f"echo by-hand > {IPC}/a/messages/3.json"), runs(),
             holds(f"{IPC}/a/messages/3.json", "by-hand")),
        Call("a sibling's", write(place("b")), refused(f'"{place("b")}"'), absent(place("b"))),
        Call("a sibling's whose name begins with its own", write(place("ab")),
             refused(f'"{place("ab")}"'), absent(place("ab"))),
        Call("a sibling's by a link", write(f"{IPC}/a/linked/messages/2.json"),
             refused("it leads to"), absent(place("b"))),
        Call("main's", write(place("main")), refused(f'"{place("main")}"'), absent(place("main"))),
        Call("the server's own write", send("hello"), runs("sent"),
             holds(f"{IPC}/a/messages/mcp.json", "hello")),
        Call("a sibling's by a command", bash(f"echo x > {place('b')}"),
             Told(False, (f"{place('b')}: Read-only file system",)), absent(place("b"))),
        Call("the same again", bash(f"echo x > {place('b')}"), Told(False), absent(place("b"))),
        Call("main's by a command", bash(f"touch {place('main')}"), Told(False),
             absent(place("main"))),
        Call("a sibling's by a link and a command", bash(f"touch {IPC}/a/linked/messages/2.json"),
             Told(False), absent(place("b"))),
    ],
    heard=(Heard("why it was refused", "main",
                 (f'write to "{place("b")}" refused: outside the project', SAY)),),
    after=(alerted("a", f'write to "{place("b")}" refused: ',
                   f'write to "{place("main")}" refused: ',
                   f'refused: it leads to "{place("b")}"'),))

MAIN = Session(
    "the main group", policy=POLICY, files=FILES, register=hooked("--profile", "main"),
    prepare=(needs_ringfence,), arguments=ARGUMENTS,
    play=[
        *(Call(f"reaches {name}", write(place(name)), runs(), present(place(name)))
          for name in GROUPS),
        Call("by a command", bash(f"echo x > {IPC}/b/messages/3.json; echo done"), runs("done"),
             present(f"{IPC}/b/messages/3.json")),
        Call("and no further", write("$OUTSIDE/x"), refused('"$OUTSIDE/x"'), absent("$OUTSIDE/x")),
    ],
    after=(alerted("main"),))

CONFINED = Session(
    "a group whose client is confined", policy={**POLICY, "bash": {"wrap": False},
                                                "network": {"unlisted": "allow"}},
    files=FILES, register=hooked("--profile", "a"), confined=("--profile", "a"),
    play=[
        Call("its own message", write(place("a")), runs(), present(place("a"))),
        Call("a sibling's", write(place("b")), refused(f'"{place("b")}"'), absent(place("b"))),
        Call("a sibling's by a command", bash(f"echo x > {place('b')}"),
             Told(False, (f"{place('b')}: Read-only file system",)), absent(place("b"))),
    ],
    heard=(Heard("why it was refused", "main", (f'"{place("b")}" refused: ', SAY)),),
    after=(alerted("a", f'write to "{place("b")}" refused: '),))

SESSIONS = (A, MAIN, CONFINED)
