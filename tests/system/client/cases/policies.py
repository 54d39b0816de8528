"""Policies that change during a session, rules, profiles, and the project's own policy."""

import world
from script import Call, Do, absent, asked, blocked, holds, refused, runs
from session import Session, hooked, removes, sets_policy
from tool import bash, read, write

BROKEN = Session(
    "a policy that breaks in mid-session",
    policy={"version": 1},
    play=[
        Call("sound: read", read("in.txt"), runs(world.INSIDE)),
        Do("break it", sets_policy('{"version": 1, "read": ')),
        Call("broken: read inside", read("in.txt"), blocked("ringfence", "policy.json")),
        Call("broken: write inside", write("new.txt"), blocked("ringfence", "policy.json"),
             absent("$PROJECT/new.txt")),
        Call("broken: command", bash("touch made"), blocked("ringfence", "policy.json"),
             absent("$PROJECT/made")),
        Do("misspell a key", sets_policy({"version": 1, "reed": {"allow": ["."]}})),
        Call("misspelt: read inside", read("in.txt"), blocked("policy.json", "reed")),
        Do("repair it", sets_policy({"version": 1, "read": {"deny": ["private"]}})),
        Call("repaired: read inside", read("src/main.txt"), runs(world.INSIDE)),
        Call("repaired: its new rule", read("private/x"), refused("private")),
        Do("remove it", removes(world.USER_POLICY)),
        Call("removed: read inside", read("sub/deep.txt"), runs(world.INSIDE)),
        Call("removed: read outside", read("$OUTSIDE/o.txt"), refused('"$OUTSIDE/o.txt"')),
    ])

RULES = Session(
    "rules of a policy",
    files={"$PROJECT/private/p.txt": world.SECRET, "$PROJECT/sub/.env": world.SECRET,
           "$HOME/dev/shared/s.txt": world.SECRET},
    policy={"version": 1, "tools": {"deny": ["Monitor"]},
            "read": {"allow": [".", "@claude-scratch"], "ask": ["~/dev/shared"],
                     "deny": ["private", "**/.env"]},
            "write": {"allow": ["src"]}},
    play=[
        Call("ask is a refusal where no user answers", read("~/dev/shared/s.txt"),
             asked('"$HOME/dev/shared/s.txt"')),
        Call("denied folder", read("private/p.txt"), refused('"$PROJECT/private/p.txt"')),
        Call("denied name anywhere", read("sub/.env"), refused('"$PROJECT/sub/.env"')),
        Call("write where it may", write("src/new.txt"), runs(),
             holds("$PROJECT/src/new.txt", "by the model")),
        Call("write inside where it may not", write("new.txt"), refused('/new.txt"'),
             absent("$PROJECT/new.txt")),
        Call("denied tool", ("Monitor", {"command": "touch made", "description": "d"}),
             refused("Monitor"), absent("$PROJECT/made")),
    ])

# The policy came with the repository: it may deny, not permit, and the model sees none of its text.
PROJECT_POLICY = Session(
    "a project's policy that is not trusted",
    files={"$PROJECT/.ringfence/policy.json": {
        "version": 1, "read": {"allow": ["/"], "deny": ["hus[h]/*"]},
        "write": {"allow": ["/"]}, "permitted": "allow"}},
    play=[
        Call("it does not widen reads", read("$OUTSIDE/o.txt"), refused('"$OUTSIDE/o.txt"')),
        Call("it does not widen writes", write("$OUTSIDE/new.txt"), refused('"$OUTSIDE/new.txt"'),
             absent("$OUTSIDE/new.txt")),
        Call("it denies", read("hush/x"), refused("hush/x", never=("hus[h]",))),
        Call("the rest goes on", read("in.txt"), runs(world.INSIDE)),
    ])

COMMAND_LINE = Session(
    "a policy and a profile on the command line",
    register=hooked("--policy", "$PROJECT/fence/policy.json", "--profile", "writer"),
    files={"$PROJECT/fence/policy.json": {
        "version": 1, "write": {"allow": ["src"]},
        "profiles": {"writer": {"write": {"allow": ["src", "sub", "fence"]}},
                     "unused": {"write": {"allow": ["."]}}}}},
    policy="not even JSON: must not be read",
    play=[
        Call("the profile widens", write("sub/new.txt"), runs(),
             holds("$PROJECT/sub/new.txt", "by the model")),
        Call("and ends", write("new.txt"), refused('/new.txt"'),
             absent("$PROJECT/new.txt")),
        Call("the policy is read", read("fence/policy.json"), runs("writer")),
        Call("the policy may not be written", write("fence/policy.json", "{}"),
             refused("fence/policy.json"), holds("$PROJECT/fence/policy.json", "writer")),
    ])

HOME_AS_PROJECT = Session(
    "the home as the project", start="$HOME",
    play=[
        Call("nothing is decided, so nothing runs", read("~/dev/project/in.txt"),
             blocked("ringfence", "ringfence init --root $HOME")),
        Call("nor written", write("~/new.txt"), blocked("ringfence"), absent("$HOME/new.txt")),
    ])

SESSIONS = (BROKEN, RULES, PROJECT_POLICY, COMMAND_LINE, HOME_AS_PROJECT)
