"""Runs the built `ringfence replay` on transcripts of the real client, on broken ones, and as a
filter under GNU parallel.
"""

import collections
import json
import os
import pty
import resource
import select
import shutil
import subprocess

import pytest

from command_world import error_of
from repository import ROOT

FIXTURES = ROOT / "fixtures/transcripts"
MEGABYTE = 1 << 20


def call(path, number, cwd, tool="Write"):
    return json.dumps({"type": "assistant", "sessionId": "s1", "cwd": str(cwd), "message": {"content": [
        {"type": "tool_use", "id": f"t{number}", "name": tool, "input": {"file_path": str(path)}}]}})


def replay(world, *arguments, **more):
    done = world.run("replay", *arguments, "--json", **more)
    return json.loads(done.stdout), done


def verdicts(report):
    return {name: count for name, count in report["verdicts"].items() if count}


def filtered(world, text, *arguments):
    done = subprocess.run([world.programs.ringfence, "replay", "-", "--home", str(world.home), *arguments],
                          input=text if isinstance(text, bytes) else text.encode(), capture_output=True,
                          timeout=60, env={"PATH": "/usr/bin:/bin"})
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout.decode().splitlines()


def test_transcripts_of_the_client_are_read(world):
    """Main agent and subagent, including cd: the subagent's file has another directory than the
    session's."""
    report, done = replay(world, FIXTURES)
    assert done.returncode == 0 and not done.stderr, done
    assert report["files"] == 2 and report["calls"] == 8, report
    assert verdicts(report) == {"deny": 2, "permit": 6}, report
    denied = {(group["rule"]["pointer"], group["examples"][0]["what"]) for group in report["groups"]
              if group["verdict"] == "deny"}
    assert denied == {("/read/allow", 'read of "/etc/passwd"'),
                      ("/write/allow", 'write to "/home/dev/outside.txt"')}, denied
    assert report["lines"]["broken"] == report["lines"]["foreign"] == 0, report


def test_the_clients_transcripts_are_the_default(world):
    error_of(world.run("replay"), 2, ".claude/projects", "does not exist")
    shutil.copytree(FIXTURES, world.home / ".claude/projects")
    report, _ = replay(world)
    assert report["calls"] == 8, report
    shutil.copytree(FIXTURES / "-home-dev-project", world.base / "config/projects/p")
    env = {"CLAUDE_CONFIG_DIR": str(world.base / "config"), "HOME": str(world.home), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([world.programs.ringfence, "replay", "--json"], env=env, cwd=world.project,
                          capture_output=True, text=True, timeout=60)
    assert json.loads(done.stdout)["groups"][0]["examples"][0]["file"].startswith(env["CLAUDE_CONFIG_DIR"]), done


def test_decisions_name_the_users_policy(world):
    world.write(world.policy, '{ "version": 1,\n  "write": { "allow": ["."], "deny": ["docs"] } }\n')
    (world.project / "docs").mkdir()
    log = world.write(world.base / "log.jsonl", call(world.project / "docs/a", 1, world.project) + "\n")
    out = world.run("replay", log).stdout
    assert "Denied: 1\n  ~/.config/ringfence/policy.json:2 /write/deny  1 call: Write 1\n" in out, out
    assert f"{log}:1" in out, out
    # A project's own policy counts as it does for the hook: if untrusted, it only restricts.
    world.write(world.project / ".ringfence/policy.json",
                '{"version": 1, "write": {"allow": ["/"], "deny": ["a"]}}')
    world.write(log, call(world.project / "a", 1, world.project) + "\n" + call("/etc/x", 2, world.project))
    report, done = replay(world, log)
    assert verdicts(report) == {"deny": 2} and "not trusted" in report["notes"][0], report


def test_replay_agrees_with_the_hook(world):
    """Compares, for each call of a mixed list, the hook's answer with the filter's."""
    (world.project / ".git/hooks").mkdir(parents=True)
    (world.home / ".ssh").mkdir()
    lines = [call(path, number, world.project, tool) for number, (tool, path) in enumerate((
        ("Read", world.project / "a"), ("Write", world.home / ".ssh/id"), ("Write", "../b"), ("Read", "~/.ssh/x"),
        ("Write", world.project / ".git/hooks/pre-commit"), ("Write", world.policy), ("Nothing", "x"),
        ("Read", "/proc/self/environ"), ("Write", world.project / "a b"), ("mcp__x__y", "/etc/x")))]
    for line, said in zip(lines, filtered(world, "\n".join(lines))):
        call_ = json.loads(line)["message"]["content"][0]
        event = {"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": str(world.project),
                 "tool_name": call_["name"], "tool_input": call_["input"]}
        done = subprocess.run([world.programs.hook], input=json.dumps(event), capture_output=True, text=True,
                              timeout=60, env={"HOME": str(world.home), "CLAUDE_PROJECT_DIR": str(world.project)})
        answer = json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else {}
        one, = json.loads(said)["calls"]
        assert one["verdict"] == answer.get("permissionDecision", "permit"), (call_, one, done)
        if answer:
            assert one["what"] in answer["permissionDecisionReason"] and one["why"] in answer[
                "permissionDecisionReason"], (one, answer)


def test_two_policies_are_compared(world):
    new = world.write(world.base / "new.json", '{"version": 1, "write": {"allow": ["src"], "ask": ["docs"]}}')
    old = world.write(world.base / "old.json", '{"version": 1, "write": {"allow": [".", "/srv"]}}')
    names = [world.project / "src/a", world.project / "docs/a", world.project / "b", "/srv/x", "/etc/x"]
    log = world.write(world.base / "log.jsonl", "\n".join(
        call(name, number, world.project) for number, name in enumerate(names)))
    report, done = replay(world, log, "--policy", new, "--against", old)
    assert done.returncode == 1, done
    changes = {(c["against"], c["verdict"], c["rule"]["pointer"], c["calls"]) for c in report["changes"]}
    assert changes == {("permit", "deny", "/write/allow", 2), ("permit", "ask", "/write/ask", 1)}, changes
    report, done = replay(world, log, "--policy", old, "--against", new)
    changes = {(c["against"], c["verdict"], c["rule"]["file"], c["calls"]) for c in report["changes"]}
    assert changes == {("deny", "permit", str(new), 2), ("ask", "permit", str(new), 1)}, changes
    out = world.run("replay", log, "--policy", new, "--against", old).stdout
    assert "Newly denied (was permitted)\n" in out and "Newly asked about (was permitted)\n" in out, out
    done = world.run("replay", log, "--policy", new, "--against", new)
    assert done.returncode == 0 and "every decision is the same" in done.stdout, done
    said = [json.loads(line)["calls"][0] for line in
            filtered(world, log.read_text(), "--policy", str(new), "--against", str(old))]
    assert [(one["verdict"], one["against"]) for one in said] == [
        ("permit", "permit"), ("ask", "permit"), ("deny", "permit"), ("deny", "permit"), ("deny", "deny")], said


def test_broken_lines_are_counted_and_named(world):
    good = [call(world.project / "a", number, world.project) for number in range(5)]
    log = world.write(world.base / "logs/a.jsonl", b"\n".join([
        b"\xef\xbb\xbf" + good[0].encode(), good[1].encode() + b"\r", b"\0\0\0", b"Nov 23 sshd: started",
        good[2].encode(), b"\xff\xfe\x00junk", b'{"level":"info"}', b"", b"x" * (17 * MEGABYTE),
        good[3].encode(), good[4].encode()[:80]]))
    report, done = replay(world, world.base / "logs")
    assert done.returncode == 0, done
    assert report["calls"] == 3 and verdicts(report) == {"permit": 3}, report
    lines = report["lines"]
    assert (lines["all"], lines["broken"], lines["foreign"], lines["too_long"]) == (11, 5, 1, 1), lines
    assert [one["line"] for one in lines["first_unusable"]] == [1, 3, 4, 6, 9, 11], lines
    assert all(one["file"] == str(log) for one in lines["first_unusable"]), lines
    out = world.run("replay", world.base / "logs").stdout
    assert "5 lines torn or not JSON, skipped\n" in out and f"  {log}:11: byte 80: " in out, out


def test_hostile_text_is_escaped(world):
    evil = json.dumps({"type": "assistant", "cwd": str(world.project), "message": {"content": [
        {"type": "tool_use", "id": "\x1b]0;x\x07", "name": "Evil\x1b[31m\u202e", "input": {"file_path": "/\x1b[2J"}}]}})
    log = world.write(world.base / "logs\x1b[31m/a.jsonl", evil + "\n" + "\x1b[31m{\n")
    for arguments in ((), ("--json",)):
        done = world.run("replay", log.parent, *arguments)
        assert "Evil" in done.stdout, done
        assert not any(c in done.stdout + done.stderr for c in "\x1b\x07\u202e"), done
    for line in filtered(world, log.read_bytes()):
        assert not any(c in line for c in "\x1b\x07\u202e"), line
        json.loads(line)


def test_since_leaves_out_earlier_calls(world):
    lines = [call(world.project / "a", number, world.project)[:-1] + f', "timestamp": "{time}"}}'
             for number, time in enumerate(("2026-11-01T00:00:00.000Z", "2026-11-20T12:00:00.000Z"))]
    log = world.write(world.base / "log.jsonl", "\n".join(lines))
    for since, calls in (("2026-11-01", 2), ("2026-11-02", 1), ("2026-11-20T12:00Z", 1),
                         ("2026-11-20T12:00:01Z", 0)):
        report, _ = replay(world, log, "--since", since)
        assert (report["calls"], report["before_since"]) == (calls, 2 - calls), (since, report)
    for since in ("2026-13-45", "2026-02-30", "2026-00-01", "2026-11-22T25:00Z", "2026-11-22T03:60Z"):
        error_of(world.run("replay", log, "--since", since), 2, f'"{since}" is not a time')


def test_a_call_without_a_tool_name_is_shown(world):
    log = world.write(world.base / "log.jsonl", call(world.project / "a", 1, world.project, ""))
    assert "(no name) 1" in world.run("replay", log).stdout, world.run("replay", log)


def test_wrong_usage_is_an_error(world):
    log = world.write(world.base / "log.jsonl", call("a", 1, world.project))
    bad = world.write(world.base / "bad.json", '{"version": 1, "raed": {}}')
    for arguments, parts in (
            ((log, "--policy", bad), ("bad.json:1:16", "raed")), ((log, "--against", bad), ("bad.json:1:16",)),
            (("-", "--policy", bad), ("bad.json:1:16",)), ((log, "--policy", "/nonexistent"), ("does not exist",)),
            ((log, "--root", "/nonexistent"), ("--root", "not a directory")), ((log, "--since", "x"), ("--since",)),
            ((log, "-"), ("cannot be combined",)), (("-", "--since", "7d"), ("cannot be combined",)),
            ((world.base / "none",), ("does not exist",)), ((log, "--jobs", "0"), ("--jobs",)),
            ((log, "--profile", "none"), ("none",))):
        done = world.run("replay", *arguments)
        error_of(done, 2, *parts)
        assert not done.stdout, done


def test_unreadable_transcripts_are_an_error(world):
    world.write(world.base / "logs/a.jsonl", call(world.project / "a", 1, world.project))
    world.write(world.base / "logs/b.jsonl", "{}").chmod(0)
    world.write(world.base / "logs/c/d.jsonl", "{}").parent.chmod(0)
    world.give_up_root()
    done = world.run("replay", world.base / "logs")
    (world.base / "logs/c").chmod(0o700)
    assert done.returncode == 2 and "1 call in 2 transcripts" in done.stdout, done
    assert "logs/b.jsonl: EACCES" in done.stderr and "logs/c: EACCES" in done.stderr, done


def test_the_filter_answers_line_by_line(world):
    """A reader that waits for the answer to each line gets it."""
    with subprocess.Popen([world.programs.ringfence, "replay", "-", "--home", str(world.home)],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={"PATH": "/usr/bin:/bin"}) as process:
        for number in range(20):
            count = number % 3 + 1
            lines = "".join(call(world.project / "a", i, world.project) + "\n" for i in range(count))
            process.stdin.write(lines.encode())
            process.stdin.flush()
            for i in range(count):
                ready, _, _ = select.select([process.stdout], [], [], 30)
                assert ready, f"no answer to line {i} of {count}"
                assert os.read(process.stdout.fileno(), 1) == b"{"
                said = b"{"
                while not said.endswith(b"\n"):
                    said += os.read(process.stdout.fileno(), 1)
                assert json.loads(said)["calls"][0]["id"] == f"t{i}", said
        process.stdin.close()
        assert process.stdout.read() == b""
    assert process.returncode == 0


def test_parallel_gives_the_same_lines(world):
    """The example of docs/replay.md: GNU parallel splits the input, and each piece goes through
    a filter."""
    if not shutil.which("parallel"):
        pytest.skip("GNU parallel is not installed")
    lines = []
    for number in range(20000):
        name = ("src/a", "../x", ".envrc")[number % 3]
        lines.append(call(world.project / name, number, world.project))
        if number % 7 == 0:
            lines.append(json.dumps({"type": "user", "text": "x" * (number % 3000)}))
        if number % 11 == 0:
            lines += ["", '{"torn', '{"level":"info"}']
    text = "\n".join(lines) + "\n" + lines[1][:30]
    wanted = filtered(world, text)
    assert len(wanted) == len(lines) + 1
    command = ["parallel", "--pipe", "--block", "200k", "-j2", world.programs.ringfence, "replay", "-", "--jobs", "1",
               "--home", str(world.home)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120,
                          env={"PATH": os.environ["PATH"], "HOME": str(world.home)})
    assert done.returncode == 0, done.stderr
    assert collections.Counter(done.stdout.splitlines()) == collections.Counter(wanted)
    kept = subprocess.run([*command[:1], "--keep-order", *command[1:]], input=text, capture_output=True, text=True,
                          timeout=120, env={"PATH": os.environ["PATH"], "HOME": str(world.home)})
    assert kept.stdout.splitlines() == wanted


def test_memory_does_not_grow_with_the_input(world):
    """Memory stays bounded with many lines, with long ones, and with one of 300 MB."""
    block = "".join(call(world.project / "a", number, world.project) + "\n" + json.dumps(
        {"type": "user", "text": "y" * 40000}) + "\n" for number in range(24)).encode()
    for name, begin, middle, times, end in (
            ("many lines", b"", block, 200, b""), ("one line", b'{"t":"', b"x" * MEGABYTE, 300, b'"}\n'),
            ("long lines", b"", b'{"type":"' + b"x" * (15 * MEGABYTE) + b'"}\n', 14, b"")):
        file = world.base / f"{name}.jsonl"
        with file.open("wb") as out:
            out.write(begin)
            for _ in range(times):
                out.write(middle)
            out.write(end + block)
        limit = (128 * MEGABYTE, 128 * MEGABYTE)
        for jobs in ("1", "2"):
            done = subprocess.run(
                [world.programs.ringfence, "replay", file, "--json", "--jobs", jobs, "--home", world.home], env={},
                capture_output=True, timeout=60, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, limit))
            assert done.returncode == 0, (name, done.stderr)
            report = json.loads(done.stdout)
            assert report["calls"] == 24 and report["lines"]["too_long"] == (name == "one line"), (name, report)
        file.unlink()


def test_progress_is_shown_on_a_terminal_only(world):
    folder = world.base / "logs"
    block = (json.dumps({"type": "user", "text": "y" * 100000}) + "\n").encode() * 200
    for number in range(12):
        with world.write(folder / f"{number}.jsonl", b"").open("wb") as out:
            out.write(block)
    done = world.run("replay", folder, env={"TERM": "xterm"})
    assert done.returncode == 0 and not done.stderr, done
    control, terminal = pty.openpty()
    process = subprocess.Popen(
        [world.programs.ringfence, "replay", str(folder), "--jobs", "1", "--home", str(world.home)],
        stdout=subprocess.DEVNULL, stderr=terminal, env={"TERM": "xterm"})
    os.close(terminal)
    shown = b""
    while True:
        try:
            part = os.read(control, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(control)
    assert process.wait() == 0
    # A machine that finishes within a tenth of a second shows nothing.
    assert not shown or (b"replay [" in shown and shown.endswith(b"\r\x1b[K")), shown


def test_a_file_that_is_not_regular_is_an_error(world):
    pipe = world.base / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero"):
        error_of(world.run("replay", path), 2, "is not a regular file")
