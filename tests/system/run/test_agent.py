"""Runs an agent in `ringfence run`, with a script in place of the client: the files that it may
save, and those that it must not touch.
"""

import json
import re
import shutil

import pytest

from sandbox import Sandbox, nested

pytestmark = pytest.mark.users("ordinary", "root")

# Saves ~/.claude.json as the client does.
SAVE = """
import os
home = os.path.expanduser("~")
file = home + "/.claude.json"
os.mkdir(file + ".lock")
os.utime(file + ".lock")
temporary = os.open(file + ".tmp.1.ab", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
os.write(temporary, b"{\\"saved\\": 1}")
os.fchmod(temporary, 0o640)
os.close(temporary)
os.stat(file + ".tmp.1.ab")
os.rename(file + ".tmp.1.ab", file)
os.rmdir(file + ".lock")
"""


def slug(path):
    return re.sub(r"[^A-Za-z0-9-]", "-", str(path))


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_agent_saves_its_file_in_a_home_that_is_not_writable(world):
    sandbox = Sandbox(world)
    before = names_in(world.home)
    done = sandbox.python(SAVE, "--agent")
    assert done.returncode == 0, done.stderr
    file = world.home / ".claude.json"
    assert json.loads(file.read_text()) == {"saved": 1}
    assert file.stat().st_mode & 0o777 == 0o640
    assert set(names_in(world.home)) - set(before) <= {".claude.json", ".local"}
    done = sandbox.python(SAVE, "--agent")  # again, over the existing file
    assert done.returncode == 0, done.stderr


def test_a_command_cannot_change_the_agents_files(world):
    sandbox = Sandbox(world)
    world.write(world.home / ".claude.json", "{}")
    done = sandbox.python(SAVE)
    assert done.returncode == 1 and "Read-only file system" in done.stderr, done.stderr
    lines = ["open('.claude.json', 'w')", "os.mkdir('.claude/todos')",
             "os.unlink('.claude.json')"]
    assert "done" not in sandbox.attempts(lines).values()
    assert (world.home / ".claude.json").read_text() == "{}"


def test_the_saved_file_gives_no_access_to_other_names_in_the_home(world):
    sandbox = Sandbox(world)
    world.write(world.home / ".bashrc", "mine\n")
    world.write(world.home / ".claude.json", "{}")
    (world.home / ".claude.json.link").symlink_to(".bashrc")
    (world.home / ".claude.json.new").symlink_to(".profile")
    works = ["os.mkdir('.claude.json.d')", "open('.claude.json.f', 'w').close()"]
    refused = [
        "open('.bashrc', 'a')", "open('.profile', 'w')", "open('.claude.jsonx', 'w')",
        "open('.claude.json.link', 'a')", "open('.claude.json.new', 'w')",
        "os.truncate('.claude.json.link', 0)", "os.chmod('.claude.json.link', 0o777)",
        "os.utime('.bashrc')", "os.utime('.claude.json.link')",
        "os.symlink('.bashrc', '.claude.json.s')", "os.mkfifo('.claude.json.p')",
        "open('.claude.json.d/x', 'w')", "open('.claude.json.d/../.profile', 'w')",
        "os.rename('.bashrc', '.claude.json.b')", "os.rename('.claude.json.f', '.profile')",
        "os.link('.bashrc', '.claude.json.b')", "os.link('.claude.json.f', '.profile')",
        "os.open('.claude.json.d', os.O_TMPFILE | os.O_RDWR)",
        "open('.profile', 'w', opener=lambda n, f: os.open(n, f, dir_fd="
        "os.open('.claude.json.d/..', os.O_RDONLY | os.O_DIRECTORY)))",
        "open('.profile', 'w', opener=lambda n, f: os.open('../' + n, f, dir_fd="
        "os.open('.claude.json.d', os.O_RDONLY | os.O_CREAT)))",
        "os.listdir('/dev/.ringfence/saved')", "open('/dev/.ringfence/saved/0/.profile', 'w')",
        "os.chmod('/dev/.ringfence/saved', 0o777)", "os.rename('.claude', '.claude.json.c')",
    ]
    became = sandbox.attempts(works + refused, "--agent")
    assert [line for line in works if became[line] != "done"] == [], became
    assert [line for line in refused if became[line] == "done"] == [], became
    assert (world.home / ".bashrc").read_text() == "mine\n"
    assert names_in(world.home) == [
        ".bashrc", ".claude", ".claude.json", ".claude.json.d", ".claude.json.f",
        ".claude.json.link", ".claude.json.new", ".local"], names_in(world.home)


def test_a_link_in_place_of_the_saved_file_is_not_replaced(world):
    sandbox = Sandbox(world)
    real = world.write(world.home / "dotfiles/claude.json", "{}")
    (world.home / ".claude.json").symlink_to(real)
    lines = ["open('.claude.json', 'w').write('{1}')", "os.unlink('.claude.json')",
             "open('dotfiles/other', 'w')"]
    became = sandbox.attempts(lines, "--agent")
    assert [became[line] == "done" for line in lines] == [True, False, False], became
    assert real.read_text() == "{1}"


def test_the_agent_keeps_its_state_but_not_its_settings(world):
    sandbox = Sandbox(world)
    world.write(world.home / ".claude/settings.json", "{}")
    world.write(world.home / ".claude/.credentials.json", "{}")
    world.write(world.home / ".claude/CLAUDE.md", "mine")
    world.write(world.home / ".claude/scripts/line", "mine")
    works = ["open('.claude/todos/x', 'w')", "open('.claude/history.jsonl', 'a')",
             "os.mkdir('.claude/.oauth_refresh.lock')", "os.rmdir('.claude/.oauth_refresh.lock')",
             "open('.claude/.credentials.json.tmp', 'w').close()",
             "os.rename('.claude/.credentials.json.tmp', '.claude/.credentials.json')"]
    refused = ["open('.claude/settings.json', 'a')", "open('.claude/settings.local.json', 'w')",
               "os.rename('.claude/settings.json', '.claude/x')", "os.mkdir('.claude/plugins')",
               "os.rename('.claude', '.claude2')", "os.rename('.claude/todos', '.claude/rules')",
               "open('.claude/CLAUDE.md', 'a')", "open('.claude/keybindings.json', 'w')",
               "os.mkdir('.claude/rules')", "open('.claude/scripts/line', 'a')",
               "os.mkdir('.claude/output-styles')", "open('.claude/new', 'w')",
               "os.rename('.claude/history.jsonl', '.claude/CLAUDE.md')",
               "os.link('.claude/history.jsonl', '.claude/rules.md')"]
    became = sandbox.attempts(works + refused, "--agent")
    assert [line for line in works if became[line] != "done"] == [], became
    assert [line for line in refused if became[line] == "done"] == [], became


def test_scripts_that_other_sessions_run_are_protected(world):
    sandbox = Sandbox(world)
    snapshot = world.write(world.home / ".claude/shell-snapshots/snapshot-bash-1-ab.sh", "mine\n")
    script = world.write(world.home / ".claude/statusline.sh", "mine\n")
    works = ["open('.claude/shell-snapshots/snapshot-bash-2-cd.sh', 'w').write('x')",
             "open('.claude/shell-snapshots/snapshot-bash-2-cd.sh').read()",
             "os.makedirs('.claude/session-env/s')"]
    refused = ["open('.claude/shell-snapshots/snapshot-bash-1-ab.sh').read()",
               "os.rename('.claude/shell-snapshots', '.claude/x')",
               "os.rmdir('.claude/shell-snapshots')", "open('.claude/statusline.sh', 'a')",
               "open('.claude/new.sh', 'w')", "os.mkdir('.claude/local')"]
    became = sandbox.attempts(works + refused, "--agent")
    assert [line for line in works if became[line] != "done"] == [], became
    assert [line for line in refused if became[line] == "done"] == [], became
    assert names_in(snapshot.parent) == [snapshot.name] and snapshot.read_text() == "mine\n"
    assert script.read_text() == "mine\n"
    assert names_in(world.home / ".claude/session-env") == []


def test_transcripts_of_this_project_are_kept_and_others_are_hidden(world):
    sandbox = Sandbox(world)
    other = world.write(world.home / ".claude/projects/-other/a.jsonl", "secret")
    own = f".claude/projects/{slug(world.project)}"
    works = [f"open('{own}/a.jsonl', 'w').write('x')", f"os.mkdir('{own}/memory')"]
    refused = ["open('.claude/projects/-other/a.jsonl')", "os.mkdir('.claude/projects/-new')",
               f"os.rename('{own}', '.claude/taken')"]
    became = sandbox.attempts(works + refused, "--agent")
    assert [line for line in works if became[line] != "done"] == [], became
    assert [line for line in refused if became[line] == "done"] == [], became
    assert other.read_text() == "secret"
    assert (world.home / own / "a.jsonl").read_text() == "x"
    assert (world.home / own).stat().st_mode & 0o777 == 0o700


def test_missing_state_directories_are_created(world):
    sandbox = Sandbox(world)
    (world.home / ".claude").rmdir()
    done = sandbox.python("import os; open(os.path.expanduser('~/.claude/plans/x'), 'w')", "--agent")
    assert done.returncode == 0, done.stderr
    assert (world.home / ".claude/plans/x").exists()
    assert {"projects", "session-env", "shell-snapshots", "todos"} <= set(
        names_in(world.home / ".claude"))


def test_a_program_with_the_agents_name_is_the_agent(world):
    sandbox = Sandbox(world)
    for name in ("claude", "other"):
        program = world.write(world.project / name, '#!/bin/sh\nfor last; do :; done\n'
                              'echo "$*" && echo x > ~/.claude/todos/$last\n')
        program.chmod(0o755)
    done = sandbox.run([str(world.project / "claude"), "a"])
    assert (done.returncode, done.stdout) == (0, '--settings {"sandbox":{"enabled":false}} a\n'), done
    assert (world.home / ".claude/todos/a").exists()
    for own in ([], ["--mode", "rwx"]):
        words = ["--settings=x", "a"] if not own else ["a"]
        assert sandbox.run([str(world.project / "claude"), *words], *own).stdout == " ".join(words) + "\n"
    assert sandbox.run([str(world.project / "other"), "b"]).returncode != 0
    inside = {"CLAUDECODE": "1"}  # its own commands are not the agent
    assert sandbox.run([str(world.project / "claude"), "c"], env=inside).returncode != 0
    assert names_in(world.home / ".claude/todos") == ["a"]


def test_a_home_below_tmp_is_read_only(world):
    sandbox = Sandbox(world)
    assert world.home.is_relative_to("/tmp"), world.home
    world.write(world.home / "notes", "mine")
    world.write(world.home / ".ssh/id_ed25519", "secret")
    lines = ["open('notes').read()", "open('notes', 'a')", "open('new', 'w')",
             "open('.ssh/id_ed25519')"]
    for options in ((), ("--agent",)):
        became = sandbox.attempts(lines, *options)
        assert [became[line] == "done" for line in lines] == [True, False, False, False], became


# -- the audit log of programs inside -------------------------------------------------------------

EVENT = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Read"}

# Sends each line of standard input to the launcher and prints the answers.
SEND = """
import socket, sys
for line in sys.stdin.read().splitlines():
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as launcher:
        launcher.settimeout(20)
        launcher.connect("/dev/.ringfence/log")
        launcher.send(eval(line))
        print(launcher.recv(1).decode())
"""


def log_lines(world):
    file = world.state / "audit.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def ask_the_hook(world, sandbox, path, *options):
    event = {**EVENT, "cwd": str(world.project), "tool_input": {"file_path": str(path)}}
    return sandbox.run([str(sandbox.hook), "--root", str(world.project)], *options,
                       text=json.dumps(event))


def test_lines_of_hooks_inside_reach_the_log(world):
    sandbox = Sandbox(world)
    done = ask_the_hook(world, sandbox, "/etc/shadow", "--agent")
    assert "deny" in done.stdout and not done.stderr, done
    start, line = log_lines(world)
    assert (start["event"], line["tool"], line["verdict"]) == ("SandboxStart", "Read", "deny")
    assert "inside" in line and "inside" not in start and line["chain"], line


def test_the_hook_finds_its_policy_if_only_listed_paths_are_readable(world):
    sandbox = Sandbox(world)
    world.write(world.policy, json.dumps({
        "version": 1, "tools": {"deny": ["Read"]}, "sandbox": {"reads": "listed"},
        "read": {"allow": ["."]}}))
    world.write(world.home / "notes", "mine")
    done = ask_the_hook(world, sandbox, world.project / "x", "--agent")
    assert "deny" in done.stdout and "policy.json" in done.stdout, done
    became = sandbox.attempts(["open('notes')", "open('.config/ringfence/policy.json')",
                               "open('.config/ringfence/policy.json', 'a')"], "--agent")
    assert list(became.values()) == ["FileNotFoundError", "done", "OSError"], became
    moved = world.policy.rename(world.home / "policy.json")
    world.policy.symlink_to(moved)
    done = ask_the_hook(world, sandbox, world.project / "x", "--agent")
    assert done.returncode == 2 and "by a link" in done.stderr, done


def test_a_required_log_gets_lines_from_inside(world):
    sandbox = Sandbox(world)
    world.write(world.policy, json.dumps({"version": 1, "audit": {"required": True}}))
    done = ask_the_hook(world, sandbox, world.project / "x", "--agent")
    assert done.returncode == 0, done
    assert [line.get("verdict") for line in log_lines(world)] == ["permit", "permit"]
    # One of the agent's commands is not the agent: its lines are rejected, and nothing is
    # permitted.
    done = ask_the_hook(world, sandbox, world.project / "x")
    assert done.returncode == 2 and "audit" in done.stderr, done


def test_only_audit_lines_are_accepted_from_inside(world):
    sandbox = Sandbox(world)
    good = '{"time":"t","event":"PreToolUse","tool":"Read","paths":["/x"],"verdict":"permit","us":1'
    bad = ["", "x", "{}", '{"time":"t"}', '{"time":"t","chain":"0"', '{"time":"t","inside":"x"',
           '{"time":"t","time":"u"', '{"time":"t"},{"time":"u"', good + "\n", good + ',"more":1',
           good + ',"why":[[1]]', '{"time":"t","why":"' + "x" * 70000 + '"', "{" * 100]
    done = sandbox.python(SEND, "--agent", text="".join(f"{line.encode()!r}\n"
                                                        for line in [good, *bad, good] if line))
    assert done.stdout.split() == ["1"] + ["0"] * (len(bad) - 1) + ["1"], done
    assert [line["event"] for line in log_lines(world)] == [
        "SandboxStart", "PreToolUse", "PreToolUse"]


def test_a_flood_of_lines_is_limited(world):
    sandbox = Sandbox(world)
    script = """
import socket
answers = b""
for _ in range(200):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as launcher:
        launcher.connect("/dev/.ringfence/log")
        launcher.send(b'{"time":"' + b"x" * 60000 + b'"')
        answers += launcher.recv(1)
print(answers.decode())
"""
    done = sandbox.python(script, "--agent")
    assert "10" in done.stdout and done.stdout.count("0") > 50, done
    assert (world.state / "audit.jsonl").stat().st_size < 8 << 20


def test_silent_connections_do_not_block_others(world):
    sandbox = Sandbox(world)
    script = """
import socket
def connect():
    launcher = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    launcher.connect("/dev/.ringfence/log")
    return launcher
silent = [connect() for _ in range(100)]
launcher = connect()
launcher.send(b'{"time":"t"')
print(launcher.recv(1).decode())
"""
    done = sandbox.python(script, "--agent")
    assert done.stdout == "1\n", done


def test_the_log_cannot_be_changed_from_inside(world):
    sandbox = Sandbox(world)
    sandbox.python("", "--agent")
    before = (world.state / "audit.jsonl").read_bytes()
    lines = ["open('.local/state/ringfence/audit.jsonl', 'a')",
             "os.unlink('.local/state/ringfence/audit.jsonl')",
             "os.rename('.local/state/ringfence', 'x')", "os.unlink('/dev/.ringfence/log')",
             "os.rename('/dev/.ringfence/log', '/dev/.ringfence/x')"]
    became = sandbox.attempts(lines, "--agent")
    assert "done" not in became.values(), became
    assert (world.state / "audit.jsonl").read_bytes().startswith(before)


# -- a sandbox inside a sandbox ---------------------------------------------------------------------

def test_a_nested_sandbox_cannot_change_the_agents_state(world):
    sandbox = Sandbox(world)
    home = world.home
    became = nested(world, sandbox, {}, [
        "open('x', 'w')", f"open('{home}/.claude/todos/x', 'w')",
        f"open('{home}/.claude.json', 'w')",
        f"os.mkdir('{home}/.claude.json.lock')", "os.mkdir('/tmp/x')"])
    assert [what == "done" for what in became] == [True, False, False, False, True], became
    assert not (home / ".claude.json").exists()


def test_a_nested_sandbox_enforces_its_own_write_rules(world):
    sandbox = Sandbox(world)
    (world.project / "sub").mkdir()
    world.write(world.project / "old", "old")
    refused = ["open('new', 'w')", "open('old', 'a')", "os.unlink('old')", "os.mkdir('folder')",
               "os.rename('old', 'sub/old')", "os.rename('sub', 'other')", "os.chmod('old', 0o777)",
               "os.truncate('old', 0)", "os.symlink('x', 'link')", "os.link('old', 'sub/hard')",
               "open('sub/denied', 'w')", "os.link('sub/a', 'b')"]
    policy = {"write": {"allow": ["sub"], "deny": ["sub/denied"]}}
    became = nested(world, sandbox, policy, ["open('sub/a', 'w')", "os.mkdir('sub/b')", *refused])
    assert became[:2] == ["done", "done"], became
    assert "done" not in became[2:], dict(zip(refused, became[2:]))
    assert (world.project / "old").read_text() == "old"


def test_a_nested_sandbox_enforces_its_own_read_rules(world):
    sandbox = Sandbox(world)
    world.write(world.project / "old", "old")
    # Paths outside /tmp, where the world is: the inner sandbox has its own /tmp.
    reads = ["open('/etc/passwd').read()", "os.listdir('/var')", "open('/etc/group').read()",
             "open('old').read()", "open('/tmp/x', 'w').write('x'); open('/tmp/x').read()",
             "open('/dev/null', 'w').write('x')", "import decimal"]
    read_all = ["done"] * len(reads)
    assert nested(world, sandbox, {}, reads) == read_all
    denied = nested(world, sandbox, {"read": {"deny": ["/etc/passwd"]}}, reads)
    assert denied[0] != "done" and denied[1:] == read_all[1:], denied
    listed = nested(world, sandbox, {"sandbox": {"reads": "listed"}, "read": {"allow": ["."]}},
                    reads)
    assert listed[1] != "done" and listed[2:] == read_all[2:], listed


def test_a_refusal_in_a_nested_sandbox_is_reported_once(world):
    sandbox = Sandbox(world)
    program = world.project / "ringfence"
    shutil.copy(world.programs.ringfence, program)
    done = sandbox.run([program, "run", "--", "sh", "-c", "echo x > .envrc"])
    told = [line for line in done.stderr.splitlines() if line.startswith("ringfence:")]
    assert len(told) == 1 and ".envrc" in told[0], done.stderr


def test_a_nested_sandbox_with_a_required_log_needs_the_outer_log(world):
    sandbox = Sandbox(world)
    program = world.project / "ringfence"
    shutil.copy(world.programs.ringfence, program)
    world.write(world.home / "inner.json", '{"version": 1, "audit": {"required": true}}')
    inner = [program, "run", "--policy", world.home / "inner.json", "--", "touch", "made"]
    done = sandbox.run(inner)
    assert done.returncode == 125 and "does not accept lines" in done.stderr, done
    assert not (world.project / "made").exists()
    assert sandbox.run(inner, "--agent").returncode == 0
    assert (world.project / "made").exists()


def test_a_nested_sandbox_cannot_be_left(world):
    sandbox = Sandbox(world)
    (world.project / "sub").mkdir()
    policy = {"write": {"allow": ["sub"]}}
    became = nested(world, sandbox, policy, [
        "import resource; resource.setrlimit(10, (5, 5))",
        "import resource; resource.prlimit(0, 10, (5, 5))", "open('new', 'w')",
        "import subprocess as s; s.run(['sh', '-c', 'echo > new 2> /dev/null']).check_returncode()"])
    assert "done" not in became, became
    assert not (world.project / "new").exists()


def test_rules_of_ended_nested_sandboxes_are_freed(world):
    sandbox = Sandbox(world)
    # More than the limit, each with its own rules.
    (world.project / "sub").mkdir()
    inner = world.project / "ringfence"  # visible in the outer sandbox
    shutil.copy(world.programs.ringfence, inner)
    loop = (f"for i in $(seq 1 300); do printf '{{\"version\":1,\"write\":{{\"allow\":"
            f"[\"sub\",\"sub%s\"]}}}}' $i > /tmp/policy;"
            f" {inner} run --policy /tmp/policy -- true || exit 1; done;"
            f" {inner} run --policy /tmp/policy -- sh -c 'echo x > sub/made; echo x > other'")
    done = sandbox.run(["sh", "-c", loop], "--agent")
    assert done.returncode != 0 and "ENOMEM" not in done.stderr, done
    assert (world.project / "sub/made").exists() and not (world.project / "other").exists()


def test_rules_from_inside_are_validated_and_cannot_be_removed(world):
    sandbox = Sandbox(world)
    script = r"""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def hand_over(text):
    file = os.memfd_create("rules")
    os.write(file, text)
    done = libc.linkat(file, b"", -100, b"/dev/.ringfence/rules", 0x1000)
    return 0 if done == 0 else ctypes.get_errno()
NONE = b"0\0" b"0\0" b"0\0" b"0\0" b"\0" b"\0"
print(hand_over(b""), hand_over(b"x"), hand_over(b"1\0"), hand_over(NONE + b"x"),
      hand_over(b"9" * 30 + NONE), hand_over(b"x" * (1 << 20)))
open("before", "w")
print([hand_over(NONE + b"") for _ in range(3)])
print(hand_over(b"0\0" b"1\0" b"0\0" b"0\0" b"0\0" b"\0" b"\0"))
try:
    open("after", "w")
    print("open")
except OSError:
    print("refused")
print(hand_over(NONE))
try:
    open("after", "w")
    print("open")
except OSError:
    print("refused")
"""
    done = sandbox.python(script, "--agent")
    assert done.stdout.splitlines() == [
        "22 22 22 22 22 22", "[0, 0, 0]", "0", "refused", "0", "refused"], done
    assert (world.project / "before").exists() and not (world.project / "after").exists()
