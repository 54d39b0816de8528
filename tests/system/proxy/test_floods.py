"""More than the log, the parent or a launcher can take, descriptors that are used up, and lookups that
stall: nothing grows without bound, nothing ends, and what is refused is still counted."""

import fcntl
import json
import os
import pathlib
import shlex
import shutil
import signal
import threading

import pytest

import flood_player
from internet import PYTHON
from proxy_processes import launchers_of, parent_of, sessions_of, until
from proxy_runs import Run, limit_descriptors, user_of

QUEUED = 4096  # lines and messages that may wait


class Flood(Run):
    """flood_player.py in a sandbox."""

    def __init__(self, world, *arguments):
        player = world.project / "flood_player.py"
        shutil.copy(flood_player.__file__, player)
        player.chmod(0o644)
        super().__init__(world, shlex.join(world.command(PYTHON, player, *arguments)))

    def go(self, name):
        (self.world.project / f"{name}.go").touch()

    def __exit__(self, *problem):
        self.go("first")
        self.go("flooded")
        super().__exit__(*problem)

    def result(self):
        return json.loads(self.done.stdout)


def wait_until_idle(process):
    ticks = -1
    while ticks != (ticks := process.ticks()):
        threading.Event().wait(1)


def lines_of(world):
    text = world.log_file.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if '"Connection"' in line]


def test_what_is_refused_before_the_first_connection_is_logged(world):
    code = """
import socket, flood_player as f
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("198.18.0.2", 53))
s.settimeout(20)
s.send(f.query("first.example"))
print(len(s.recv(1000)) > 12)
"""
    shutil.copy(flood_player.__file__, world.project / "flood_player.py")
    done = world.confined("env", f"PYTHONPATH={world.project}", PYTHON, "-c", code)
    assert done.stdout == "True\n", done
    line, = world.log()
    assert (line["host"], line["protocol"], line["verdict"]) == ("first.example", "dns", "deny")


def test_refusals_that_the_log_cannot_take_are_counted(world):
    replies = 2 * QUEUED
    with Flood(world, replies, 1) as flood:
        flood.await_file("first.ready")
        (broker, worker), = sessions_of(world)
        with open(world.log_file, "rb") as log:
            fcntl.flock(log, fcntl.LOCK_EX)
            flood.go("first")
            flood.await_file("flooded.ready")
            wait_until_idle(worker)  # what was sent last is counted, too, before the log can be written
            wait_until_idle(broker)
        flood.go("flooded")
    result = flood.result()
    assert result["answers"][0] == [200, ""], result
    assert result["answers"][1][0] == 503 and "too many connections" in result["answers"][1][1], result
    assert result["answers"][2] == [200, ""], result
    until(lambda: not broker.lives(), "the broker ends")
    lines = [line for line in lines_of(world) if line["verdict"] == "deny"]
    counted = [int(line["why"].split()[0]) for line in lines if "more lines came faster" in line["why"]]
    assert counted and len(lines) - len(counted) < replies  # more than the queue: buffers on the way have some
    assert replies <= len(lines) - len(counted) + sum(counted) <= result["sent"]


@pytest.mark.parametrize("part", ("parent", "broker", "launcher"))
def test_a_flood_of_refusals_ends_no_session(world, part):
    """While a part of the way on which they are reported stands still."""
    with Flood(world, 3 * QUEUED, 2 * QUEUED, "patient") as flood:
        flood.await_file("first.ready")
        (broker, worker), = sessions_of(world)
        own = {process.pid for process in launchers_of(world)}
        launcher, = (process for process in launchers_of(world) if process.parent() not in own)
        stopped = {"parent": parent_of(world), "broker": broker, "launcher": launcher}[part]
        os.kill(stopped.pid, signal.SIGSTOP)
        flood.go("first")
        if part == "broker":
            wait_until_idle(worker)  # as many as it takes before the worker waits, too
            os.kill(stopped.pid, signal.SIGCONT)
        flood.await_file("flooded.ready")
        if part == "parent":
            os.kill(stopped.pid, signal.SIGCONT)
        flood.go("flooded")
        if part == "launcher":
            # It hears of the end, too, once it goes on.
            os.kill(worker.pid, signal.SIGKILL)
            until(lambda: not broker.lives(), "the session ends")
            os.kill(stopped.pid, signal.SIGCONT)
    result = flood.result()
    assert result["answers"][:2] == [[200, ""]] * 2, result
    assert flood.done.stderr.count("has no MX records") == 20, flood.done
    if part == "launcher":
        assert "no host can be reached any more" in flood.done.stderr, flood.done
    else:
        assert result["answers"][2] == [200, ""], result


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


# Waits for a name that the resolver does not answer for two minutes, in a mount namespace of its own.
SLOW_RESOLVER = """
mount --bind resolv.conf /etc/resolv.conf || exit 9
{run} &
wait
"""
STALLS = """
import os, socket, time
s = socket.socket()
s.settimeout(100)
open("ready", "w")
try:
    s.connect((socket.gethostbyname("name.stalls.example"), 80))
    s.sendall(b"GET / HTTP/1.1\\r\\nHost: name.stalls.example\\r\\n\\r\\n")
    print(len(s.recv(1000)))
except OSError as error:
    print(type(error).__name__)
while not os.path.exists("done"):
    time.sleep(0.02)
"""


def test_a_lookup_that_stalls_does_not_hold_up_the_end(world):
    world.set_network({"allow": ["name.stalls.example"]})
    resolver = pathlib.Path("/etc/resolv.conf")
    known = world.outside("cat", resolver).stdout
    (world.project / "resolv.conf").write_text(known + "options timeout:30 attempts:4\n", encoding="ascii")
    run = shlex.join(world.command(PYTHON, "-c", STALLS))
    as_user = ["unshare", "--mount", "--user", f"--map-user={user_of(world)}", f"--map-group={user_of(world)}",
               "--keep-caps"]
    with Run(world, shlex.join([*as_user, "sh", "-c", SLOW_RESOLVER.format(run=run)])) as stalled:
        stalled.await_file("ready")
        queries = world.internet.queries
        until(lambda: "name.stalls.example" in queries(), "the lookup begins")
        (broker, worker), = sessions_of(world)
        os.kill(worker.pid, signal.SIGKILL)
        until(lambda: not broker.lives(), "the broker ends")
        (world.project / "done").touch()
    assert stalled.done.stdout in ("0\n", "ConnectionResetError\n"), stalled.done
    assert "no host can be reached any more" in stalled.done.stderr, stalled.done


# Sends as many descriptors as the kernel allows in messages that nobody receives.
HOARD = """
import errno, os, socket, time
pairs = []
while True:
    pairs.append(socket.socketpair())
    pairs[-1][0].setblocking(False)
    try:
        while True:
            socket.send_fds(pairs[-1][0], [b"x"], [0] * 250)
    except BlockingIOError:
        pass
    except OSError as error:
        assert error.errno == errno.ETOOMANYREFS, error
        break
open("held", "w").close()
while not os.path.exists("done"):
    time.sleep(0.05)
print("held")
"""


def test_descriptors_in_messages_leave_other_sessions_alone(world):
    hoard = shlex.join(world.command(PYTHON, "-c", HOARD, extra=("--session", "one")))
    good = shlex.join(world.command("curl", "-sS", "-m", "30", "http://good.example/", extra=("--session", "two")))
    done = world.outside("sh", "-c", f"ulimit -n 4096; {hoard} >hoard 2>&1 & ulimit -n 4096; "
                         f"while [ ! -e held ] && kill -0 $!; do sleep 0.05; done; {good}; touch done; wait; cat hoard",
                         seconds=120)
    assert '"host":' in done.stdout and done.stdout.endswith("held\n"), done
