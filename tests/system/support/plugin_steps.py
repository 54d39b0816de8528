"""What tests of the plugin for Claude Code do: the client's own commands install and remove it."""

import json
import subprocess

import pytest

import client
import session as sessions
import world as worlds
from script import Call, refused, runs
from tool import read

PLUGIN = "ringfence@ringfence"
MARKETPLACE = "share/ringfence/claude-plugin"
REMOVAL = ("plugin", "marketplace", "remove", "ringfence")
LOG = "$HOME/.local/state/ringfence/audit.jsonl"


def claude(stage, *words, where="$PROJECT"):
    """Runs a command of the client in the world; returns what it prints."""
    environment = {"HOME": str(stage.world.home), "PATH": client.search_path(),
                   "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
    done = subprocess.run([stage.tools.claude, *words], env=environment, capture_output=True, text=True,
                          cwd=stage.world.path(where), stdin=subprocess.DEVNULL, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def installs(*scope):
    def act(stage):
        marketplace = stage.tools.hook.parent.parent / MARKETPLACE
        claude(stage, "plugin", "marketplace", "add", str(marketplace))
        claude(stage, "plugin", "install", PLUGIN, *scope)
    return act


def inits(stage):
    sessions.run_program(stage, [stage.tools.ringfence, "init", "--no-client-sandbox"])


def doctor(stage, program=None):
    """The rows of doctor about the plugin and the registration."""
    environment = {"HOME": str(stage.world.home), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([program or stage.tools.ringfence, "doctor", "--json"], env=environment,
                          capture_output=True, text=True, cwd=stage.world.project, timeout=60)
    rows = json.loads(done.stdout)["rows"]
    return [row for row in rows if row["about"] == "plugin" or "registers the hook" in row["text"]]


def has_row(stage, health, text, program=None):
    rows = doctor(stage, program)
    found = [row for row in rows if row["health"] == health and text in row["text"]]
    assert found, rows
    return found[0]


def play(tools, checks, *steps, prepare=(installs(),), when_ended=None, **fields):
    """Plays the steps in a session whose settings only `prepare` has written."""
    ended = []

    def at_end(stage):
        if when_ended:
            when_ended(stage)
        ended.append(True)

    told = sessions.Session("plugin", play=list(steps), prepare=prepare, register=lambda _: None,
                            when_ended=at_end, **fields)
    try:
        outcomes = sessions.perform(told, tools)
    except sessions.Skip as reason:
        pytest.skip(str(reason))
    for outcome in outcomes:
        checks.check(outcome.name, "; ".join(outcome.problems))
    assert ended


def log_of(stage):
    return [json.loads(line) for line in (stage.world.read(LOG) or "").splitlines()]


def denied(name="outside"):
    return Call(name, read("$OUTSIDE/o.txt"), refused('"$OUTSIDE/o.txt"'))


def permitted(name="inside"):
    return Call(name, read("in.txt"), runs(worlds.INSIDE))
