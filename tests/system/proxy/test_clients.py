"""Real clients reach a listed host and no other: each without any proxy variable, and with them."""

import json
import os
import pathlib
import shlex
import shutil
import signal
import threading
import time

import pytest

from clients import CLIENTS, LISTED, npm_install, plain_psql, psql, ssh_words
from internet import PYTHON
from network_world import refusals
from services import ADDRESS, GREETING, HOST, need

# Hangs only; nothing is measured.
PATIENCE = 120


@pytest.fixture(name="world")
def fixture_world(world):
    world.set_network({"allow": LISTED})
    return world


CASES = [(client, way) for client in CLIENTS for way in client.ways]
LANDLOCK_CASES = [client for client in CLIENTS if client.reads_variables]


@pytest.mark.parametrize(("client", "way"), CASES, ids=[f"{client.name}, {way}" for client, way in CASES])
def test_a_client_reaches_what_is_listed(world, kit, client, way):
    need(*client.needs)
    reaches_what_is_listed(world, kit, client, way)


@pytest.mark.parametrize("client", LANDLOCK_CASES, ids=lambda client: client.name)
def test_a_client_finds_the_proxy_without_namespaces(world, kit, client):
    """By the variables that ringfence sets."""
    need(*client.needs)
    reaches_what_is_listed(world, kit, client, "landlock")


def reaches_what_is_listed(world, kit, client, way):
    extra = ("--layers", "landlock") if way == "landlock" else ()

    def ask(host):
        words = kit.with_settings(way, client.command(kit, way, host))
        return world.confined(*words, seconds=PATIENCE, extra=extra)

    done = ask(HOST)
    assert (done.returncode, done.stdout.strip().splitlines()[-1:]) == (0, [GREETING]), done
    assert not refusals(done)
    done = ask("bad.example")
    assert done.returncode not in (0, 124), done
    assert GREETING not in done.stdout
    assert len(refusals(done)) == 1, done
    assert f'"bad.example:{client.port}" refused: the host "bad.example" is not listed' in refusals(done)[0]
    lines = {(line["host"], line["protocol"], line["verdict"]) for line in world.log()}
    protocol = client.protocol(way)
    assert lines == {(f"{HOST}:{client.port}", protocol, "permit"),
                     (f"bad.example:{client.port}", protocol, "deny")}


def test_git_sends_and_receives(world, kit):
    """More than the buffers on the way hold, in both directions."""
    script = """
        set -e
        git clone -q "$0" copy && cd copy
        head -c 3000000 /dev/urandom >more && git add more
        git -c user.name=x -c user.email=x@x commit -q -m more && git push -q "$1" HEAD:refs/heads/more
        git clone -q -b more "$0" ../again && cmp more ../again/more && echo same
    """
    need("git")
    words = ["env", f"GIT_SSH_COMMAND={shlex.join(map(str, ssh_words(kit)))}", "sh", "-c", script]
    web, shell = kit.url(HOST, "git/plans.git"), kit.repository(HOST)
    for first, second in ((web, shell), (shell, web)):
        done = world.confined(*kit.with_settings("no variables", [*words, first, second]), seconds=PATIENCE)
        assert done.stdout.strip() == "same", done
        world.outside("sh", "-c", f"rm -rf copy again && git -C {kit.site.repository} branch -q -D more")


def test_psql_sends_and_receives(world, kit):
    script = """
        seq 200000 | "$@" -c 'CREATE TEMP TABLE numbers (n int)' -c 'COPY numbers FROM stdin' \
            -c 'COPY (SELECT * FROM numbers) TO stdout' | cksum
        seq 200000 | cksum
    """
    for ask in (psql, plain_psql):
        *words, _, _, place = ask(kit, "no variables", HOST)
        done = world.confined(*kit.with_settings("no variables", ["sh", "-c", script, "sh", *words, "-q", place]),
                              seconds=PATIENCE)
        received, sent = done.stdout.splitlines()
        assert received == sent, done


def test_a_connection_serves_several_requests(world, kit):
    """Each of them is judged and logged."""
    need("curl")
    urls = [kit.url(HOST, f"hello.txt?{number}", "http") for number in range(3)]
    for way in ("no variables", "variables"):
        words = ["curl", "-sS", "-w", "%{num_connects}\\n", *urls]
        done = world.confined(*kit.with_settings(way, words), seconds=PATIENCE)
        assert done.stdout.split("\n") == [GREETING, "1", GREETING, "0", GREETING, "0", ""], done
        assert [line["status"] for line in world.log()] == [200] * 3
        assert {line["address"] for line in world.log()} == {ADDRESS}
        world.log_file.unlink()


def test_a_wrapped_npm_install(world, kit):
    """As the client starts the hook's answer to a call of Bash."""
    need("node", "npm")
    world.write("home/.config/ringfence/policy.json",
                json.dumps({"version": 1, "bash": {"wrap": True}, "network": {"allow": LISTED}}))
    hook = shutil.copy(world.programs.hook, world.base / "bin")
    os.chmod(hook, 0o755)

    def bash(command):
        event = world.write("event.json", json.dumps(
            {"hook_event_name": "PreToolUse", "session_id": "one", "cwd": str(world.project),
             "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": command}}))
        answer = world.outside("sh", "-c", f'"{hook}" --root "{world.project}" <"{event}"')
        rewritten = json.loads(answer.stdout)["hookSpecificOutput"]["updatedInput"]["command"]
        return world.outside("/bin/bash", "-c", f"true && eval {shlex.quote(rewritten)} </dev/null", seconds=PATIENCE)

    done = bash(shlex.join(map(str, npm_install(kit, HOST))))
    assert (done.returncode, refusals(done)) == (0, []), done
    assert bash("node -e 'console.log(require(\"greeter\"))'").stdout.strip() == GREETING
    done = bash(shlex.join(map(str, [*npm_install(kit, "bad.example"), "other"])))
    assert done.returncode != 0
    assert ['"bad.example:443"' in line for line in refusals(done)] == [True], done
    assert {line["session"] for line in world.log()} == {"one"}


# -- without the proxy ----------------------------------------------------------------------------------

# A websocket that is open when the proxy ends.
LASTING = """
import asyncio, sys, websockets

async def main():
    async with websockets.connect(sys.argv[1]) as socket:
        await socket.send("x")
        print(await socket.recv(), flush=True)
        await socket.recv()

asyncio.run(main())
"""

# Runs all clients, ends the worker, runs them again: a line for each, "NAME STATUS".
AROUND_THE_END = """
    all() { %s
    }
    all
    "$@" >lasting 2>&1 & LASTING=$!
    for i in $(seq 600); do grep -q x lasting && touch ready && break; sleep 0.05; done
    while [ ! -e ended ]; do sleep 0.05; done
    wait $LASTING; echo lasting $?
    all
"""


def children_of(parent):
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # has just ended
        if int(fields[1]) == parent:
            found.append(int(folder.name))
    return found


def proxy_of(world):
    """The process that the launchers of this test have started."""
    wanted = os.fsencode(world.base / "bin/ringfence-proxy") + b"\0"
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cmdline").read_bytes() == wanted:
                return int(folder.name)
        except OSError:
            continue
    return None


def end_worker(world):
    """Waits for the sandbox. The proxy has a broker for its only session, and that has a worker."""
    wait_for((world.project / "ready").exists)
    [broker] = children_of(proxy_of(world))
    [worker] = children_of(broker)
    os.kill(worker, signal.SIGKILL)
    wait_for(lambda: not pathlib.Path(f"/proc/{worker}").exists())


def wait_for(is_so):
    late = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < late
        time.sleep(0.02)


def test_without_its_worker_nothing_is_reached(world, kit):
    """Every client fails at once; PATIENCE is for a hang."""
    for client, _ in CASES:
        need(*client.needs)
    lines = []
    for number, (client, way) in enumerate(CASES):
        words = shlex.join(kit.with_settings(way, client.command(kit, way, HOST)))
        lines.append(f"timeout {PATIENCE} {words} >out 2>&1; echo {number} $?")
    script = AROUND_THE_END % "\n".join(lines)
    lasting = kit.with_settings("no variables", [PYTHON, "-c", LASTING, kit.url(HOST, "echo", "wss")])
    done = []
    run = threading.Thread(target=lambda: done.append(world.confined("sh", "-c", script, "sh", *lasting, seconds=600)))
    run.start()
    try:
        end_worker(world)
        arrived = kit.arrivals()
    finally:
        (world.project / "ended").touch()
        run.join()
    statuses = [line.split() for line in done[0].stdout.splitlines()]
    before, after = statuses[:len(lines)], statuses[len(lines):]
    assert before == [[str(number), "0"] for number in range(len(lines))], done
    assert [words[0] for words in after] == ["lasting", *[words[0] for words in before]], done
    assert not [words for words in after if words[1] in ("0", "124")], done
    assert "no host can be reached any more" in done[0].stderr
    assert kit.arrivals() == arrived
