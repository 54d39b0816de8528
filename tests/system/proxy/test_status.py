"""`ringfence proxy status` and `ringfence proxy log --follow`: what sandboxes use now."""

import json
import shlex

import pytest

from internet import ECHO_PORT

# Runs until the file "done" exists; says that it has used the network by the file "used".
USES = """
curl -s http://good.example/ http://good.example/2; curl -s https://www.good.example/ >/dev/null
curl -s https://bad.example/
touch used
while [ ! -e done ]; do sleep 0.05; done
"""
AWAIT = "while [ ! -e used ]; do sleep 0.05; done; "


def meanwhile(world, script, extra=()):
    """The output of a script that runs outside, while a sandbox waits."""
    inside = shlex.join(world.command("sh", "-c", USES, extra=extra))
    return world.outside("sh", "-c", f"({inside}) >inside 2>&1 & {AWAIT} {script}\ntouch done; wait")


def until_counted(world, *options):
    """Repeats the status until the counts, which come a moment later, are complete."""
    status = shlex.join([world.programs.ringfence, "proxy", "status", *options])
    return (f"for i in $(seq 200); do s=$({status}); case $s in *bad.example:443*) break;; esac; sleep 0.05;"
            ' done; echo "$s"')


def test_status_shows_sessions_and_their_hosts(world):
    world.set_network({"allow": ["good.example", "www.good.example"]})
    done = meanwhile(world, until_counted(world, "--json"), ("--session", "s-1"))
    status = json.loads(done.stdout)
    assert status["running"] is True
    session, = status["sessions"]
    assert (session["session"], session["sandboxes"], session["open"]) == ("s-1", 1, 0)
    assert (session["connections"], session["refused"]) == (3, 1)
    hosts = {host["host"]: host for host in session["hosts"]}
    assert set(hosts) == {"good.example:80", "www.good.example:443", "bad.example:443"}
    assert hosts["good.example:80"]["connections"] == 2
    assert hosts["good.example:80"]["bytes_down"] > 100
    assert hosts["bad.example:443"] == {"host": "bad.example:443", "connections": 0, "refused": 1,
                                        "bytes_up": 0, "bytes_down": 0}
    assert session["bytes_down"] == sum(host["bytes_down"] for host in hosts.values())


def test_status_as_text(world):
    world.set_network({"allow": ["good.example", "www.good.example"]})
    done = meanwhile(world, until_counted(world))
    lines = done.stdout.splitlines()
    assert lines[0].startswith("(no session) ")
    assert "1 sandbox, 0 open; 3 connections, 1 refused, " in lines[0]
    assert [line.split()[0] for line in lines[1:]] == ["bad.example:443", "good.example:80",
                                                        "www.good.example:443"]
    assert lines[1].split(maxsplit=1)[1] == "1 refused"


def test_status_counts_open_connections(world):
    world.set_network({"allow": [f"good.example:{ECHO_PORT}"]})
    code = f"""
import os, socket, time
held = [socket.create_connection(("good.example", {ECHO_PORT})) for _ in range(3)]
for one in held:
    one.sendall(b"x")
    one.recv(1)
open("used", "w")
while not os.path.exists("done"):
    time.sleep(0.05)
"""
    inside = shlex.join(world.command("/usr/bin/python3", "-c", code))
    status = shlex.join([world.programs.ringfence, "proxy", "status", "--json"])
    wait = f"for i in $(seq 200); do s=$({status}); case $s in *'\"open\": 3'*) break;; esac; sleep 0.05; done"
    done = world.outside("sh", "-c", f'({inside}) >inside 2>&1 & {AWAIT} {wait}; echo "$s"; touch done; wait')
    assert json.loads(done.stdout)["sessions"][0]["open"] == 3


def test_without_a_sandbox_there_is_nothing_to_show(world):
    done = world.outside(world.programs.ringfence, "proxy", "status")
    assert done.stdout == "the egress proxy does not run: it starts with a sandbox that has a network\n"
    world.confined("true")
    done = world.outside(world.programs.ringfence, "proxy", "status", "--json")
    assert json.loads(done.stdout)["sessions"] == []


def test_the_log_follows_connections(world):
    world.set_network({"allow": ["good.example", "www.good.example"]})
    follow = shlex.join([world.programs.ringfence, "proxy", "log", "--follow", "--policy", str(world.policy)])
    script = (f"{follow} >followed 2>&1 & pid=$!; sleep 1; " +
              shlex.join(world.command("curl", "-s", "http://good.example/later")) +
              " >/dev/null; for i in $(seq 200); do grep -q later followed && break; sleep 0.05; done;"
              " kill $pid; cat followed")
    done = meanwhile(world, script)
    assert "good.example:80" in done.stdout and "/later" in done.stdout


@pytest.mark.parametrize("layers", ["full", "landlock"])
def test_commands_for_outside_say_so_in_a_sandbox(world, layers):
    """Neither that no proxy runs, nor that a directory should be made writable."""
    network = {"allow": ["good.example", "www.good.example"]}
    world.write(world.home / ".config/ringfence/policy.json", json.dumps({"version": 1, "network": network}))
    for command in (("proxy", "status"), ("allow", "bad.example"), ("revoke", "www.good.example")):
        done = world.confined(world.programs.ringfence, *command, extra=("--layers", layers))
        assert done.returncode != 0 and not done.stdout, done.stdout
        assert "outside" in done.stderr and "writable" not in done.stderr, done.stderr
