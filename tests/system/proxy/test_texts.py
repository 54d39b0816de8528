"""What the tools say about the network is what happens, and their suggestions work."""

import json
import re
import shlex


def suggested(text):
    """The command between backquotes, for this policy."""
    return shlex.split(re.search("`ringfence ([^`]*)`", text)[1])


def run_suggested(world, text):
    words = suggested(text)
    if "--policy" not in words:
        words += ["--policy", str(world.policy)]
    done = world.outside(world.programs.ringfence, *words)
    assert done.returncode == 0, done


def test_a_host_that_the_policy_would_ask_about_can_be_allowed(world):
    world.set_network({"unlisted": "ask"})
    done = world.curl("http://good.example/")
    assert "is not listed, and a connection cannot ask" in done.stderr
    run_suggested(world, done.stderr)
    assert json.loads(world.curl("http://good.example/").stdout)["host"] == "good.example"


def test_an_entry_for_the_port_of_the_resolver_harms_nothing(world):
    world.set_network({"allow": ["good.example", "good.example:53"]})
    assert json.loads(world.curl("http://good.example/").stdout)["host"] == "good.example"
    done = world.outside(world.programs.ringfence, "check", world.policy)
    assert "at port 53, sandboxed commands reach the sandbox's resolver" in done.stdout
