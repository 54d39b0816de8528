"""More than the log, the parent or a launcher can take, descriptors that are used up, and lookups that
stall: nothing grows without bound, nothing ends, and what is refused is still counted."""

import os
import shlex
import threading


from internet import PYTHON
from proxy_processes import parent_of
from proxy_runs import Run, limit_descriptors


HOLDS_UNTIL_DONE = """
import os, time, urllib.request
urllib.request.urlopen("http://good.example/", timeout=20).read()
open("ready", "w")
while not os.path.exists("done"):
    time.sleep(0.02)
print(urllib.request.urlopen("http://good.example/", timeout=20).status)
"""
# {asks} once while the test has set a limit, and once after that.
ASKS_TWICE = """
{holds} >held &
while [ ! -e limited ]; do sleep 0.02; done
{asks} >/dev/null 2>refused
echo $? >status && mv status asked
while [ ! -e unlimited ]; do sleep 0.02; done
{asks} >/dev/null
echo $?
touch done
wait
"""


def test_a_parent_without_descriptors_refuses_and_recovers(world):
    holds = shlex.join(world.command(PYTHON, "-c", HOLDS_UNTIL_DONE))
    asks = shlex.join(world.command("curl", "-sS", "-m", "20", "http://good.example/"))
    with Run(world, ASKS_TWICE.format(holds=holds, asks=asks)) as run:
        run.await_file("ready")
        parent = parent_of(world)
        before = parent.descriptor_limit()
        limit_descriptors(world, parent, parent.first_free_descriptor())
        (world.project / "limited").touch()
        run.await_file("asked")
        ticks = parent.ticks()
        threading.Event().wait(1)
        spent = parent.ticks() - ticks
        limit_descriptors(world, parent, before)
        (world.project / "unlimited").touch()
    assert run.done.stdout == "0\n" and not run.done.stderr, run.done
    said = (world.project / "refused").read_text(encoding="utf-8")
    assert (world.project / "asked").read_text(encoding="utf-8") == "125\n", said
    assert "egress proxy" in said
    assert spent < 50, "it is busy while it waits"
    assert (world.project / "held").read_text(encoding="utf-8") == "200\n"
