"""Runs `ringfence log`, `log verify` and `log send` on logs that real hooks wrote, and checks
what hooks send to the system's log, with a real rsyslogd and a stand-in for journald as
receivers.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

import pytest

from command_world import error_of

RSYSLOGD = "/usr/sbin/rsyslogd"
JOURNALD = "/lib/systemd/systemd-journald"
PATIENCE = 30


def log_of(here):
    return here.state / "audit.jsonl"


def set_policy(world, **audit):
    world.write(world.policy, json.dumps({"version": 1, "audit": {"system_log": "off", **audit}}))


def environment(here):
    return {"HOME": str(here.home), "CLAUDE_PROJECT_DIR": str(here.project), "PATH": "/usr/bin:/bin"}


def event(world, number=0, **more):
    path = world.project / f"f{number}" if number % 2 == 0 else f"/etc/f{number}"
    return json.dumps({
        "hook_event_name": "PreToolUse", "session_id": f"session-{number % 3}",
        "cwd": str(world.project), "permission_mode": "default", "tool_name": "Write",
        "tool_input": {"file_path": str(path), "content": "x"}, **more}).encode()


def call(world, number=0, **more):
    done = subprocess.run([world.programs.hook], input=event(world, number, **more), timeout=PATIENCE,
                          env=environment(world), cwd=world.project, capture_output=True, check=False)
    assert done.returncode == 0, done
    return done


def many_calls(world, count, at_once=16):
    """Hooks that read their events at the same moment."""
    for first in range(0, count, at_once):
        hooks = [subprocess.Popen([world.programs.hook], stdin=subprocess.PIPE, env=environment(world),
                                  cwd=world.project, stdout=subprocess.DEVNULL)
                 for _ in range(min(at_once, count - first))]
        for number, hook in enumerate(hooks):
            hook.stdin.write(event(world, first + number))
            hook.stdin.flush()
        for hook in hooks:
            hook.stdin.close()
        assert all(hook.wait(PATIENCE) == 0 for hook in hooks)


def files_of(here):
    return sorted(log_of(here).parent.glob("audit.jsonl.*Z")) + [log_of(here)] * log_of(here).exists()


def lines_of(here):
    return [line for file in files_of(here) for line in file.read_bytes().splitlines()]


def verified(world, status, *arguments):
    done = world.run("log", "verify", "--json", *arguments)
    assert done.returncode == status, f"status {done.returncode}: {done.stdout}{done.stderr}"
    report = json.loads(done.stdout)
    assert report["sound"] == (status == 0), report
    return report


def until(condition, what, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.02)


# -- showing ---------------------------------------------------------------------------------------


def test_lines_are_formatted_and_filtered(world):
    set_policy(world)
    call(world, 0)
    call(world, 1)
    call(world, 2, tool_name="Read", agent_id="a7", agent_type="Explore")
    done = world.run("log")
    shown = done.stdout.splitlines()
    assert done.returncode == 0 and len(shown) == 3 and not done.stderr, done
    assert re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ  permit  Write ", shown[0]), shown
    assert "  deny  " in shown[1] and "/etc/f1" in shown[1] and "/write/allow)" in shown[1], shown
    assert "agent Explore" in shown[2] and "\033" not in done.stdout, shown
    for arguments, count in ((["--tool", "Write"], 2), (["--tool", "R*"], 1), (["--verdict", "deny"], 1),
                             (["--session", "session-2"], 1), (["--agent", "a7"], 1), (["--agent", "Ex*"], 1),
                             (["--since", "1h"], 3), (["--since", "2999-01-01"], 0),
                             (["--tool", "Write", "--verdict", "permit"], 1)):
        done = world.run("log", *arguments)
        assert len(done.stdout.splitlines()) == count, f"{arguments}: {done.stdout}{done.stderr}"


def test_json_prints_the_lines_of_all_files_and_counts_torn_ones(world):
    set_policy(world, rotate="1K")
    for number in range(9):
        call(world, number)
    assert len(files_of(world)) > 2
    whole = lines_of(world)
    with open(log_of(world), "ab") as log:
        log.write(b'{"torn')
    done = world.run("log", "--json")
    assert done.stdout.encode().splitlines() == whole, done.stdout
    assert "1 line is torn or foreign" in done.stderr, done.stderr


def test_control_characters_are_escaped(world):
    set_policy(world)
    call(world, 1, tool_name="mcp__\u001b[2J\u202e__x", session_id="s\u009b\n")
    done = world.run("log")
    assert all(32 <= byte < 127 or byte == 10 for byte in done.stdout.encode()), done.stdout
    assert len(done.stdout.splitlines()) == 1


def test_follow_continues_across_rotations_and_ends_on_a_signal(world):
    set_policy(world, rotate="1K")
    call(world, 0)
    for number in (signal.SIGTERM, signal.SIGINT):
        out = world.base / "followed"
        with open(out, "wb") as file:
            follower = subprocess.Popen(
                [world.programs.ringfence, "log", "--follow", "--since", "1h", "--json", "--home", str(world.home)],
                stdout=file, cwd=world.project, env={"PATH": "/usr/bin:/bin"})
        until(lambda: out.stat().st_size > 0, "the first line")
        for count in range(12):
            call(world, count)
        whole = lines_of(world)
        until(lambda: len(out.read_bytes().splitlines()) == len(whole), "all lines")
        follower.send_signal(number)
        assert follower.wait(PATIENCE) == 0
        assert out.read_bytes().splitlines() == whole


def test_follow_restarts_after_a_truncation(world):
    set_policy(world)
    for number in range(3):
        call(world, number)
    with subprocess.Popen(
            [world.programs.ringfence, "log", "--follow", "--json", "--home", str(world.home)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=world.project,
            env={"PATH": "/usr/bin:/bin"}) as follower:
        for _ in range(3):
            follower.stdout.readline()
        os.truncate(log_of(world), 0)
        assert b"was cut while it was read" in follower.stderr.readline()
        call(world, 5)
        assert follower.stdout.readline().rstrip() == lines_of(world)[0]
        follower.terminate()
        assert follower.wait(PATIENCE) == 0


def test_follow_begins_with_the_last_lines(world):
    set_policy(world)
    for number in range(15):
        call(world, number)
    for options, first in ((), 5), (("--since", "1d"), 0):
        with subprocess.Popen(
                [world.programs.ringfence, "log", "--follow", "--json", "--home", str(world.home), *options],
                stdout=subprocess.PIPE, cwd=world.project, env={"PATH": "/usr/bin:/bin"}) as follower:
            so_far = lines_of(world)
            for line in so_far[first if options else len(so_far) - 10:]:
                assert follower.stdout.readline().rstrip() == line
            call(world)
            assert follower.stdout.readline().rstrip() == lines_of(world)[-1]
            follower.terminate()
            assert follower.wait(PATIENCE) == 0


def test_following_waits_for_the_first_line(world):
    set_policy(world)
    with subprocess.Popen(
            [world.programs.ringfence, "log", "--follow", "--home", str(world.home)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=world.project,
            env={"PATH": "/usr/bin:/bin"}) as follower:
        assert b"waiting for " in follower.stderr.readline()
        call(world)
        assert b"permit" in follower.stdout.readline()
        follower.terminate()
        assert follower.wait(PATIENCE) == 0


def test_follow_ends_when_its_reader_closes(world):
    set_policy(world)
    call(world)
    follower = subprocess.Popen(
        [world.programs.ringfence, "log", "--follow", "--home", str(world.home)],
        stdout=subprocess.PIPE, cwd=world.project, env={"PATH": "/usr/bin:/bin"})
    assert follower.stdout.readline()
    follower.stdout.close()
    assert follower.wait(PATIENCE) is not None


def test_wrong_usage_is_an_error(world):
    set_policy(world)
    error_of(world.run("log"), 2, "no call has been logged there")
    call(world)
    error_of(world.run("log", "--since", "yesterday"), 2, '"yesterday" is not a time')
    error_of(world.run("log", "--verdict", "no"), 2, "--verdict")
    error_of(world.run("log", "--file", world.project), 2, "is not a regular file")
    error_of(world.run("log", "send", "--to", "ftp://x"), 2, "is not a destination")
    error_of(world.run("log", "send"), 2, "--to")
    error_of(world.run("log", "verify", "--anchors", world.base / "none"), 2, "ENOENT")
    error_of(world.run("log", "what"), 2)
    error_of(world.run("log", "verify", "--anchors", ""), 2, "--anchors", "is empty")
    for since in ("2026-13-45", "2026-02-30", "2026-11-22T25:00Z"):
        error_of(world.run("log", "--since", since), 2, "is not a time")


def test_an_option_before_the_subcommand_is_an_error(world):
    """The option would have no effect there: everything would be sent."""
    set_policy(world)
    call(world)
    for command in (["send", "--to", "journald"], ["verify"]):
        for option in (["--verdict", "ask"], ["--since", "1h"], ["--json"], ["--file", log_of(world)]):
            error_of(world.run("log", *option, *command), 2, option[0] + " belongs after")


def test_outside_a_project_the_users_log_is_shown(world):
    log = world.home / "elsewhere/log"
    set_policy(world, file=str(log))
    call(world)
    for folder in (world.home, "/"):
        done = world.run("log", cwd=folder)
        assert done.returncode == 0 and len(done.stdout.splitlines()) == 1, done
        done = world.run("log", "verify", cwd=folder)
        assert done.returncode == 0 and str(log) in done.stdout, done
    set_policy(world, file=1)
    error_of(world.run("log", cwd=world.home), 2, "policy.json")


def completed(world, shell_words):
    """Bash's completions after these words."""
    script = subprocess.run([world.programs.ringfence, "completion", "bash"], capture_output=True, text=True,
                            timeout=PATIENCE, check=True).stdout
    words = " ".join(f"'{word}'" for word in shell_words)
    ask = f'COMP_WORDS=({words}); COMP_CWORD={len(shell_words) - 1}; _ringfence; echo "${{COMPREPLY[*]}}"'
    done = subprocess.run(["bash", "-c", script + ask], capture_output=True, text=True, timeout=PATIENCE,
                          check=True)
    return set(done.stdout.split())


def test_completion_offers_the_options_of_each_command(world):
    show, verify, send = (completed(world, ["ringfence", "log", *more, "--"])
                          for more in ([], ["verify"], ["send"]))
    assert "--verdict" in show and not {"--anchors", "--to"} & show, show
    assert "--anchors" in verify and not {"--verdict", "--to", "--follow"} & verify, verify
    assert {"--to", "--follow"} <= send and not {"--verdict", "--anchors"} & send, send
    assert completed(world, ["ringfence", "log", ""]) == {"verify", "send"}
    assert completed(world, ["ringfence", "log", "--verdict", "d"]) == {"deny"}
    assert "--relay" in completed(world, ["ringfence", "layout", "--"])


# -- verifying -------------------------------------------------------------------------------------


def test_concurrent_hooks_and_rotation_keep_the_log_sound(world):
    set_policy(world, rotate="4K")
    many_calls(world, 160)
    assert len(files_of(world)) > 5
    report = verified(world, 0)
    assert report["lines"] == 160 and report["files"] == len(files_of(world)), report
    assert report["begins_at_start"] and not report["breaks"], report
    assert len(world.run("log", "--json").stdout.splitlines()) == 160


def test_verify_locates_every_changed_line(world):
    set_policy(world, rotate="2K")
    for number in range(24):
        call(world, number)
    files = files_of(world)
    assert len(files) > 3
    verified(world, 0)
    for file in files:
        before = file.read_bytes()
        lines = before.splitlines(keepends=True)
        for at in range(len(lines)):
            is_last = file == files[-1] and at == len(lines) - 1
            is_first = file == files[0] and at == 0
            changes = {
                "edited": lines[:at] + [lines[at].replace(b'"us":', b'"us":1')] + lines[at + 1:],
                "removed": lines[:at] + lines[at + 1:],
                "doubled": lines[:at + 1] + lines[at:],
                "swapped": lines[:at] + lines[at:at + 2][::-1] + lines[at + 2:],
            }
            for kind, changed in changes.items():
                if changed == lines or (is_last and kind in ("edited", "removed")):
                    continue
                file.write_bytes(b"".join(changed))
                if is_first and kind == "removed":
                    assert not verified(world, 0)["begins_at_start"]
                    continue
                faults = verified(world, 1)["breaks"]
                assert faults, f"{kind} {file.name}:{at + 1}"
                place = (pathlib.Path(faults[0]["file"]), faults[0]["line"])
                near = [(file, at + 1), (file, at + 2), (files[min(files.index(file) + 1, len(files) - 1)], 1)]
                assert place in near, f"{kind} {file.name}:{at + 1}: {faults}"
        file.write_bytes(before)
    verified(world, 0)


def test_verify_reports_a_missing_file(world):
    set_policy(world, rotate="1K")
    for number in range(12):
        call(world, number)
    first, second, *_ = files_of(world)
    kept = second.read_bytes()
    second.unlink()
    assert verified(world, 1)["breaks"][0]["line"] == 1
    second.write_bytes(kept)
    first.unlink()
    assert verified(world, 0)["begins_at_start"] is False
    assert "it begins in the middle" in world.run("log", "verify").stdout


def test_torn_lines_do_not_break_the_chain(world):
    set_policy(world)
    for number in range(3):
        call(world, number)
        with open(log_of(world), "ab") as log:
            log.write(b'{"time":"2026-10-14T17:46:40.1')
    call(world, 4)
    report = verified(world, 0)
    assert report["torn"] == 3 and report["lines"] == 7, report
    lines = log_of(world).read_bytes().splitlines(keepends=True)
    log_of(world).write_bytes(b"".join(lines[:1] + lines[2:]))  # a torn line
    verified(world, 1)
    log_of(world).write_bytes(b"".join(lines[:2] + lines[3:]))  # the complete line between two
    verified(world, 1)


def test_a_file_without_entries_is_not_sound(world):
    set_policy(world)
    for number in range(3):
        call(world, number)
    altered = b"".join(b"x" + line for line in reversed(log_of(world).read_bytes().splitlines(keepends=True)))
    for text in (altered, b'{"version": 1}\n'):
        (world.project / "other.jsonl").write_bytes(text)
        report = verified(world, 1, "--file", "other.jsonl")
        assert report["breaks"][0]["line"] == 1 and "an entry of a log" in report["breaks"][0]["what"], report


def test_a_held_lock_does_not_prevent_log_lines(world):
    set_policy(world, required=True)
    call(world)
    holder = os.open(log_of(world), os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    many_calls(world, 16)
    os.close(holder)
    call(world)
    report = verified(world, 0)
    assert report["lines"] == 18 and report["unlocked"] == 16, report


def test_rotated_files_are_read_in_the_order_of_the_chain(world):
    set_policy(world, rotate="1K")
    for number in range(12):
        call(world, number)
    names = files_of(world)[:-1]
    whole = lines_of(world)
    for name in names:
        name.rename(str(name) + ".aside")
    for number, name in enumerate(names):
        pathlib.Path(str(name) + ".aside").rename(names[len(names) - 1 - number])
    verified(world, 0)
    assert world.run("log", "--json").stdout.encode().splitlines() == whole


def test_files_outside_the_chain_are_reported(world):
    set_policy(world, rotate="1K")
    for number in range(12):
        call(world, number)
    first, second, third, *_ = files_of(world)
    added = pathlib.Path(f"{log_of(world)}.29991124T071503.999999999Z")
    for content in (second.read_bytes(), b'{"a":1}\n', b"\0" * 4096):
        added.write_bytes(content)
        report = verified(world, 1)
        assert [pathlib.Path(fault["file"]) for fault in report["breaks"]] == [added], report
        assert report["files"] == len(files_of(world)), report
        assert f"{added} does not belong to the chain" in world.run("log").stderr
    added.unlink()
    # The log continues from the end of an early file, and a later file is missing.
    whole = lines_of(world)
    last = first.read_bytes().splitlines()[-1]
    forged = last[:-66] + hashlib.sha256(last).hexdigest().encode() + last[-2:]
    second.unlink()
    log_of(world).write_bytes(forged + b"\n")
    report = verified(world, 1)
    assert report["files"] == len(files_of(world)) and report["lines"] == len(lines_of(world)), report
    assert third.name in str(report["breaks"]), report
    shown = world.run("log", "--json").stdout.encode().splitlines()
    assert third.read_bytes().splitlines()[0] in shown and len(shown) < len(whole), shown


# -- anchors ---------------------------------------------------------------------------------------


class SystemLog:
    """A directory that a hook finds as /run/systemd/journal, or a socket that it finds as
    /dev/log, in a separate mount namespace."""

    def __init__(self, world):
        self.world = world
        self.folder = world.base / "system"
        self.folder.mkdir(exist_ok=True)

    def socket(self, name="socket"):
        (self.folder / name).unlink(missing_ok=True)
        server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        server.bind(str(self.folder / name))
        server.settimeout(0.05)
        return server

    def run(self, *command, kind="journal", stdin=b"", check=True):
        """`command` with the directory in place of this machine's."""
        # A file system in memory covers both on the host.
        if kind == "journal":
            script = ('mount -t tmpfs none /run && mkdir -p /run/systemd/journal && '
                      'mount --bind "$0" /run/systemd/journal && exec "$@"')
        else:
            script = ('mount -t tmpfs none /run && mount -t tmpfs none /mnt && '
                      'for device in null zero urandom; do touch /mnt/$device && '
                      'mount --bind /dev/$device /mnt/$device; done && touch /mnt/log && '
                      'mount --bind "$0/log" /mnt/log && mount --rbind /mnt /dev && exec "$@"')
        done = subprocess.run(
            ["unshare", "-rm", "sh", "-c", script, str(self.folder), *map(str, command)],
            input=stdin, capture_output=True, timeout=PATIENCE, check=False,
            env=environment(self.world), cwd=self.world.project)
        assert not check or done.returncode == 0, done
        return done

    def call(self, number=0, kind="journal", **more):
        return self.run(self.world.programs.hook, kind=kind, stdin=event(self.world, number, **more))


def system_log(here):
    log = SystemLog(here)
    (log.folder / "log").touch()
    for kind in ("journal", "syslog"):
        tried = log.run("true", kind=kind, check=False)
        if tried.returncode != 0:
            pytest.skip(f"no mount namespace: {tried.stderr.decode().strip()[:100]}")
    (log.folder / "log").unlink()
    return log


def received(server):
    datagrams = []
    with contextlib.suppress(TimeoutError):
        while True:
            datagrams.append(server.recv(1 << 20))
    return datagrams


def journal_fields(datagram):
    """The format described in systemd's documentation of the native protocol."""
    fields = []
    while datagram:
        line, _, rest = datagram.partition(b"\n")
        name, equals, value = line.partition(b"=")
        if not equals:
            size = int.from_bytes(rest[:8], "little")
            value, rest = rest[8:8 + size], rest[8 + size + 1:]
        assert re.fullmatch(rb"[A-Z][A-Z0-9_]*", name), name
        fields.append((name.decode(), value.decode()))
        datagram = rest
    assert len(dict(fields)) == len(fields), fields
    return dict(fields)


def anchor_of(message, word="anchor"):
    assert message.startswith(f"audit {word} "), message
    return json.loads(message[len(f"audit {word} "):])


def test_hooks_send_anchors_to_journald_at_intervals(world):
    log = system_log(world)
    set_policy(world, system_log="anchors", rotate="8K")
    server = log.socket()
    log.call()
    [datagram] = received(server)
    fields = journal_fields(datagram)
    assert fields["SYSLOG_IDENTIFIER"] == "ringfence" and fields["PRIORITY"] == "6", fields
    anchor = anchor_of(fields["MESSAGE"])
    first = log_of(world).read_bytes()
    assert anchor["file"] == str(log_of(world)) and anchor["end"] == len(first), anchor
    assert anchor["digest"] == hashlib.sha256(first.rstrip(b"\n")).hexdigest(), anchor
    for number in range(5):
        log.call(number)
    assert not received(server)
    # The previous line belongs to an earlier quarter of an hour.
    os.utime(log_of(world), (time.time() - 3600,) * 2)
    log.call(6)
    assert len(received(server)) == 1
    while len(files_of(world)) == 1:
        log.call(7)
    anchors = [anchor_of(journal_fields(datagram)["MESSAGE"]) for datagram in received(server)]
    assert len(anchors) == 1 and anchors[0]["end"] == log_of(world).stat().st_size, anchors


def test_each_64_kilobytes_have_an_anchor(world):
    log = system_log(world)
    set_policy(world, system_log="anchors")
    server = log.socket()
    call(world)
    line = log_of(world).read_bytes()
    log_of(world).write_bytes(line * ((65536 - 100) // len(line)))
    received(server)
    log.call()
    log.call()
    assert 65536 - log_of(world).stat().st_size < 0
    anchors = [anchor_of(journal_fields(datagram)["MESSAGE"]) for datagram in received(server)]
    assert len(anchors) == 1 and anchors[0]["end"] > 65536, anchors


def test_without_journald_anchors_go_to_dev_log(world):
    log = system_log(world)
    set_policy(world, system_log="anchors")
    server = log.socket("log")
    log.call(kind="syslog")
    [datagram] = received(server)
    match = re.fullmatch(rb"<86>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d ringfence\[\d+\]: (.*)", datagram)
    assert match, datagram
    assert anchor_of(match[1].decode())["end"] == log_of(world).stat().st_size


def test_system_log_can_send_every_line_or_nothing(world):
    log = system_log(world)
    server = log.socket()
    set_policy(world, system_log="lines")
    for number in range(4):
        log.call(number, session_id='s\n<0>root: "x"\u202e')
    messages = [journal_fields(datagram)["MESSAGE"] for datagram in received(server)]
    sent = [anchor_of(message, "line") for message in messages]
    assert [entry["line"] for entry in sent] == [json.loads(line) for line in lines_of(world)], sent
    assert all(message.isascii() and message.isprintable() for message in messages), messages
    set_policy(world, system_log="off")
    log_of(world).unlink()
    log.call()
    assert not received(server)


def test_a_stuck_system_log_does_not_block_hooks(world):
    log = system_log(world)
    set_policy(world, system_log="lines", required=True)
    server = log.socket()
    for number in range(40):  # more than the queue holds
        log.call(number)
    assert len(lines_of(world)) == 40
    assert 0 < len(received(server)) < 40
    server.close()
    log.call()  # there is no receiver
    assert len(lines_of(world)) == 41


def test_a_line_without_an_anchor_adds_no_system_call(world):
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    counts = {}
    for mode in ("off", "anchors", "lines"):
        set_policy(world, system_log=mode)
        call(world)  # this quarter of an hour has a line
        trace = world.base / f"trace.{mode}"
        done = subprocess.run(["strace", "-f", "-o", trace, world.programs.hook], input=event(world),
                              env=environment(world), cwd=world.project, capture_output=True,
                              timeout=PATIENCE, check=False)
        if done.returncode != 0:
            pytest.skip(f"strace cannot trace: {done.stderr.decode()[:100]}")
        counts[mode] = [line.split(maxsplit=1)[1].split("(")[0]
                        for line in trace.read_text().splitlines()]
    assert counts["anchors"] == counts["off"], counts
    assert "socket" in counts["lines"] and len(counts["lines"]) <= len(counts["off"]) + 6, counts


def test_anchors_from_syslog_reveal_cuts_and_rewrites(world):
    log = system_log(world)
    set_policy(world, system_log="lines", rotate="1K")
    server = log.socket("log")
    written = world.write(world.base / "syslog", b"noise \xff\n")
    for number in range(12):
        log.call(number, kind="syslog")
        with open(written, "ab") as file:
            file.writelines(b"Oct 14 17:46:40 host " + datagram[20:] + b"\n" for datagram in received(server))
    report = verified(world, 0, "--anchors", written)
    assert report["anchors"]["covered"] == 12 and len(files_of(world)) > 2, report
    call(world)
    assert verified(world, 0, "--anchors", written)["anchors"]["covered"] == 12
    said = world.run("log", "verify", "--anchors", written).stdout
    assert re.search(r"lines 1 to 12, up to \S+Z, are covered by anchors, the 1 after them only by the chain", said)
    # The end is cut off: the last file, and a line of the one before.
    *_, before, last = files_of(world)
    last.unlink()
    before.write_bytes(b"".join(before.read_bytes().splitlines(keepends=True)[:-1]))
    verified(world, 0)
    assert verified(world, 1, "--anchors", written)["anchors"]["missing"]
    assert "changed or cut since then, or someone forged" in \
        world.run("log", "verify", "--anchors", written).stdout
    # Everything is rewritten, with a valid chain.
    for file in files_of(world):
        file.unlink()
    for number in range(3):
        call(world, number)
    verified(world, 0)
    assert len(verified(world, 1, "--anchors", written)["anchors"]["missing"]) == 12
    # The same log under another name.
    log_of(world).rename(world.base / "moved")
    moved = ("--file", world.base / "moved", "--anchors", written)
    assert verified(world, 0, *moved)["anchors"]["read"] == 0
    verified(world, 1, *moved, "--anchored-as", log_of(world))


def anchor_file(world, only=lambda number: True):
    """Returns what a syslog daemon would write about the current log: the first line of each
    file, and each other wanted line."""
    text = ""
    for file in files_of(world):
        end = 0
        for number, line in enumerate(file.read_bytes().splitlines()):
            end += len(line) + 1
            if number == 0 or only(number):
                anchor = {"file": str(log_of(world)), "time": json.loads(line)["time"], "end": end,
                          "digest": hashlib.sha256(line).hexdigest()}
                text += f"Oct 14 17:46:40 host ringfence[1]: audit anchor {json.dumps(anchor, separators=(',', ':'))}\n"
    return world.write(world.base / "auth.log", text)


def rewrite_log(world, before, **changes):
    """The whole log with other verdicts and a valid chain, after the digest `before`."""
    for file in files_of(world):
        lines = []
        for line in map(json.loads, file.read_bytes().splitlines()):
            line |= {**changes, "verdict": "permit", "chain": before}
            lines.append(json.dumps(line, separators=(",", ":")).encode())
            before = hashlib.sha256(lines[-1]).hexdigest()
        file.write_bytes(b"".join(line + b"\n" for line in lines))


def test_anchors_reveal_a_rewritten_log(world):
    set_policy(world, rotate="1K")
    for number in range(12):
        call(world, number)
    anchors = anchor_file(world)
    verified(world, 0, "--anchors", anchors)
    rewrite_log(world, "ab" * 32, time="2099-01-01T00:00:00.000Z")
    verified(world, 0)
    report = verified(world, 1, "--anchors", anchors)
    assert report["anchors"]["met"] == report["anchors"]["before"] == 0, report
    assert re.search(r"none of the \d+ anchors has its line", world.run("log", "verify", "--anchors", anchors).stdout)


def test_old_files_may_be_removed_but_not_their_first_lines(world):
    set_policy(world, rotate="2K")
    for number in range(24):
        call(world, number)
    anchors = anchor_file(world, only=lambda number: number == 2)
    first, second, *_ = files_of(world)
    lines = first.read_bytes().splitlines(keepends=True)
    assert len(lines) > 3
    for gone in range(1, len(lines)):
        first.write_bytes(b"".join(lines[gone:]))
        report = verified(world, 1, "--anchors", anchors)
        assert [fault["file"] for fault in report["breaks"]] == [str(first)], (gone, report)
    said = world.run("log", "verify").stdout
    assert "(older files were removed, or lines cut out)" in said, said
    first.unlink()
    report = verified(world, 0, "--anchors", anchors)
    assert report["anchors"]["before"] == 2 and not report["anchors"]["missing"], report
    second.unlink()
    verified(world, 0, "--anchors", anchors)


def test_verify_suggests_anchored_as_for_a_moved_log(world):
    set_policy(world)
    call(world)
    anchors = anchor_file(world)
    moved = log_of(world).rename(world.base / "moved")
    said = world.run("log", "verify", "--file", moved, "--anchors", anchors).stdout
    assert str(log_of(world)) in said and "--anchored-as" in said, said


JOURNAL_SCRIPT = """
mount -t tmpfs none /run && mount -t tmpfs none /var/log && mkdir -p /run/systemd/journal /run/log/journal || exit 9
"$0" > /dev/null 2>&1 &
journald=$!
waited=0
until [ -S /run/systemd/journal/socket ]; do
  [ $((waited += 1)) -lt 100 ] && kill -0 $journald || exit 9
  sleep 0.1
done
sh -c "$1"
status=$?
kill $journald
wait $journald
exit $status
"""


def with_journald(here, script):
    """Runs a script beside a real systemd-journald, both in their own namespace."""
    if not os.path.exists(JOURNALD) or not os.path.exists("/usr/bin/journalctl"):
        pytest.skip("systemd-journald is not installed")
    done = subprocess.run(["unshare", "-rm", "sh", "-c", JOURNAL_SCRIPT, JOURNALD, script],
                          capture_output=True, timeout=2 * PATIENCE, check=False,
                          env=environment(here), cwd=here.project)
    if done.returncode == 9:
        pytest.skip(f"systemd-journald cannot be started by hand: {done.stderr.decode()[:200]}")
    return done


def test_anchors_in_a_real_journald_reveal_a_cut(world):
    set_policy(world, system_log="lines")
    (world.base / "event").write_bytes(event(world))
    for name in ("kept", "cut"):
        (world.base / name).mkdir()
    log, ringfence = log_of(world), world.programs.ringfence
    verify = f"{ringfence} log verify --json --home {world.home} --anchors journal"
    done = with_journald(world, f"""
for i in 1 2 3 4 5 6; do {world.programs.hook} < {world.base}/event || exit 1; done
for i in $(seq 100); do
  [ "$(journalctl -q --no-pager -t ringfence | grep -c 'audit line')" -ge 6 ] && break; sleep 0.1
done
{verify} > {world.base}/kept/report
echo $? > {world.base}/kept/status
head -n 4 {log} > {log}.x && cat {log}.x > {log}
{verify} > {world.base}/cut/report
echo $? > {world.base}/cut/status
{ringfence} log send --to journald --home {world.home}
for i in $(seq 100); do
  [ "$(journalctl -q --no-pager RINGFENCE_TOOL=Write | grep -c PreToolUse)" -ge 4 ] && exit 0; sleep 0.1
done
exit 1
""")
    assert done.returncode == 0, done
    report = json.loads((world.base / "kept/report").read_text())
    assert (world.base / "kept/status").read_text() == "0\n" and report["sound"], report
    assert report["anchors"]["read"] == report["anchors"]["covered"] == 6, report
    report = json.loads((world.base / "cut/report").read_text())
    assert (world.base / "cut/status").read_text() == "1\n" and not report["breaks"], report
    assert len(report["anchors"]["missing"]) == 2, report


# -- sending ---------------------------------------------------------------------------------------


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Rsyslog:
    """A real rsyslogd on loopback, with its own configuration."""

    def __init__(self, world):
        if not os.path.exists(RSYSLOGD):
            pytest.skip("rsyslogd is not installed")
        self.folder = world.base / "rsyslog"
        self.folder.mkdir()
        self.out = self.folder / "out"
        self.socket = self.folder / "log"
        self.tcp, self.udp = free_port(socket.SOCK_STREAM), free_port(socket.SOCK_DGRAM)
        (self.folder / "conf").write_text(f"""
global(workDirectory="{self.folder}" maxMessageSize="256k")
module(load="imtcp")
module(load="imudp")
module(load="imuxsock" SysSock.Use="off")
input(type="imtcp" address="127.0.0.1" port="{self.tcp}")
input(type="imudp" address="127.0.0.1" port="{self.udp}")
input(type="imuxsock" Socket="{self.socket}" CreatePath="off")
template(name="all" type="list") {{
  property(name="pri") constant(value="\\t") property(name="timereported" dateFormat="rfc3339")
  constant(value="\\t") property(name="app-name") constant(value="\\t") property(name="msgid")
  constant(value="\\t") property(name="structured-data") constant(value="\\t")
  property(name="msg") constant(value="\\n")
}}
action(type="omfile" file="{self.out}" template="all")
""")
        self.daemon = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self.daemon = subprocess.Popen(
            [RSYSLOGD, "-n", "-f", self.folder / "conf", "-i", self.folder / "pid"],
            stdout=subprocess.DEVNULL, stderr=open(self.folder / "err", "wb"))
        until(self.listens, "rsyslogd")

    def listens(self):
        assert self.daemon.poll() is None, (self.folder / "err").read_text()[:500]
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.tcp)) == 0 and self.socket.exists()

    def stop(self):
        self.daemon.terminate()
        self.daemon.wait(PATIENCE)

    def entries(self):
        if not self.out.exists():
            return []
        entries = [line.split("\t") for line in self.out.read_text().splitlines()]
        return [entry for entry in entries if len(entry) == 6 and entry[2] == "ringfence"]


def test_lines_arrive_at_a_real_rsyslogd_by_tcp_and_udp(world):
    set_policy(world, rotate="2K")
    for number in range(8):
        call(world, number, session_id="\u00e9")
    with Rsyslog(world) as rsyslog:
        for place in (f"syslog://127.0.0.1:{rsyslog.tcp}", f"syslog+udp://127.0.0.1:{rsyslog.udp}"):
            rsyslog.out.unlink(missing_ok=True)
            rsyslog.stop()
            rsyslog.start()
            done = world.run("log", "send", "--to", place)
            assert done.returncode == 0, done
            until(lambda: len(rsyslog.entries()) == 8, "8 lines")
            for entry, line in zip(rsyslog.entries(), map(json.loads, lines_of(world))):
                pri, when, _, msgid, data, message = entry
                assert json.loads(message) == line, message
                assert pri == ("84" if line["verdict"] == "deny" else "86"), entry
                assert when.startswith(line["time"][:19]) and msgid == "PreToolUse", entry
                assert data.startswith('[origin software="ringfence" swVersion="'), data


def test_send_resumes_from_its_state_and_after_an_outage(world):
    set_policy(world, rotate="2K")
    state = world.base / "sent"
    for number in range(4):
        call(world, number)
    with Rsyslog(world) as rsyslog:
        place = f"syslog://127.0.0.1:{rsyslog.tcp}"
        assert world.run("log", "send", "--to", place, "--state", state).returncode == 0
        call(world)
        assert world.run("log", "send", "--to", place, "--state", state).returncode == 0
        until(lambda: len(rsyslog.entries()) >= 5, "5 lines")
        assert [json.loads(entry[5]) for entry in rsyslog.entries()] == list(map(json.loads, lines_of(world)))
        sender = subprocess.Popen(
            [world.programs.ringfence, "log", "send", "--to", place, "--state", state, "--follow",
             "--home", str(world.home)], cwd=world.project, env={"PATH": "/usr/bin:/bin"},
            stderr=subprocess.PIPE)
        call(world)
        until(lambda: len(rsyslog.entries()) == 6, "6 lines")
        rsyslog.stop()
        for number in range(5):
            call(world, number)
        time.sleep(0.5)  # its retries fail
        rsyslog.start()
        until(lambda: len(rsyslog.entries()) >= 11, "11 lines")
        sender.terminate()
        assert sender.wait(PATIENCE) == 0, sender.stderr.read()
        assert b"retrying" in sender.stderr.read()
    assert [json.loads(entry[5]) for entry in rsyslog.entries()] == list(map(json.loads, lines_of(world)))
    assert json.loads(state.read_text()) == {"sent": hashlib.sha256(lines_of(world)[-1]).hexdigest()}
    state.write_text("{")
    error_of(world.run("log", "send", "--to", place, "--state", state), 2, "was not written by")


def test_send_without_a_server_fails_and_saves_no_state(world):
    set_policy(world)
    call(world)
    state = world.base / "sent"
    done = world.run("log", "send", "--to", f"syslog://127.0.0.1:{free_port(socket.SOCK_STREAM)}",
                     "--state", state)
    assert done.returncode == 2 and "connect(the log's receiver)" in done.stderr, done
    assert not state.exists()


def test_send_to_a_closed_udp_port_fails_and_saves_no_state(world):
    set_policy(world)
    state = world.base / "sent"
    for count in (1, 8):  # the refusal comes after the last one, or in between
        for number in range(count):
            call(world, number)
        done = world.run("log", "send", "--to", f"syslog+udp://127.0.0.1:{free_port(socket.SOCK_DGRAM)}",
                         "--state", state)
        assert done.returncode == 2 and not state.exists(), done
        assert "ECONNREFUSED" in done.stderr and done.stderr.count("retrying") == 1, done


def test_udp_send_resumes_when_the_server_returns(world):
    set_policy(world)
    state = world.base / "sent"
    for number in range(4):
        call(world, number)
    port = free_port(socket.SOCK_DGRAM)
    with subprocess.Popen(
            [world.programs.ringfence, "log", "send", "--to", f"syslog+udp://127.0.0.1:{port}", "--state", state,
             "--follow", "--home", str(world.home)], cwd=world.project, env={"PATH": "/usr/bin:/bin"},
            stderr=subprocess.PIPE) as sender:
        assert b"ECONNREFUSED; retrying" in sender.stderr.readline()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
            server.bind(("127.0.0.1", port))
            server.settimeout(PATIENCE)
            got = [server.recv(1 << 16) for _ in range(4)]
            assert [json.loads(line[line.index(b"{"):]) for line in got] == list(map(json.loads, lines_of(world)))
            until(state.exists, "the place")
            # The log is truncated in between.
            os.truncate(log_of(world), 0)
            assert b"was cut while it was read" in sender.stderr.readline()
            call(world, 5)
            assert lines_of(world)[0].split(b'"chain"')[0] in server.recv(1 << 16)
        sender.terminate()
        assert sender.wait(PATIENCE) == 0, sender.stderr.read()


def test_send_to_journald_sets_searchable_fields(world):
    log = system_log(world)
    set_policy(world)
    for number in range(4):
        call(world, number)
    server = log.socket()
    log.run(world.programs.ringfence, "log", "send", "--to", "journald", "--home", world.home)
    entries = [journal_fields(datagram) for datagram in received(server)]
    assert [json.loads(entry["MESSAGE"]) for entry in entries] == list(map(json.loads, lines_of(world)))
    assert [entry["PRIORITY"] for entry in entries] == ["6", "4", "6", "4"], entries
    assert entries[1]["RINGFENCE_VERDICT"] == "deny" and entries[1]["RINGFENCE_TOOL"] == "Write", entries


def test_a_real_rsyslogd_accepts_lines_from_dev_log(world):
    log = system_log(world)
    set_policy(world, system_log="lines")
    with Rsyslog(world) as rsyslog:
        os.link(rsyslog.socket, log.folder / "log")
        for number in range(4):
            log.call(number, kind="syslog")
        until(lambda: len(rsyslog.entries()) == 4, "4 lines")
        assert all(entry[0] == "86" for entry in rsyslog.entries())
    report = verified(world, 0, "--anchors", rsyslog.out)
    assert report["anchors"]["covered"] == 4, report


def test_a_log_that_is_not_a_file_or_is_empty(world):
    set_policy(world)
    call(world)
    log = world.state / "audit.jsonl"
    log.write_text("")
    verified = world.run("log", "verify")
    assert verified.returncode == 1 and "not sound" in verified.stdout and ":1" in verified.stdout, verified
    for make in (log.mkdir, lambda: log.symlink_to("/etc/hosts"), lambda: os.mkfifo(log)):
        (log.rmdir if log.is_dir() and not log.is_symlink() else log.unlink)()
        make()
        error_of(world.run("log"), 2, "is not a regular file", "move it away")
        said = call(world).stderr.decode()
        assert "this decision is not logged" in said and "ringfence doctor" in said, said
        assert "is not a regular file" in world.run("doctor").stdout
    log.unlink()
    assert not call(world).stderr
    assert "is not a regular file" not in world.run("doctor").stdout
