"""Many connections, slow readers, and each way in which a connection ends."""

import json
import pathlib
import shlex
import shutil
import threading

import pytest

import load_hosts
from internet import GOOD, PYTHON
from proxy_processes import sessions_of, until

SUPPORT = pathlib.Path(load_hosts.__file__).parent
SECONDS = 300
IDLE, BUSY, BUSY_SIZE = 1000, 500, 100_000
SLOW = 50
WEB = 300
ENDS = 30
MIB = 1024


@pytest.fixture(name="hosts", scope="module")
def fixture_hosts(internet):
    program = shutil.copy(SUPPORT / "load_hosts.py", internet.base)
    internet.serve("load_hosts", [PYTHON, program, GOOD], load_hosts.COUNTS, address=GOOD)


class Play:
    """Sandboxes in which load_player.py plays; `with` waits for their end."""

    def __init__(self, world, *parts):
        """A part: mode, options, options of `ringfence run`."""
        self.world = world
        world.set_network({"allow": [f"good.example:{port}" for port in range(load_hosts.ECHO,
                                                                            load_hosts.COUNTS + 1)]})
        player = world.project / "load_player.py"
        shutil.copy(SUPPORT / "load_player.py", player)
        player.chmod(0o644)
        lines = []
        for number, (mode, options, extra) in enumerate(parts):
            command = world.command(PYTHON, player, mode, json.dumps(options), extra=extra)
            lines.append(f"{shlex.join(command)} >out.{number} 2>err.{number} &")
        self.count = len(parts)
        self.script = "ulimit -n $(ulimit -Hn)\n" + "\n".join(lines) + "\nwait"
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        self.done = self.world.outside("sh", "-c", self.script, seconds=SECONDS)

    def await_ready(self, name):
        def is_ready():
            ended = not self.thread.is_alive()
            return (self.world.project / f"{name}.ready").exists() or (ended and self.results())
        until(is_ready, f"{name} is ready")

    def go(self, *names):
        for name in names:
            (self.world.project / f"{name}.go").touch()

    def texts(self, kind):
        return [(self.world.project / f"{kind}.{number}").read_text(encoding="utf-8")
                for number in range(self.count)]

    def results(self):
        assert not any(self.texts("err")), self.texts("err")
        return [json.loads(text) for text in self.texts("out")]

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *problem):
        self.go("idle", "idle-closed", "busy", "slow", "web")
        self.thread.join(SECONDS)
        assert not self.thread.is_alive()


def assert_little_memory(world, most):
    """Of the brokers and workers together, in MiB."""
    used = sum(process.kib("VmRSS") for pair in sessions_of(world) for process in pair) / MIB
    print(f"{used:.1f} MiB")
    assert used < most * world.memory_scale


def assert_no_problem(play, seen=()):
    for result in play.results():
        assert not result["problems"], result["problems"][:5]
    assert not seen, seen


def test_a_thousand_idle_and_five_hundred_busy_tunnels(world, hosts):  # pylint: disable=unused-argument
    idle = ("idle", {"name": "idle", "port": load_hosts.ECHO, "count": IDLE}, ("--session", "idle"))
    busy = ("busy", {"name": "busy", "port": load_hosts.ECHO, "count": BUSY, "size": BUSY_SIZE},
            ("--session", "busy"))
    with Play(world, idle, busy) as play:
        play.await_ready("idle")
        play.await_ready("busy")
        assert len(sessions_of(world)) == 2
        play.go("busy")
        until(lambda: len(sessions_of(world)) == 1, "the busy session's processes end")
        # All of it; the benchmark has the growth of the idle tunnels alone.
        assert_little_memory(world, 40)
        (broker, worker), = sessions_of(world)
        assert worker.descriptors() > 2 * IDLE
        play.go("idle")
        play.await_ready("idle-closed")
        until(lambda: worker.descriptors() < 60, "the worker closes its descriptors")
        until(lambda: broker.descriptors() < 60, "the broker closes its descriptors")
    assert_no_problem(play)
    log = world.log("good.example:7801")
    assert len(log) == IDLE + BUSY
    assert {line["verdict"] for line in log} == {"permit"}
    assert sum(line["up"] for line in log) == BUSY * BUSY_SIZE + IDLE * 110


def test_idle_http_connections_cost_little_memory(world, hosts):  # pylint: disable=unused-argument
    web = {"name": "web", "port": load_hosts.WEB, "count": WEB, "size": load_hosts.WEB_SIZE}
    with Play(world, ("web", web, ())) as play:
        play.await_ready("web")
        assert_little_memory(world, 16)
        play.go("web")
    assert_no_problem(play)


def test_an_early_answer_mixes_no_requests(world, hosts):
    """The host takes the first bytes only, so of some size the proxy still holds the end of the body when
    the next request comes."""
    assert hosts is None
    before = counts(world)
    sizes = list(range(1_000_000, 7_000_000, 48_000))
    with Play(world, ("early", {"port": load_hosts.EARLY, "sizes": sizes}, ())) as play:
        pass
    assert_no_problem(play)
    result = play.results()[0]
    assert result["second"] > 0 and result["closed"] > 0, result
    after = until(lambda: (now := counts(world))["open"] == 0 and now, "the hosts see every end")
    assert after["mixed"] == before["mixed"]


def test_slow_readers_cost_little_memory(world, hosts):  # pylint: disable=unused-argument
    slow = {"name": "slow", "port": load_hosts.SOURCE, "count": SLOW, "size": load_hosts.SOURCE_SIZE}
    with Play(world, ("slow", slow, ())) as play:
        play.await_ready("slow")
        (_, worker), = sessions_of(world)
        # Until the kernel's buffers are full and nothing moves any more.
        ticks = -1
        while ticks != (ticks := worker.ticks()):
            threading.Event().wait(0.5)
        assert_little_memory(world, 40)
        play.go("slow")
    assert_no_problem(play)


def test_every_end_of_a_connection_reaches_the_other_side(world, hosts):
    assert hosts is None
    ports = {"digest": load_hosts.DIGEST, "half": load_hosts.HALF, "reset": load_hosts.RESET,
             "echo": load_hosts.ECHO}
    before = counts(world)
    with Play(world, ("ends", {"ports": ports, "count": ENDS}, ())) as play:
        pass
    assert_no_problem(play)
    assert play.results()[0]["resets"] == ENDS
    after = until(lambda: (now := counts(world))["open"] == 0 and now, "the hosts see every end")
    assert after["after-half"] - before["after-half"] == 1000 * ENDS
    assert after["reset"] - before["reset"] == ENDS


def counts(world):
    code = f"""
import socket
s = socket.create_connection(("{GOOD}", {load_hosts.COUNTS}))
print(b"".join(iter(lambda: s.recv(1000), b"")).decode())
"""
    words = world.outside(PYTHON, "-c", code).stdout.split()
    return dict(zip(sorted(load_hosts.counts), map(int, words)))
