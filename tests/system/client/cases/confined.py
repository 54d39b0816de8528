"""The client itself in `ringfence run`: it works, keeps its state, and its hook has a log."""

import json

import director
import fake_api
import world
from script import Call, Heard, absent, blocked, holds, refused, runs
from session import Session, Skip, client_of, hooked
from tool import bash, edit, read, write

ORDINARY_USER = 61234
# The fake API is on the host's loopback.
POLICY = {"version": 1, "network": {"unlisted": "allow"}}
LOG = "$HOME/.local/state/ringfence/audit.jsonl"
STATE = "$HOME/.claude.json"


# -- checks ---------------------------------------------------------------------------------------

def has_transcript(stage_world):
    slug = "".join(c if c.isalnum() else "-" for c in str(stage_world.project))
    folder = stage_world.home / ".claude/projects" / slug
    return None if list(folder.glob("*.jsonl")) else f"no transcript in {folder}"


def has_state(stage_world):
    """The project is known there from now on, and no other file remains beside it."""
    text = stage_world.read(STATE)
    if not text or "userID" not in json.loads(text):
        return f"~/.claude.json holds {text and text[:200]!r}"
    left = [path.name for path in stage_world.home.glob(".claude.json*") if path.name != ".claude.json"]
    return f"left in the home: {left}" if left else None


def logged_inside(*tools):
    def check(stage_world):
        lines = [json.loads(line) for line in (stage_world.read(LOG) or "").splitlines()]
        inside = [line.get("tool") for line in lines if "inside" in line]
        missing = [tool for tool in tools if tool not in inside]
        return f"no line from inside for {missing}: {lines}" if missing else None
    return check


def nothing_new_in_the_home(stage_world):
    usual = {".claude", ".claude.json", ".config", ".local", ".ssh", "bin", "dev"}
    found = {path.name for path in stage_world.home.iterdir()} - usual
    return f"new in the home: {found}" if found else None


# -- sessions -------------------------------------------------------------------------------------

# A function, since a case keeps its result.
def play():
    return [
        Call("a command", bash("echo made > made; pwd"), runs("/dev/project"),
             holds("$PROJECT/made", "made")),
        Call("a file", write("new.txt"), runs(), holds("$PROJECT/new.txt", "by the model")),
        Call("a file is read", read("in.txt"), runs(world.INSIDE)),
        Call("and edited", edit("in.txt", "harmless", "changed"), runs(),
             holds("$PROJECT/in.txt", "changed")),
        Call("the hook refuses", write("$OUTSIDE/new.txt"), refused('"$OUTSIDE/new.txt"'),
             absent("$OUTSIDE/new.txt")),
        Call("a command outside is stopped by the kernel", bash("echo x > $OUTSIDE/new.txt"),
             blocked("Read-only file system"), absent("$OUTSIDE/new.txt")),
        Call("a command in the home too", bash("echo x > $HOME/.profile"),
             blocked("Read-only file system"), absent("$HOME/.profile")),
        Call("a command's secret", bash("cat $HOME/.ssh/id_rsa"), blocked("Permission denied")),
        Call("the registration", bash("echo {} > $HOME/.claude/settings.json"),
             blocked("Permission denied"), holds(world.USER_SETTINGS, "PreToolUse")),
        Call("the audit log", bash(f"echo x >> {LOG}"), blocked("Permission denied"),
             holds(LOG, "SandboxStart")),
        Call("a folder for the next command", bash("cd sub && touch /tmp/kept"), runs()),
        Call("is kept, as its temporary files are", bash("ls /tmp/kept; pwd"),
             runs("/tmp/kept", "/project/sub")),
    ]


WHOLE = (has_transcript, has_state, nothing_new_in_the_home, logged_inside("Bash", "Write", "Read"))

HEADLESS = Session("the client inside", confined=(), policy=POLICY, after=WHOLE, play=play())

ORDINARY = Session("the client inside, of an ordinary user", confined=(), user=ORDINARY_USER,
                   policy=POLICY, after=WHOLE, play=play())

REQUIRED = Session(
    "the client inside, with a log that is required", confined=(),
    policy={**POLICY, "audit": {"required": True}}, after=(logged_inside("Bash", "Read"),),
    play=[
        Call("a command", bash("echo made > made"), runs(), holds("$PROJECT/made", "made")),
        Call("a file", read("in.txt"), runs(world.INSIDE)),
    ])

# The first-start questions, answered outside the sandbox.
ANSWERED = {"hasCompletedOnboarding": True, "theme": "dark", "bypassPermissionsModeAccepted": True,
            "customApiKeyResponses": {"approved": ["dummy"], "rejected": []},
            "projects": {"$PROJECT": {"hasTrustDialogAccepted": True, "allowedTools": []}}}


def hooked_and_warned(stage):
    return {**hooked()(stage), "skipDangerousModePermissionPrompt": True}


TERMINAL = Session(
    "the client inside, in a terminal", confined=(), in_terminal=True, policy=POLICY,
    register=hooked_and_warned,
    files={STATE: ANSWERED}, after=WHOLE,
    play=[
        Call("a command", bash("echo made > made; pwd"), runs("/dev/project"),
             holds("$PROJECT/made", "made")),
        Call("a file", write("new.txt"), runs(), holds("$PROJECT/new.txt", "by the model")),
        Call("a file is read", read("in.txt"), runs(world.INSIDE)),
        Call("a command outside is stopped by the kernel", bash("echo x > $OUTSIDE/new.txt"),
             blocked("Read-only file system"), absent("$OUTSIDE/new.txt")),
    ])


WORD = "xyzzy-4712"


def earlier_session(stage):
    """Runs the client inside with a word to remember, until it ends."""
    with fake_api.FakeApi(director.Director({}, stage)) as api:
        arguments = ["--permission-mode", "bypassPermissions"]
        with client_of(CONTINUED, stage, api, f"the word is {WORD}", arguments) as earlier:
            if not earlier.wait():
                raise Skip("the earlier session did not end: " + earlier.diagnosis())


CONTINUED = Session(
    "the client inside goes on with an earlier session", confined=(), policy=POLICY,
    prepare=(earlier_session,), arguments=("--continue",), after=(has_transcript, has_state),
    play=[Call("a command", bash("echo made"), runs("made"))],
    heard=(Heard("it remembers what it was told", "main", (WORD,)),))

READ_ONLY = Session(
    "the client inside, in a project that is read-only", confined=("--mode", "rx"), policy=POLICY,
    after=(has_transcript, has_state),
    play=[
        Call("a command that writes", bash("echo made > made"), blocked("Read-only file system"),
             absent("$PROJECT/made")),
        Call("a temporary file", bash("echo made > /tmp/made; cat /tmp/made"), runs("made")),
        Call("a file is read", read("in.txt"), runs(world.INSIDE)),
    ])

SESSIONS = (HEADLESS, ORDINARY, REQUIRED, TERMINAL, CONTINUED, READ_ONLY)
