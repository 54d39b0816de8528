"""Permission modes by both names, questions in auto mode, and sessions that end with data."""

import json
import threading

from cases.confined import ANSWERED
from cases.fixes import RINGFENCE, command_in, initialises, type_in
from script import Call, Do, asked, holds, present, refused, runs
from session import Session, wait_until
from tool import bash, read, write

LOG = "$HOME/.local/state/ringfence/audit.jsonl"

# The client is started with "manual" and reports "default" to its hooks.
BY_NAME = [Session(
    f"a profile for the mode {name}", mode="manual",
    policy={"version": 1, "profiles": {"careful": {
        "when": {"permission_mode": name}, "tools": {"deny": ["Bash"]}}}},
    play=[
        Call("counts", bash("echo x"), refused("Bash")),
    ]) for name in ("manual", "default")]

ASKING = {"version": 1, "read": {"ask": ["src"]}, "tools": {"ask": ["Bash"]}}
AUTO = Session(
    "questions in auto mode", mode="auto", policy=ASKING,
    play=[
        Call("about a tool", bash("echo x"), refused("Shift+Tab")),
        Call("about a file that is read", read("src/main.txt"), refused("Shift+Tab")),
        Call("about a write that runs later", write(".git/hooks/pre-commit"), refused("Shift+Tab")),
    ])
# Remedies in auto mode: `ringfence allow --ask`, Shift+Tab, and the client asks.
EDITOR = "$HOME/.config/nvim/init.lua"


def allows_and_leaves_auto_mode(stage):
    said = stage.director.told("a write that runs later")
    type_in(stage, command_in(RINGFENCE, said, stage.world), "$PROJECT")
    stage.client.say("\x1b[Z")  # Shift+Tab
    wait_until(lambda: stage.client.shows("manual mode on"), "auto mode goes on")
    threading.Thread(target=approves, args=(stage,), daemon=True).start()


def approves(stage):
    wait_until(lambda: stage.client.shows("Yes"), "the client asks nothing")
    stage.client.say("\r")


LEFT = Session(
    "auto mode is left", mode="auto", in_terminal=True, files={"$HOME/.claude.json": ANSWERED},
    prepare=(initialises(()),), register=lambda stage: None,
    play=[
        Call("a write that runs later", write(EDITOR), refused("--ask", "leave auto mode (Shift+Tab)")),
        Do("what the reason says", allows_and_leaves_auto_mode),
        Call("the same write, once the user approves", write(EDITOR), runs(), present(EDITOR)),
    ])

# Without a terminal the client itself does not run calls that a hook asks about.
MANUAL = Session(
    "the same questions in the mode manual", mode="manual", policy=ASKING,
    play=[
        Call("about a tool", bash("echo x"), asked("Bash")),
        Call("about a file that is read", read("src/main.txt"), asked("src")),
    ])

SHELLS = Session(
    "a policy without Bash", policy={"version": 1, "tools": {"deny": ["Bash"]}},
    play=[
        Call("has no Monitor either",
             ("Monitor", {"command": "echo x", "description": "d", "timeout_ms": 1000,
                          "persistent": False}), refused("Monitor")),
    ])

SCHEMA = {"type": "object", "required": ["file"],
          "properties": {"file": {"type": "string"}, "paths": {"type": "array"}}}
STRUCTURED = Session(
    "a session that ends with data", arguments=("--json-schema", json.dumps(SCHEMA)),
    after=(holds(LOG, '"tool":"StructuredOutput"'), holds(LOG, '"verdict":"permit"')),
    play=[
        Call("by a tool whose arguments are no paths",
             ("StructuredOutput", {"file": "/etc/passwd", "paths": ["/x"]}), runs()),
    ])

SESSIONS = (*BY_NAME, AUTO, LEFT, MANUAL, SHELLS, STRUCTURED)
