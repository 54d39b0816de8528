"""The client's transcript of a session, passed to `ringfence replay`: the same decisions as the
hook's during the session."""

import collections
import json
import subprocess

from script import Call, asked, play_prompt, refused, runs
from session import Session, Skip
from tool import agent, bash, read, write

LOG = "$HOME/.local/state/ringfence/audit.jsonl"
POLICY = {"version": 1, "write": {"allow": ["."], "ask": ["notes"], "deny": ["docs"]},
          "profiles": {"worker": {"when": {"agent_type": "general-purpose"}, "write": {"allow": ["src"]}}}}


def finds_the_command(stage):
    if not stage.tools.ringfence:
        raise Skip("without --ringfence")
    stage.world.ringfence = stage.tools.ringfence


def rule_of(rule):
    return (rule["file"], rule["pointer"]) if rule else None


def logged(world):
    lines = (json.loads(line) for line in world.path(LOG).read_text().splitlines())
    return collections.Counter((line["tool"], line["verdict"], rule_of(line.get("rule"))) for line in lines
                               if line["event"] == "PreToolUse")


def replayed(world):
    done = subprocess.run([world.ringfence, "replay", "--json", "--home", world.home], env={}, timeout=60,
                          capture_output=True, text=True, check=True)
    calls = collections.Counter()
    for group in json.loads(done.stdout)["groups"]:
        for tool, count in group["tools"].items():
            calls[tool, group["verdict"], rule_of(group.get("rule"))] += count
    return calls


def replay_agrees_with_the_log(world):
    was, would_be = logged(world), replayed(world)
    if was != would_be:
        return f"only logged: {was - would_be}, only replayed: {would_be - was}"
    return None if len(was) >= 6 else f"too little was logged: {was}"


REPLAYED = Session(
    "replayed", policy=POLICY, mode="default", prepare=(finds_the_command,),
    arguments=("--allowedTools", "Bash,Write,Read,Agent"),
    play=[
        Call("replayed: read inside", read("in.txt"), runs()),
        Call("replayed: write to a denied place", write("docs/a"), refused("docs")),
        Call("replayed: go elsewhere", bash("cd sub && pwd"), runs()),
        Call("replayed: read from there", read("$OUTSIDE/o.txt"), refused("outside")),
        Call("replayed: write to be asked about", write("$PROJECT/notes/a"), asked("notes")),
        Call("replayed: a subagent", agent(play_prompt("front")), runs()),
        Call("replayed: write inside", write("$PROJECT/main.txt"), runs()),
    ],
    subagents={
        "front": [
            Call("replayed: a subagent in src", write("$PROJECT/src/front.txt"), runs()),
            Call("replayed: a subagent beside src", write("$PROJECT/front.txt"), refused("front.txt")),
        ],
    },
    after=(replay_agrees_with_the_log,))

SESSIONS = (REPLAYED,)
