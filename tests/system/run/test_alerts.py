"""Alerts and their misuse: links and swaps on the way to the inbox, floods, forged requests from
inside a sandbox, and an agent in `ringfence run` whose hook has the launcher write.
"""

import ctypes
import json
import os
import subprocess
import threading

import pytest

from sandbox import Sandbox

pytestmark = pytest.mark.users("ordinary", "root")

LIBC = ctypes.CDLL(None, use_errno=True)
SESSION = "5b2b3f6c"
MEMBERS = ["profile", "session", "text", "timestamp", "tool", "type"]

# Sends each line of its input to the launcher and prints the answers.
SEND = """
import socket, sys
for line in sys.stdin.buffer.read().split(b"\\n"):
    launcher = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    launcher.connect("/dev/.ringfence/log")
    launcher.send(line)
    print(launcher.recv(1).decode(), end="")
"""


def write_policy(world, **more):
    inbox = world.base / "ipc/main"
    world.write(world.policy, json.dumps(
        {"version": 1, "alerts": {"inbox": str(inbox)}, **more}))
    return inbox


def failure(world, error, **more):
    return json.dumps({"hook_event_name": "PostToolUseFailure", "session_id": SESSION,
                       "cwd": str(world.project), "tool_name": "Bash",
                       "tool_input": {"command": "x"}, "error": error, **more})


def tell(world, error, *options, **more):
    """The hook's answer to a failure, outside any sandbox."""
    return subprocess.run(
        [world.programs.hook, "--root", world.project, *options], input=failure(world, error, **more),
        capture_output=True, text=True, timeout=30, check=False,
        env={"HOME": str(world.home), "PATH": "/usr/bin:/bin"})


def denied(name):
    return f"cat: {name}: Permission denied"


def alerts_in(inbox):
    names = sorted(inbox.iterdir()) if inbox.is_dir() else []
    assert all(name.name.startswith("ringfence-") for name in names), names
    return [json.loads(name.read_text()) for name in names]


def as_user(sandbox, world, folder):
    """Gives the directory to the user who runs the sandbox."""
    folder.mkdir(parents=True, exist_ok=True)
    if sandbox.user is not None:
        os.chown(folder, sandbox.user, sandbox.user)
    world.base.chmod(0o755)


def exchange(one, other):
    """Swaps two names atomically with renameat2(2): both always exist."""
    at_cwd, both = -100, 2
    if LIBC.renameat2(at_cwd, bytes(one), at_cwd, bytes(other), both) != 0:
        raise OSError(ctypes.get_errno(), "renameat2")


def test_a_missing_inbox_is_created_world_readable(world):
    inbox = write_policy(world)
    done = tell(world, denied("/etc/hosts"))
    assert done.returncode == 0 and not done.stderr, done
    alert, = alerts_in(inbox)
    assert sorted(alert) == MEMBERS, alert
    assert alert["text"].startswith('read of "/etc/hosts" refused: '), alert
    assert inbox.stat().st_mode & 0o777 == 0o755
    assert next(inbox.iterdir()).stat().st_mode & 0o777 == 0o644


def test_links_in_the_inbox_path_are_not_followed(world):
    inbox = write_policy(world)
    elsewhere = world.base / "elsewhere"
    (elsewhere / "main").mkdir(parents=True)
    for link in (inbox.parent, inbox):
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(elsewhere)
        done = tell(world, denied("/etc/hosts"))
        assert done.returncode == 0 and "is a link" in done.stderr, done
        assert "additionalContext" in done.stdout, done
        link.unlink()
    assert [path.name for path in elsewhere.rglob("*")] == ["main"]


def test_a_swapped_path_component_does_not_redirect_alerts(world):
    """The inbox's parent alternates between a directory and a link while hooks write: every
    alert is in the directory, wherever that was moved, and none is behind the link."""
    write_policy(world)
    ipc, elsewhere, link = (world.base / name for name in ("ipc", "elsewhere", "link"))
    (elsewhere / "main").mkdir(parents=True)
    (ipc / "main").mkdir(parents=True)
    link.symlink_to(elsewhere)
    ends = threading.Event()

    def swap():
        while not ends.is_set():
            exchange(ipc, link)
            exchange(ipc, link)

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        for number in range(40):
            assert tell(world, denied(f"/etc/{number}"), session_id=str(number)).returncode == 0
    finally:
        ends.set()
        swapper.join()
    assert list((elsewhere / "main").iterdir()) == []
    assert alerts_in(ipc / "main")  # and none is incomplete


def test_existing_files_in_the_inbox_are_not_touched(world):
    inbox = write_policy(world)
    (inbox / "ringfence-0-0.json").mkdir(parents=True)
    os.mkfifo(inbox / ".ringfence-0-0.json.tmp")
    assert tell(world, denied("/etc/hosts")).stderr == ""
    assert len(list(inbox.iterdir())) == 3


def test_an_inbox_that_is_not_a_directory_is_reported(world):
    inbox = write_policy(world)
    inbox.parent.mkdir()
    for make in (os.mkfifo, lambda path: path.write_text("mine")):
        make(inbox)
        done = tell(world, denied("/etc/hosts"))
        assert done.returncode == 0 and "ENOTDIR" in done.stderr, done
        inbox.unlink()


def test_alerts_about_long_failures_are_short(world):
    inbox = write_policy(world)
    error = denied("/etc/hosts") + "\n" + "x" * (1 << 20) + "\n" + denied("/etc/" + "y" * 3000)
    assert tell(world, error).returncode == 0
    assert all(len(alert["text"]) <= 200 for alert in alerts_in(inbox))
    assert tell(world, ("/'\"~" * 300_000) + " Permission denied").returncode == 0


def test_concurrent_hooks_share_the_alert_limit(world):
    inbox = write_policy(world)
    processes = [subprocess.Popen(
        [world.programs.hook, "--root", world.project], stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True,
        env={"HOME": str(world.home), "PATH": "/usr/bin:/bin"}) for _ in range(20)]
    for number, process in enumerate(processes):
        process.stdin.write(failure(world, denied(f"/etc/{number}")))
        process.stdin.close()
    for process in processes:
        process.wait(timeout=30)
    assert 1 <= len(alerts_in(inbox)) <= 10, len(alerts_in(inbox))


def test_the_launcher_writes_alerts_of_an_agent_inside(world):
    sandbox = Sandbox(world)
    inbox = write_policy(world)
    as_user(sandbox, world, inbox)
    text = failure(world, denied(world.base / "secret"))
    script = f"'{sandbox.hook}' --root '{world.project}' && : > '{inbox}/forged'"
    done = sandbox.run(["/bin/sh", "-c", script], "--agent", text=text)
    assert "additionalContext" in done.stdout, done
    assert "cannot create" in done.stderr, done  # no process inside writes there
    alert, = alerts_in(inbox)
    assert alert["inside"] is True and alert["session"] == SESSION, alert
    assert str(world.base / "secret") in alert["text"], alert


def test_an_ask_path_is_refused_inside_with_an_alert(world):
    """The kernel refuses what the hook outside would ask about: there is no way to ask."""
    sandbox = Sandbox(world)
    inbox = write_policy(world)
    as_user(sandbox, world, inbox)
    refused = sandbox.run(["/bin/sh", "-c", "echo x > .envrc"], "--agent")
    assert "cannot create .envrc" in refused.stderr, refused
    text = failure(world, refused.stderr)
    done = sandbox.run([sandbox.hook, "--root", world.project], "--agent", text=text)
    assert "a running command cannot ask" in done.stdout, done
    alert, = alerts_in(inbox)
    assert ".envrc" in alert["text"], alert
    # Outside a sandbox the user can be asked.
    assert not tell(world, refused.stderr).stdout


def test_the_launchers_profile_decides_the_inbox(world):
    """The hook inside claims another profile, or that alerts are off: the alert goes to the
    launcher's inbox."""
    sandbox = Sandbox(world)
    a, b = (world.base / "ipc" / name for name in "ab")
    for folder in (a, b):
        as_user(sandbox, world, folder)
    world.write(world.policy, json.dumps({"version": 1, "profiles": {
        "a": {"alerts": {"inbox": str(a), "fields": {"chat": "a"}}},
        "b": {"alerts": {"inbox": str(b), "enabled": False}}}}))
    script = f"'{sandbox.hook}' --root '{world.project}' --profile b"
    done = sandbox.run(["/bin/sh", "-c", script], "--agent", "--profile", "a",
                       text=failure(world, denied("/etc/shadow")))
    assert "additionalContext" in done.stdout, done
    alert, = alerts_in(a)
    assert alert["chat"] == "a" and alert["profile"] == "a", alert
    assert alerts_in(b) == []


def request(kind="path", **members):
    return json.dumps({"alert": kind, **members}, separators=(",", ":"))


def test_forged_requests_raise_no_alerts(world):
    sandbox = Sandbox(world)
    inbox = write_policy(world)
    as_user(sandbox, world, inbox)
    world.write(world.project / "a.txt", "a")
    refused = [
        "", "{", '{"alert":', '{"alert":"path"}', '{"alert":"path","name":5}',
        request(name="../x"), request(name="x"), request(name="/x", cwd="relative"),
        request("what", name="/x"), request(name="/x", text="pay me"), request(name=""),
        request(name="/x\0"), request(name="/" + "x" * 5000), request(name="/x") + "}",
        request(name="/x", tool="t" * 9000), request("unwrapped", name="/x"),
    ]
    # Valid requests are decided: one that the policy permits raises no alert.
    harmless = [
        request(name=str(world.project / "a.txt")), request("written", name=str(world.project)),
        request("hidden", name="/nothing/there"), request("unwrapped", tool="Bash"),
        request(name="$HOME/x", cwd="/etc"), request("written", name="a.txt", cwd=str(world.project)),
    ]
    done = sandbox.python(SEND, "--agent", text="\n".join(refused))
    assert done.stdout == "0" * len(refused), done
    done = sandbox.python(SEND, "--agent", text="\n".join(harmless))
    assert done.stdout == "1" * len(harmless), done
    assert alerts_in(inbox) == []


def test_the_text_of_a_request_is_escaped(world):
    sandbox = Sandbox(world)
    inbox = write_policy(world)
    as_user(sandbox, world, inbox)
    lines = [request("written", name="/etc/\n\u202ex\"", tool="B\u202e\n", session="s\x07")]
    assert sandbox.python(SEND, "--agent", text="\n".join(lines)).stdout == "1"
    alert, = alerts_in(inbox)
    assert all(value.isprintable() for value in alert.values() if isinstance(value, str)), alert
    assert alert["text"].startswith('write to "/etc/\\n\\u202ex\\"" refused: '), alert


def test_a_flood_of_requests_is_limited(world):
    sandbox = Sandbox(world)
    inbox = write_policy(world)
    as_user(sandbox, world, inbox)
    lines = [request(name=f"/etc/{number}", session=str(number)) for number in range(3000)]
    done = sandbox.python(SEND, "--agent", text="\n".join(lines))
    assert done.returncode == 0 and 40 <= done.stdout.count("1") < 400, done.stdout.count("1")
    assert len(alerts_in(inbox)) <= 10 * 5, len(alerts_in(inbox))
    # The log continues: alerts have a separate limit.
    log = (world.state / "audit.jsonl").read_text()
    assert '"event":"SandboxStart"' in log, log
