"""Programs inside that try to reach the proxy itself, its namespaces, or the host's network.

Every attempt is made outside of a sandbox as well, where it must succeed, or it would prove nothing.
"""

import json
import os
import shlex
import socket

import pytest

from internet import PYTHON
from ordinary_user import ORDINARY_USER
from repository import ROOT

PROGRAM = ROOT / "tests/system/support/network_escapes.py"
LATER = ("/run/nscd/socket", "/run/systemd/resolve/io.systemd.Resolve", "/run/later.socket")
ALLOWED = {socket.AF_UNIX, socket.AF_INET, socket.AF_INET6}
# Only these are possible for a user who may do all in a network namespace of its own.
ROUTES = ("route", "address", "new link", "link down", "move link", "neighbour", "rule", "delete link")
# Open outside, for the program's own user.
OUTSIDE = ("list state", "control", "forged", "later sockets", "io_uring", "unshare user", "unshare both",
           "ptrace", "descriptor", "descriptors", "memory")

# Makes servers once a file says that the sandbox runs, and then says so.
SERVE = """
import os, socket, sys, time
while not os.path.exists("running"):
    time.sleep(0.02)
held = []
for path in sys.argv[1:]:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    held.append(socket.socket(socket.AF_UNIX))
    held[-1].bind(path)
    held[-1].listen()
open("made", "w").close()
while not os.path.exists("done"):
    time.sleep(0.02)
"""

# Waits for them, and gives the attempts what has come into being outside.
WAIT = """
import os, sys, time
open("running", "w").close()
while not os.path.exists("values"):
    time.sleep(0.02)
program, values = sys.argv[1], open("values").read()
sys.argv = [program, values]
exec(compile(open(program).read(), program, "exec"))
"""

# Collects what is outside: the holder, the proxy's processes, its control sockets.
VALUES = """
import glob, json, os, subprocess, sys, time
state = os.path.expanduser("~/.local/state/ringfence")
while not (os.path.exists("made") and glob.glob(state + "/proxy/control-*")):
    time.sleep(0.02)
bare, peer = sys.argv[1] == "bare", int(sys.argv[2])
count = ["pgrep", "-U", str(os.getuid()), "-x", "ringfence-net|ringfence-proxy|ringfence"]
names = subprocess.run(count, capture_output=True, text=True)
print(json.dumps({"bare": bare, "proxy": state + "/proxy", "control": glob.glob(state + "/proxy/control-*"),
                  "sockets": sys.argv[3:], "processes": [peer] if bare else [peer, *map(int, names.stdout.split())]}))
"""


class Escapes:
    """The results of the attempts in a sandbox (`confined`: its command) or outside of one."""

    def __init__(self, world):
        self.world = world
        self.program = world.write("project/attempts.py", PROGRAM.read_text())

    def python(self, code, *arguments):
        return shlex.join([PYTHON, "-c", code, *map(str, arguments)])

    def run(self, inside, mode):
        """In a mount namespace with a /run of its own, where servers can be made."""
        network = shlex.join(self.world.command("sleep", "60"))
        script = f"""
cd {shlex.quote(str(self.world.project))}; rm -f running made done values out
{self.python(SERVE, *LATER)} & SERVERS=$!
sleep 60 & PEER=$!
{inside} >out 2>errors & INSIDE=$!
while [ ! -e running ]; do sleep 0.02; kill -0 $INSIDE || exit 1; done
{network} >network 2>&1 & NETWORK=$!
{self.python(VALUES, mode)} $PEER {shlex.join(LATER)} >values.new && mv values.new values
wait $INSIDE
touch done; kill $PEER $NETWORK; wait; cat out; cat errors >&2
"""
        as_user = f"unshare --user --map-user={self.user()} --map-group={self.user()}"
        outer = f"mount -t tmpfs none /run && {as_user} sh -c {shlex.quote(script)}"
        done = self.world.outside("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", outer, seconds=60)
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    @staticmethod
    def user():
        return ORDINARY_USER if os.geteuid() == 0 else os.getuid()


def wait_command(escapes):
    return [PYTHON, "-c", WAIT, str(escapes.program)]


@pytest.mark.parametrize("sandbox", ["outside", "network", "no network", "agent", "session"])
def test_escapes(world, sandbox, checks):
    escapes = Escapes(world)
    command = wait_command(escapes)
    extra = {"agent": ("--agent",), "session": ("--session", "one")}.get(sandbox, ())
    policy = world.base / "first.json"
    policy.write_text(world.policy.read_text())
    if sandbox == "no network":
        policy.write_text(json.dumps({"version": 1}))
    confined = [world.programs.ringfence, "run", "--policy", str(policy), *extra, "--", *command]
    if sandbox == "outside":
        found = escapes.run(shlex.join(command), "bare")
        for name in OUTSIDE:
            checks.check(name, "open" not in found[name] and f"{found[name]}: it proves nothing")
        others = {family for family, *_ in found["families"]} - ALLOWED - {socket.AF_NETLINK}
        checks.check("families", not others and "no other family is possible")
        return
    found = escapes.run(shlex.join(confined), "confined")
    families = [one for one in found.pop("families")
                if one[0] not in ALLOWED and (one[0] != socket.AF_NETLINK or one[2] != 0)]
    checks.check("families", families)
    for name in ("inherited", "abstract"):
        checks.check(name, found.pop(name))
    for name, results in found.items():
        checks.check(name, "open" in results and f"{results}")
        # An attempt that fails for a reason of its own proves nothing.
        known = ("Permission", "not permitted", "No such", "refused", "denied", "Bad file", "implemented",
                 "unreachable", "No such process")
        odd = [one for one in results if not any(text in one for text in known)]
        checks.check(name + ", reason", odd)
    if sandbox != "no network":
        assert set(ROUTES) <= set(found)


# Listens in every way, until another file says that it is over.
LISTEN = """
import os, socket, time
held = [socket.create_server(("0.0.0.0", 4321)), socket.create_server(("::", 4322), family=socket.AF_INET6),
        socket.socket(socket.AF_UNIX)]
held[2].bind("\\0ringfence-test-server")
held[2].listen()
open("running", "w").close()
while not os.path.exists("done"):
    time.sleep(0.02)
"""

CALL = """
import socket
def call(family, address):
    with socket.socket(family) as client:
        client.settimeout(60)
        try:
            client.connect(address)
            return "open"
        except OSError as error:
            return type(error).__name__
print(call(socket.AF_INET, ("127.0.0.1", 4321)), call(socket.AF_INET6, ("::1", 4322)),
      call(socket.AF_UNIX, "\\0ringfence-test-server"), call(socket.AF_INET, ("198.18.0.1", 4321)),
      call(socket.AF_INET6, ("fd72:6600::1", 4322)))
"""


def call_server(world, server, caller):
    script = (f"rm -f running done; {shlex.join(server)} >served 2>&1 & while [ ! -e running ]; do sleep 0.02;"
              f" kill -0 $! || exit 1; done; {shlex.join(caller)}; touch done; wait")
    done = world.outside("sh", "-c", script)
    return done.stdout.split() or [done.stderr]


def test_a_server_inside_is_reached_from_nowhere_else(world):
    server, caller = [PYTHON, "-c", LISTEN], [PYTHON, "-c", CALL]
    inside = world.command(*server, extra=("--session", "one"))
    assert call_server(world, server, caller)[:3] == ["open"] * 3
    assert "open" not in call_server(world, inside, caller)
    assert "open" not in call_server(world, inside, world.command(*caller, extra=("--session", "two")))
    assert "open" not in call_server(world, inside, world.command(*caller))
    # Commands of one session share their network, as they would share a machine.
    assert call_server(world, inside, world.command(*caller, extra=("--session", "one")))[:2] == ["open"] * 2


def test_forged_messages_to_the_launcher_of_an_agent_change_nothing(world):
    """The only socket of the launcher that a sandbox has takes lines of a log, and no descriptors."""
    code = """
import socket
own = socket.create_server(("127.0.0.1", 0))
sent = 0
for kind in b"nmprfwhsdtjceZx":
    for number in range(40):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.connect("/dev/.ringfence/log")
            try:
                socket.send_fds(client, [bytes([kind]) + b"net\\0user\\080\\0"], [own.fileno()] * 4)
                sent += 1
            except OSError:
                pass
for question in b'{"unreached":4294967295}', b'{"new_unreached":-1}', b'{"unreached":1e9}', b'{"unreached":':
    for number in range(200):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.connect("/dev/.ringfence/log")
            client.send(question)
            client.recv(100000)
print(sent)
"""
    script = f"{shlex.join([PYTHON, '-c', code])}; curl -s http://good.example/ http://bad.example/"
    done = world.confined("sh", "-c", script, extra=("--agent",))
    assert int(done.stdout.split()[0]) > 0, done.stderr
    assert '"host": "good.example"' in done.stdout
    assert '"bad.example" is not listed' in done.stdout


@pytest.mark.parametrize("extra", [(), ("--agent",)])
def test_the_proxy_tells_a_sandbox_nothing(world, extra):
    status = [world.programs.ringfence, "proxy", "status", "--json"]
    outside = "while [ ! -e up ]; do sleep 0.02; done; " + shlex.join(status) + "; touch done"
    inside = f"touch up; while [ ! -e done ]; do sleep 0.02; done; {shlex.join(status)}"
    run = shlex.join(world.command("sh", "-c", inside, extra=("--session", "hidden", *extra)))
    done = world.outside("sh", "-c", f"{run} >inside 2>&1 & {outside}; wait")
    assert [one["session"] for one in json.loads(done.stdout)["sessions"]] == ["hidden"], done.stderr
    assert "hidden" not in (world.project / "inside").read_text()


def test_routes_can_be_changed_outside(world, checks):
    """The same attempts in a network namespace of the program's own."""
    code = PROGRAM.read_text().replace("def main():", "def unused():", 1).replace(
        "    main()\n", "    routes(1)\n    print(json.dumps(RESULTS))\n")
    done = world.outside("unshare", "--user", "--map-root-user", "--net", PYTHON, "-c", code)
    found = json.loads(done.stdout)
    for name in ("route", "address", "link down"):
        checks.check(name, found[name] != ["open"] and found[name])
