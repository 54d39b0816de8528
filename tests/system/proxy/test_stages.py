"""Stages with a network: npm from a registry, and the real client."""

import json
import time

from agent_network import awaits
from client import TerminalClient
from clients import LISTED, npm_install
from script import Call, Do, runs
from services import HOST, need
from stage_world import tree_of
from tool import bash, edit, read

PATIENCE = 60
GREETER = "console.log(require('greeter'))"
QUESTION = "Apply these changes? [a]pply [c]ancel [d]iff [f]ile by file "


class StageClient(TerminalClient):
    """Its standard error is on the terminal too, since the question is there."""

    all_on_screen = True


def test_npm_installs_in_a_stage(world, kit):
    need("node", "npm")
    world.set_network({"allow": LISTED})
    before = tree_of(world.project)
    done = world.confined(*npm_install(kit, HOST), extra=("--stage", "--keep"), seconds=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert tree_of(world.project) == before
    for part in ("node_modules/greeter/", "package.json (", "package-lock.json ("):
        assert part in done.stderr, done
    assert {line["host"] for line in world.log()} == {f"{HOST}:443"}
    ringfence = world.programs.ringfence
    applied = world.outside(ringfence, "stage", "apply", "--policy", world.policy)
    assert applied.returncode == 0, applied
    assert world.outside("node", "-e", GREETER).returncode == 0
    assert json.loads((world.project / "package.json").read_text())["dependencies"]["greeter"]
    undone = world.outside(ringfence, "stage", "undo")
    assert undone.returncode == 0 and tree_of(world.project) == before, undone


def test_the_client_works_in_a_stage(agent, checks):
    """What it edits is seen in another terminal while it runs, and applied by a key at the end."""
    seen = []

    def look(stage):
        environment = {"HOME": str(stage.home), **{name: value for name, value in stage.more_environment.items()
                                                   if value is not None}}
        seen.append(stage.network.internet.run(["ringfence", "stage", "diff"], stage.project, environment, PATIENCE))
        seen.append((stage.project / "in.txt").read_text())

    told, api = agent.played(
        Call("a file is read", read("$PROJECT/in.txt"), runs("harmless")),
        Call("an edit", edit("$PROJECT/in.txt", "harmless", "edited"), runs()),
        Call("a command", bash("cat in.txt > made; cat made"), runs("edited")),
        Do("another terminal", look))
    before = tree_of(agent.project)
    with api, agent.client(StageClient, launcher=[agent.programs.ringfence, "run", "--stage", "--"]) as running:
        told.wait_until_finished("main", 120)
        awaits(running, "done")
        running.say("/exit")
        time.sleep(1)  # input that arrives at once counts as pasted
        running.say("\r")
        awaits(running, QUESTION)
        assert tree_of(agent.project) == before
        running.say("a\n")
        assert running.wait(PATIENCE), running.diagnosis()
    assert running.status == 0, running.diagnosis()
    for outcome in told.outcomes():
        checks.check(outcome.name, "; ".join(outcome.problems))
    checks.check("the whole", "; ".join(told.trouble()))
    diff, content = seen
    assert diff.returncode == 0 and "+edited-0815" in diff.stdout and "b/made" in diff.stdout, diff
    assert content == "harmless-0815"
    assert (agent.project / "in.txt").read_text() == (agent.project / "made").read_text() == "edited-0815"
    done = agent.in_another_terminal("ringfence", "stage", "undo")
    assert done.returncode == 0 and tree_of(agent.project) == before, done
