"""The network of a sandbox: its own loopback and ports, names, sessions, and ends."""

import pathlib
import shlex
import time

import pytest

from internet import ECHO_PORT
from proxy_runs import Run

SERVE = "python3 -m http.server 8000 --bind 127.0.0.1 >/dev/null 2>&1 &"
WAIT = "for i in $(seq 50); do curl -s -o /dev/null http://127.0.0.1:8000/ && break; sleep 0.1; done"


def both(world, first, second, first_extra, second_extra):
    """Runs two commands at the same time; returns the output of the second, which starts once the
    first has created the file "begun"."""
    one = shlex.join(world.command("sh", "-c", first, extra=first_extra))
    other = shlex.join(world.command("sh", "-c", second, extra=second_extra))
    begun = "for i in $(seq 200); do [ -e begun ] && break; sleep 0.1; done"
    return world.outside("sh", "-c", f"{one} >first 2>&1 & {begun}; {other}; touch done; wait")


def test_commands_of_a_session_reach_each_others_servers(world):
    serve = f"touch begun; {SERVE} while [ ! -e done ]; do sleep 0.1; done"
    ask = f"{WAIT}; curl -s http://127.0.0.1:8000/ | head -n 1"
    session = ("--session", "one")
    assert "<!DOCTYPE" in both(world, serve, ask, session, session).stdout


@pytest.mark.parametrize("extra", [(), ("--session", "other")])
def test_other_commands_do_not(world, extra):
    serve = f"touch begun; {SERVE} while [ ! -e done ]; do sleep 0.1; done"
    ask = "sleep 1; curl -sS http://127.0.0.1:8000/"
    done = both(world, serve, ask, ("--session", "one"), extra)
    assert "Failed to connect" in done.stderr


def test_nothing_of_an_ended_command_is_left_for_the_next(world):
    """Both use the same network, one after the other."""
    world.confined("sh", "-c", f"{SERVE} {WAIT}")
    done = world.confined("curl", "-sS", "http://127.0.0.1:8000/")
    assert "Failed to connect" in done.stderr


def test_programs_have_their_own_ports(world):
    world.set_network({"allow": [f"good.example:{ECHO_PORT}"]})
    code = f"""
import socket
for port in ({ECHO_PORT}, 8080, 9418, 3000):
    socket.create_server(("", port))
print("bound")
"""
    assert world.python(code).stdout == "bound\n"


def test_names_have_addresses_only_for_the_proxy(world):
    code = """
import socket
print(socket.getaddrinfo("good.example", 80, type=socket.SOCK_STREAM)[0][4][0])
print(socket.gethostbyname("good.example") == socket.gethostbyname("GOOD.example"))
print(socket.gethostbyname("good.example") == socket.gethostbyname("bad.example"))
print(socket.gethostbyaddr(socket.gethostbyname("good.example"))[0])
print(socket.gethostbyname("x.localhost"))
try:
    socket.gethostbyname("x.invalid")
except socket.gaierror as error:
    print(type(error).__name__)
"""
    lines = world.python(code).stdout.splitlines()
    assert lines[0].startswith("198.18.")
    assert lines[1:] == ["True", "False", "good.example", "127.0.0.1", "gaierror"]


def test_datagrams_go_nowhere(world):
    code = """
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(2)
s.connect(("good.example", 443))
s.send(b"x")
try:
    s.recv(1)
except OSError as error:
    print(type(error).__name__)
"""
    assert world.python(code).stdout == "ConnectionRefusedError\n"


def test_the_state_of_the_proxy_is_hidden(world):
    code = """
import os, sys
folder = os.path.expanduser("~/.local/state/ringfence/proxy")
try:
    print(os.listdir(folder))
except OSError as error:
    print(type(error).__name__)
"""
    assert world.python(code).stdout == "PermissionError\n"
    # Also in a sandbox without a network, which starts before any proxy.
    world.set_network(None)
    assert world.python(code).stdout == "PermissionError\n"


def test_without_a_network_section_nothing_is_reached(world):
    world.set_network(None)
    done = world.curl("http://good.example/")
    assert done.returncode != 0
    assert not world.log()


def kill(world, name, script):
    """Runs `script` confined; a second after its start, the processes `name` are killed."""
    run = shlex.join(world.command("sh", "-c", script))
    end = f"sleep 1; pkill -KILL -f {shlex.quote(name)}"
    return world.outside("sh", "-c", f"({end}) & {run}")


@pytest.mark.parametrize("name", ["^ringfence-proxy session", "bin/ringfence-proxy$"])
def test_a_killed_proxy_ends_the_network_at_once_and_says_so(world, name):
    script = "curl -s -o /dev/null http://good.example/ && sleep 2 && time -p curl -sS http://good.example/"
    done = kill(world, name, script)
    assert "no host can be reached any more" in done.stderr
    assert "curl: (" in done.stderr
    seconds = [float(line.split()[1]) for line in done.stderr.splitlines() if line.startswith("real")]
    assert seconds[0] < 2


def test_a_stopped_launcher_holds_up_no_other(world):
    """Its socket is full after some hundred refusals, which it does not hear."""
    world.set_network({"allow": ["good.example"]})
    session = ("--session", "one")
    refused = ("for i in $(seq 1500); do echo http://n$i.bad.example/; done | "
               "xargs -P 4 -n 50 curl -s -o /dev/null; touch sent; sleep 20")
    other = shlex.join(world.command("sh", "-c", refused, extra=session))
    stopped = shlex.join(world.command("sleep", "20", extra=session))
    own = shlex.join(world.command("curl", "-s", "-m", "5", "http://good.example/"))
    script = (f"{stopped} & STOPPED=$!; sleep 1; kill -STOP $STOPPED; {other} >/dev/null 2>&1 & OTHER=$!; "
              f"for i in $(seq 100); do [ -e sent ] && break; sleep 0.1; done; [ -e sent ] && {own}; "
              "kill -KILL $STOPPED $OTHER")
    assert '"host": "good.example"' in world.outside("sh", "-c", script, seconds=40).stdout


def test_the_proxy_ends_some_seconds_after_its_last_sandbox(world):
    assert world.curl("http://good.example/").returncode == 0
    late = time.monotonic() + 20
    count = ["pgrep", "-c", "-f", str(world.base / "bin/ringfence-proxy")]
    assert world.outside(*count).stdout.strip() != "0"
    while world.outside(*count).stdout.strip() != "0" and time.monotonic() < late:
        time.sleep(0.5)
    assert world.outside(*count).stdout.strip() == "0"
    assert world.curl("http://good.example/").returncode == 0


def test_a_session_starts_after_an_update_of_the_program(world):
    """The parent, which an agent can keep for days, starts brokers of its own version."""
    program = pathlib.Path(world.programs.ringfence).with_name("ringfence-proxy")
    command = world.command("sh", "-c", "touch ready; while [ ! -e end ]; do sleep 0.1; done", extra=("--session", "one"))
    with Run(world, shlex.join(command) + f" & while [ ! -e {world.project}/ready ]; do sleep 0.1; done; "
             f"cp {program} {program}.new && mv {program}.new {program}; "
             + shlex.join(world.command("curl", "-sS", "-m", "20", "http://good.example/")) + "; touch end; wait") as run:
        pass
    assert '"host": "good.example"' in run.done.stdout, run.done


@pytest.mark.parametrize("ends", ("at once", "once the command runs"))
def test_a_proxy_that_cannot_run_is_named(world, ends):
    """A command does not wait until the proxy runs."""
    program = pathlib.Path(world.programs.ringfence).with_name("ringfence-proxy")
    program.unlink()
    waits = f"[ $# -gt 0 ] || while [ ! -e {world.project}/runs ]; do sleep 0.1; done\n"
    program.write_text(f"#!/bin/sh\necho no such library >&2\n{waits if ends != 'at once' else ''}exit 1\n")
    program.chmod(0o755)
    done = world.confined("sh", "-c", "touch runs; sleep 1")
    if done.returncode == 125 and ends == "at once":
        assert "own network: the egress proxy: has ended" in done.stderr
    else:
        assert done.returncode == 0
        assert "the egress proxy has ended; no host can be reached any more" in done.stderr
    shown = done.stderr.split("to see whether it can run: ")[1].strip()
    assert "no such library" in world.outside("sh", "-c", shown).stderr


@pytest.mark.parametrize("extra", [(), ("--agent",), ("--layers", "landlock"), ("--agent", "--layers", "landlock")])
def test_what_other_sessions_may_do_cannot_be_read(world, extra):
    world.outside(world.programs.ringfence, "allow", "--session-id", "one", "granted.example", "--policy", world.policy)
    grants = world.home / ".local/state/ringfence/sessions/one.json"
    assert "granted.example" in grants.read_text()
    done = world.confined("cat", grants, extra=extra)
    assert done.returncode != 0 and "granted.example" not in done.stdout, done
    # A session whose own permissions are hidden, too, starts without them.
    nested = world.command("echo", "runs", extra=("--session", "one"))
    assert world.confined(*nested, extra=extra).stdout == "runs\n"
