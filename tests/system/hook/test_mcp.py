"""Sends the calls of fixtures/mcp to the built hook: the arguments of MCP tools that are paths and
hosts.

Each row has the expected decision. Then large inputs: thousands of rows must pass, within
seconds and with bounded memory; inputs that are too large are denied.
"""

import json
import os
import sys

import pytest

from mcp_calls import ROWS, event_of, worlds_of_policies

WORDS = {"permitted": "permit", "asked": "ask", "denied": "deny"}
MOST_KIB = 100 * 1024
# Runs a command and records its peak memory.
PEAK = """
import resource, subprocess, sys
status = subprocess.call(sys.argv[2:])
with open(sys.argv[1], "w") as figure:
    figure.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status if status >= 0 else 128 - status)
"""


def name_of(row):
    return f"{row['class']}: {row['tool']} {json.dumps(row['input'])[:60]}"


@pytest.fixture(name="worlds", scope="module")
def fixture_worlds():
    """One world for each policy."""
    worlds = worlds_of_policies()
    yield worlds
    for world in worlds.values():
        world.remove()


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_call(row, worlds, programs):
    if "assumes" in row and not os.path.exists(row["assumes"]):
        pytest.skip(f"there is no {row['assumes']}")
    world = worlds[row.get("policy", "usual")]
    answer = world.run(programs.hook, event_of(row, world))
    assert WORDS.get(answer.verdict, answer.verdict) == row["want"], f"{row}: {answer}"


def rows_of(count, **member):
    return [{"id": number, "name": f"user {number}", "mail": f"u{number}@mail.example",
             "tags": ["a", "b/c"], "note": "text/plain; see above", **member}
            for number in range(count)]


# (name, input, verdict): possible inputs of a real server, and inputs that are too large.
LARGE = (
    ("eight thousand rows of data", lambda world: {"rows": rows_of(8000)}, "permit"),
    ("one row of eight thousand names a path",
     lambda world: {"rows": rows_of(8000) + [{"x": "/etc/passwd"}]}, "deny"),
    ("one row of eight thousand leads out by a link",
     lambda world: {"rows": rows_of(8000) + [{"x": "link/secret.txt"}]}, "deny"),
    ("two thousand paths inside",
     lambda world: {"rows": [str(world.project / f"src/{n}.c") for n in range(2000)]}, "permit"),
    ("thirty thousand JSON pointers",
     lambda world: {"patch": [{"op": "add", "path2": f"/items-4711/{n}", "value": n}
                              for n in range(30000)]}, "permit"),
    ("ten megabytes of text", lambda world: {"content": "some text, a/b, ../x\n" * 500000}, "permit"),
    ("ten megabytes of small strings", lambda world: {"rows": ["the text of one row"] * 450000}, "permit"),
    ("more paths than are evaluated",
     lambda world: {"rows": [f"../outside/{n}" for n in range(30000)]}, "error"),
)


@pytest.mark.large
@pytest.mark.parametrize("make, wanted", [row[1:] for row in LARGE], ids=[row[0] for row in LARGE])
def test_large_input(make, wanted, worlds, programs):
    world = worlds["usual"]
    event = world.event("mcp__team__do", make(world))
    # Measured in a separate child, since this process has other children as well.
    figure = world.base / "peak"
    answer = world.run(programs.hook, event, prefix=[sys.executable, "-c", PEAK, figure])
    assert WORDS.get(answer.verdict, answer.verdict) == wanted, answer
    assert int(figure.read_text()) < MOST_KIB
