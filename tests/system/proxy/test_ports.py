"""Programs that use many ports or descriptors disturb neither their own session nor others."""

import json
import shlex

from internet import BAD, ECHO_PORT, PYTHON
from network_world import TALK

ASK = ("curl", "-sS", "-m", "60", "http://good.example/")

# Tries ports from several threads, as a port scanner does.
SCAN = f"""
import socket, threading
def scan(first):
    for port in range(first, 3000, 32):
        with socket.socket() as one:
            one.settimeout(60)
            one.connect_ex(("{BAD}", port))
threads = [threading.Thread(target=scan, args=(first,)) for first in range(1000, 1032)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""

# Names ports, without ever connecting to them.
NAME_PORTS = f"""
import ctypes, socket, struct
connect = ctypes.CDLL(None).connect
for port in range(1000, 3000):
    connect(-1, struct.pack("=H", socket.AF_INET) + struct.pack("!H", port) + socket.inet_aton("{BAD}") + bytes(8), 16)
"""

# Sends descriptors in messages that nobody receives, up to the limit of this user.
HOARD = """
import errno, os, resource, socket, time
null, pairs, last = os.open("/dev/null", os.O_RDONLY), [], 0
while last != errno.ETOOMANYREFS:
    pairs.append(socket.socketpair())
    pairs[-1][0].setblocking(False)
    try:
        while True:
            socket.send_fds(pairs[-1][0], [b"x"], [null] * 200)
    except OSError as error:
        last = error.errno
open("hoards", "w").close()
while not os.path.exists("asks"):
    time.sleep(0.02)
time.sleep(1)
"""


def answer_to(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout[done.stdout.index("{"):])["host"]


def test_a_policy_with_many_ports(world):
    world.set_network({"allow": ["good.example", *(f"good.example:{port}" for port in range(7000, 7300)),
                                 f"good.example:{ECHO_PORT}"]})
    assert answer_to(world.confined(*ASK)) == "good.example"
    done = world.python(TALK, "good.example", ECHO_PORT, "hello")
    assert done.stdout.strip() == "hello", done.stderr


def test_a_port_scan_leaves_the_network_as_it_is(world):
    script = f"{shlex.join([PYTHON, '-c', SCAN])}; {shlex.join(ASK)}"
    done = world.confined("sh", "-c", script, seconds=300)
    assert answer_to(done) == "good.example"
    assert "has ended" not in done.stderr
    assert f'connection to "{BAD}:1000" refused' in done.stderr


def test_ports_that_are_only_named_cost_other_sessions_nothing(world):
    """All sessions share the descriptors of the proxy's parent."""
    names = f"{shlex.join([PYTHON, '-c', NAME_PORTS])}; touch named; while [ ! -e done ]; do sleep 0.02; done"
    one = world.command("sh", "-c", f"{names}; {shlex.join(ASK)}", extra=("--session", "one"))
    two = world.command(*ASK, extra=("--session", "two"))
    done = world.outside("sh", "-c", f"ulimit -n 512; {shlex.join(one)} >one 2>&1 & while [ ! -e named ]; do"
                         f" sleep 0.02; done; {shlex.join(two)}; touch done; wait", seconds=300)
    assert answer_to(done) == "good.example"
    output = (world.project / "one").read_text()
    assert '"host": "good.example"' in output and "has ended" not in output


def test_descriptors_in_messages_end_no_other_session(world):
    """The kernel counts them for all of a user's programs. Those outside may have more than those inside."""
    hoard = world.command(PYTHON, "-c", HOARD, extra=("--session", "one"))
    asks = f"{shlex.join(ASK)}; touch up; while [ ! -e hoards ]; do sleep 0.02; done; touch asks; {shlex.join(ASK)}"
    two = world.command("sh", "-c", asks, extra=("--session", "two"))
    late = world.command("true", extra=("--session", "three"))
    done = world.outside("sh", "-c", f"ulimit -n 2000; {shlex.join(two)} >two 2>&1 & while [ ! -e up ]; do"
                         f" sleep 0.02; done; {shlex.join(hoard)} & while [ ! -e hoards ]; do sleep 0.02; done;"
                         f" {shlex.join(late)}; wait", seconds=300)
    output = (world.project / "two").read_text()
    assert output.count('"path": "/"') == 2, output
    assert "has ended" not in output
    assert "too many descriptors" not in done.stderr
