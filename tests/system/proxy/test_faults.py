"""Nothing gets out when a part of the proxy fails, programs notice at once, and the next start works."""

import json
import os
import shlex
import signal
import threading

import pytest

from internet import ECHO_PORT, PYTHON
from proxy_processes import children_of, launchers_of, parent_of, sessions_of, until, words_of
from proxy_runs import SECONDS, Run, limit_descriptors, user_of

# Holds a connection, says what becomes of it, and tries another one.
HOLDS = f"""
import os, socket, time
def talk():
    s = socket.create_connection(("good.example", {ECHO_PORT}), 20)
    s.sendall(b"x")
    if s.recv(1) != b"x":
        raise ConnectionError("ended")
    return s
held = talk()
open("ready", "w")
held.settimeout(60)
try:
    print("held", "data" if held.recv(1) else "ended")
except TimeoutError:
    print("held hangs")
except OSError:
    print("held ended")
began = time.monotonic()
try:
    talk()
    print("new works")
except TimeoutError:
    print("new hangs")
except OSError as error:
    print("new fails")
"""


def holders_of(world):
    launchers = {process.pid for process in launchers_of(world)}
    found = []
    for launcher in launchers_of(world):
        found += [child for child in children_of(launcher.pid)
                  if child.pid in launchers and
                  child.folder.joinpath("comm").read_text(encoding="ascii") == "ringfence-net\n"]
    return found


def victims(world):
    (broker, worker), = sessions_of(world)
    holder, = holders_of(world)
    launchers = launchers_of(world)
    others = {process.pid for process in launchers}
    launcher, = (process for process in launchers if process.parent() not in others)
    return {"worker": worker, "broker": broker, "parent": parent_of(world), "holder": holder,
            "launcher": launcher}


@pytest.fixture(autouse=True)
def fixture_policy(world):
    world.set_network({"allow": [f"good.example:{ECHO_PORT}", "good.example"]})


@pytest.mark.parametrize("part", ("worker", "broker", "parent", "holder"))
def test_a_part_that_is_killed_takes_only_the_network(world, part):
    with Run(world, shlex.join(world.command(PYTHON, "-c", HOLDS))) as run:
        run.await_file("ready")
        before = victims(world)
        os.kill(before[part].pid, signal.SIGKILL)
    assert run.done.stdout == "held ended\nnew fails\n", run.done
    assert "no host can be reached any more" in run.done.stderr
    until(lambda: not any(before[name].lives() for name in ("worker", "broker")), "the session ends")
    assert world.curl("http://good.example/").returncode == 0


# With `--layers landlock`: waits until the proxy's port refuses connections.
WAITS_FOR_REFUSAL = """
import os, socket, time
address = ("127.0.0.1", int(os.environ["HTTPS_PROXY"].rsplit(":", 1)[1]))
socket.create_connection(address, 20)
open("new", "w").write(str(address[1]))
os.rename("new", "ready")
while not os.path.exists("killed"):
    time.sleep(0.02)
while True:
    try:
        socket.create_connection(address, 20)
    except ConnectionRefusedError:
        break
    except ConnectionResetError:  # The listener closed during the handshake.
        pass
    time.sleep(0.02)
open("refused", "w")
while not os.path.exists("done"):
    time.sleep(0.02)
"""


@pytest.mark.parametrize("part", ("worker", "broker", "parent"))
def test_the_port_of_a_lost_proxy_refuses_and_stays_taken(world, part):
    confined = shlex.join(world.command(PYTHON, "-c", WAITS_FOR_REFUSAL, extra=("--layers", "landlock")))
    binds = shlex.join([PYTHON, "-c", "import socket; socket.socket().bind(('127.0.0.1', int(open('ready').read())))"])
    others = f"while [ ! -e refused ] && kill -0 $!; do sleep 0.1; done; {binds} 2>taken; touch done"
    with Run(world, f"{confined} & {others}; wait $!") as run:
        run.await_file("ready")
        # The kernel accepts a connection before the proxy has started a session for it.
        (broker, worker), = until(lambda: sessions_of(world), "the session starts")
        victim = {"worker": worker, "broker": broker, "parent": parent_of(world)}[part]
        os.kill(victim.pid, signal.SIGKILL)
        (world.project / "killed").touch()
    taken = (world.project / "taken").read_text(encoding="utf-8")
    assert "Address already in use" in taken, (taken, run.done)
    assert run.done.returncode == 0 and "no host can be reached any more" in run.done.stderr, run.done


def test_a_launcher_that_is_killed_takes_all(world):
    with Run(world, shlex.join(world.command(PYTHON, "-c", HOLDS)) + " & wait") as run:
        run.await_file("ready")
        before = victims(world)
        os.kill(before["launcher"].pid, signal.SIGKILL)
        until(lambda: not any(process.lives() for process in before.values()), "all have ended")
    assert "new works" not in run.done.stdout
    assert world.curl("http://good.example/").returncode == 0


@pytest.mark.parametrize("part", ("worker", "broker"))
def test_without_descriptors_new_connections_fail_and_later_ones_work(world, part):
    code = f"""
import os, socket, time
def talk():
    s = socket.create_connection(("good.example", {ECHO_PORT}), 20)
    s.settimeout(20)
    s.sendall(b"x")
    return s if s.recv(1) == b"x" else None
def attempt():
    try:
        return talk()
    except OSError:
        return None
def step(name):
    open(name + ".ready", "w")
    while not os.path.exists(name + ".go"):
        time.sleep(0.02)
held = [talk()]
step("first")
held += [attempt() for _ in range(8)]
print(sum(one is not None for one in held))
step("limited")
held[0].sendall(b"y")
print(held[0].recv(1))
print(attempt() is not None)
"""
    with Run(world, shlex.join(world.command(PYTHON, "-c", code))) as run:
        run.await_file("first.ready")
        process = victims(world)[part]
        # Room for a connection of the worker, and then for half of one.
        limit_descriptors(world, process, process.descriptors() + (3 if part == "worker" else 0))
        (world.project / "first.go").touch()
        run.await_file("limited.ready")
        ticks = process.ticks()
        threading.Event().wait(1)
        assert process.ticks() - ticks < 50, "it is busy while it waits"
        limit_descriptors(world, process, 1024)
        (world.project / "limited.go").touch()
    count, held, later = run.done.stdout.splitlines()
    assert (1 <= int(count) < 9) if part == "worker" else int(count) == 1, run.done
    assert (held, later) == ("b'y'", "True"), run.done


# With the sanitizers on a busy machine, a session's proxy may start for longer than the 10 s that
# resolver(3) waits for an answer.
FETCHES = """
RES_OPTIONS="timeout:30 attempts:5" curl -sS -o out.{number} http://good.example/{number}
touch ready.{number}
while [ ! -e all ]; do sleep 0.1; done
"""


def test_fifty_sandboxes_at_once(world):
    """Of a user with a low limit of descriptors."""
    commands = "\n".join(
        shlex.join(world.command("sh", "-c", FETCHES.format(number=number),
                                 extra=("--session", f"s{number // 5}") if number % 2 else ())) + " &"
        for number in range(50))
    with Run(world, f"ulimit -Sn 128\n{commands}\nwait") as run:
        try:
            until(lambda: len(list(world.project.glob("ready.*"))) == 50, "all are ready")
        finally:
            (world.project / "all").touch()
    assert not run.done.stderr, run.done.stderr
    for number in range(50):
        answer = json.loads((world.project / f"out.{number}").read_text(encoding="utf-8"))
        assert answer["path"] == f"/{number}"
    until(lambda: parent_of(world) is None, "the proxy ends")
    assert not launchers_of(world)


# -- a full disk under the log ------------------------------------------------------------------------

# In a mount namespace of its own, with a small disk under the log. {run} is the sandbox. The proxy writes
# the record of a connection when the connection has ended, which the client does not wait for.
FULL_DISK = """
mkdir -p "$HOME/log" && mount -t tmpfs -o size=256k tmpfs "$HOME/log" || exit 9
log=$HOME/log/audit.jsonl
wait_for_record() {{ until grep -qF "\\"path\\":\\"$1\\"" "$log"; do sleep 0.02; done; }}
{run} &
pid=$!
while [ ! -e first.ready ] && kill -0 $pid; do sleep 0.02; done
wait_for_record /first
dd if=/dev/zero of="$HOME/log/filler" bs=4k 2>/dev/null
touch first.go
while [ ! -e full.ready ] && kill -0 $pid; do sleep 0.02; done
rm "$HOME/log/filler"
touch full.go
wait
wait_for_record /later
cat "$log"
"""

ASKS = """
import os, time, urllib.request as r, urllib.error
def ask(path):
    try: return r.urlopen("http://good.example" + path, timeout=20).status
    except urllib.error.HTTPError as error: return error.code
def step(name):
    open(name + ".ready", "w")
    while not os.path.exists(name + ".go"):
        time.sleep(0.02)
def soon(path, status):
    for _ in range(500):
        if (last := ask(path)) == status: break
        time.sleep(0.02)
    return last
print(ask("/first"))
step("first")
print(soon("/full", %d))
step("full")
print(soon("/later", 200))
"""


@pytest.mark.parametrize("required, status", ((True, 403), (False, 200)))
def test_a_full_disk_under_the_log(world, required, status):
    log = world.home / "log/audit.jsonl"
    world.set_network({"allow": ["good.example"]}, audit={"file": str(log), "required": required})
    run = shlex.join(world.command(PYTHON, "-c", ASKS % status))
    script = FULL_DISK.format(run=run)
    done = world.outside("unshare", "--mount", "--user", f"--map-user={user_of(world)}",
                         f"--map-group={user_of(world)}", "--keep-caps", "sh", "-c", script, seconds=SECONDS)
    assert done.returncode == 0, done
    assert done.stdout.split("{", 1)[0].split() == ["200", str(status), "200"], done
    assert ("the audit log, which the policy requires, cannot be written" in done.stderr) == required, done
    assert '"path":"/first"' in done.stdout and '"path":"/later"' in done.stdout
