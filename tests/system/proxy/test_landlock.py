"""Without namespaces, programs reach hosts through the proxy's port, and nothing else."""

import ctypes
import json
import shlex

import pytest

from internet import ECHO_PORT, GOOD, GREETING_PORT

CREATE_RULESET, ASK_FOR_VERSION = 444, 1
ABI = ctypes.CDLL(None, use_errno=True).syscall(CREATE_RULESET, None, 0, ASK_FOR_VERSION)
KNOWS_PORTS = 4
pytestmark = pytest.mark.skipif(ABI < KNOWS_PORTS, reason=f"Landlock restricts no ports: its ABI is {ABI}")

LANDLOCK = ("--layers", "landlock")

# Prints a name and what became of it, for each attempt.
ATTEMPTS = """
import os, socket, sys
good, port = sys.argv[1], int(os.environ["HTTPS_PROXY"].rsplit(":", 1)[1])
FAST_OPEN, SCTP, MPTCP = 0x20000000, 132, 262
def client(family, *address, protocol=0):
    with socket.socket(family, socket.SOCK_STREAM, protocol) as one:
        one.settimeout(5)
        one.connect(address)
def waiting(family, *address):
    with socket.socket(family) as one:
        one.setblocking(False)
        return one.connect_ex(address)
def fast(send):
    with socket.socket() as one:
        send(one)
def option(*what):
    with socket.socket() as one:
        one.setsockopt(*what)
attempts = {
    "the proxy": lambda: client(socket.AF_INET, "127.0.0.1", port),
    "the proxy, as IPv6": lambda: client(socket.AF_INET6, "::ffff:127.0.0.1", port),
    "the proxy's port at a host": lambda: client(socket.AF_INET, good, port),
    "the proxy's port at a host, as IPv6": lambda: client(socket.AF_INET6, "::ffff:" + good, port),
    "a host": lambda: client(socket.AF_INET, good, 80),
    "a server of this machine": lambda: client(socket.AF_INET, "127.0.0.1", 5454),
    "the same, as IPv6": lambda: client(socket.AF_INET6, "::1", 5454),
    "fast open": lambda: fast(lambda s: s.sendto(b"x", FAST_OPEN, (good, 80))),
    "fast open by a message": lambda: fast(lambda s: s.sendmsg([b"x"], [], FAST_OPEN, (good, 80))),
    # The next two would lead a connection to 127.0.0.1 to another machine.
    "through a device": lambda: option(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo"),
    "by way of a host": lambda: option(socket.IPPROTO_IP, socket.IP_OPTIONS, b"\\x01" * 4),
    "UDP": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    "raw": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1),
    "SCTP": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, SCTP),
    "MPTCP": lambda: socket.socket(socket.AF_INET6, socket.SOCK_STREAM, MPTCP),
    "Unix": lambda: socket.socket(socket.AF_UNIX),
    "routes": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "bind": lambda: socket.socket().bind(("127.0.0.1", 0)),
    "listen": lambda: socket.socket().listen(),
    "a file that is no socket": lambda: client(socket.AF_INET, "127.0.0.1", 0),
}
for name, attempt in attempts.items():
    try:
        attempt()
        print(name, "is possible", sep=": ")
    except OSError as error:
        print(name, type(error).__name__ if error.errno is None else error.errno, sep=": ")
"""


def test_programs_that_use_the_variables_arrive(world):
    done = world.curl("http://good.example/a?b=c", extra=LANDLOCK)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["address"] == GOOD
    assert not done.stderr
    done = world.curl("https://good.example/x", extra=LANDLOCK)
    assert json.loads(done.stdout)["path"] == "/x", done.stderr
    code = "import urllib.request as r; print(r.urlopen('http://good.example/p').read().decode())"
    assert json.loads(world.python(code, extra=LANDLOCK).stdout)["path"] == "/p"
    socks = 'curl -sS --proxy "socks5h://${HTTPS_PROXY#http://}" http://good.example/s'
    done = world.confined("sh", "-c", socks, extra=LANDLOCK)
    assert json.loads(done.stdout)["path"] == "/s", done.stderr


def test_an_unlisted_host_is_refused_with_its_rule(world):
    done = world.curl("https://bad.example/", extra=LANDLOCK)
    assert done.returncode != 0
    assert 'connection to "bad.example:443" refused: the host "bad.example" is not listed' in done.stderr


def test_nothing_else_of_the_network_can_be_reached(world):
    done = world.python(ATTEMPTS, GOOD, extra=LANDLOCK)
    became = dict(line.split(": ") for line in done.stdout.splitlines())
    unreachable, refused, denied, unsupported, no_family = "101", "111", "13", "95", "97"
    assert became == {
        "the proxy": "is possible", "the proxy, as IPv6": "is possible",
        "the proxy's port at a host": unreachable, "the proxy's port at a host, as IPv6": unreachable,
        "a host": unreachable, "a server of this machine": refused, "the same, as IPv6": refused,
        "fast open": unsupported, "fast open by a message": unsupported,
        "through a device": "1", "by way of a host": "1",
        "UDP": no_family, "raw": no_family, "SCTP": no_family, "MPTCP": no_family, "Unix": no_family,
        "routes": no_family, "bind": denied, "listen": denied, "a file that is no socket": refused,
    }, done.stderr


def test_a_host_that_a_program_dials_itself_is_explained(world):
    done = world.curl("--noproxy", "*", f"http://{GOOD}/", extra=LANDLOCK)
    assert done.returncode != 0
    assert "it connects to a host directly" in done.stderr


def test_other_programs_of_the_machine_need_the_credential(world):
    code = """
import os, time
proxy = os.environ["HTTPS_PROXY"]
port = proxy.rsplit(":", 1)[1]
open("port", "w").write(port)
open("proxy", "w").write(proxy)
while not os.path.exists("done"):
    time.sleep(0.05)
"""
    asks = """
while [ ! -s proxy ]; do sleep 0.05; done
for user in "" "ringfence:wrong@" "other:$(sed 's/.*://;s/@.*//' proxy)@"; do
  for scheme in http socks5h; do
    curl -s -o /dev/null -w '%{http_code} ' --proxy "$scheme://$user"127.0.0.1:"$(cat port)" http://good.example/
  done
done
curl -s -o /dev/null -w '%{http_code}' --proxy "$(cat proxy)" http://good.example/
touch done
"""
    confined = shlex.join(world.command("/usr/bin/python3", "-c", code, extra=LANDLOCK))
    done = world.outside("sh", "-c", f"{confined} >/dev/null 2>&1 & {asks}wait", seconds=120)
    assert done.returncode == 0, done
    assert done.stdout == "407 000 407 000 407 000 200", done.stderr


@pytest.mark.parametrize("listed", [f"good.example:{ECHO_PORT}", f"good.example:{GREETING_PORT}"])
def test_a_listed_port_is_reached_by_connect(world, listed):
    world.set_network({"allow": [listed]})
    code = f"""
import base64, os, socket
proxy = os.environ["ALL_PROXY"].removeprefix("http://")
login, address = proxy.split("@")
host, port = address.split(":")
s = socket.create_connection((host, int(port)))
s.sendall(b"CONNECT {listed} HTTP/1.1\\r\\nHost: {listed}\\r\\nProxy-Authorization: Basic "
          + base64.b64encode(login.encode()) + b"\\r\\n\\r\\n")
print(s.recv(1000).split(b"\\r\\n")[0].decode())
"""
    assert "200" in world.python(code, extra=LANDLOCK).stdout


def test_without_a_listed_host_there_is_no_socket(world):
    world.set_network(None)
    done = world.python("import socket; socket.socket()", extra=LANDLOCK)
    assert "Address family not supported" in done.stderr


def test_each_command_of_a_session_has_a_port_of_its_own(world):
    session = (*LANDLOCK, "--session", "one")
    ports = {world.confined("sh", "-c", 'echo "$HTTPS_PROXY"', extra=session).stdout for _ in range(3)}
    assert len(ports) == 3
    assert world.curl("http://good.example/", extra=session).returncode == 0


@pytest.mark.parametrize("layers", [(), LANDLOCK])
def test_a_nested_run_reaches_what_the_one_around_it_permits(world, layers):
    """As a command that the agent's hook wraps does."""
    nested = world.command("curl", "-sS", "-m", "10", "http://good.example/n", extra=layers)
    done = world.confined(*nested, extra=LANDLOCK)
    assert done.returncode == 0 and json.loads(done.stdout)["path"] == "/n", done
    nested = world.command("curl", "-sS", "-m", "10", "http://bad.example/n", extra=layers)
    assert '"bad.example" is not listed' in world.confined(*nested, extra=LANDLOCK).stdout


def test_a_proxy_of_the_host_does_not_pass_for_the_one_around(world):
    world.environment["HTTPS_PROXY"] = "http://ringfence:x@127.0.0.1:1"
    nested = world.command("sh", "-c", 'echo "proxy $HTTPS_PROXY"')
    assert world.confined(*nested).stdout == "proxy \n"
