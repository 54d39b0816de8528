"""Escapes from `ringfence run` that once worked: each is tried from inside, and its effect is
checked from outside.
"""

import fcntl
import json
import os
import shlex
import shutil
import signal
import subprocess
import time

import pytest

from sandbox import Sandbox, nested
from terminal_session import TerminalSession

pytestmark = pytest.mark.users("ordinary", "root")

LANDLOCK = ("--layers", "landlock")
SECONDS = 20
# A config whose content makes git run a program.
EVIL = "[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = touch RAN\\n"
# Passes rules that exempt git's names in any work tree of this run.
RELAX = """
import ctypes, os, subprocess, sys
fields = ["4"]
for name in ("**/.git/config", "**/config.worktree", "**/commondir", "**/.git/worktrees/*/commondir"):
    fields += ["/", name, "", "why", "pans"]
fields += ["0", "0", "0", os.getcwd(), ""]
rules = os.memfd_create("rules")
os.write(rules, "".join(field + "\\0" for field in fields).encode())
taken = ctypes.CDLL(None).linkat(rules, b"", -100, b"/dev/.ringfence/rules", 0x1000)
def write(name, text):
    try:
        with open(name, "w") as file:
            file.write(text)
    except OSError:
        pass
"""
# Passes rules of a megabyte each, from processes that stay: prints the number of each error.
MANY_RULES = """
import collections, ctypes, json, os, signal
libc = ctypes.CDLL(None, use_errno=True)
counts, children = collections.Counter(), []
for i in range(40):
    rule = ["/", "x%d" % i + "y" * 150, "", "w", ""]
    fields = ["6000", *(rule * 6000), "0", "0", "0", "/", ""]
    rules = os.memfd_create("rules")
    os.write(rules, "".join(field + "\\0" for field in fields).encode())
    heard, told = os.pipe()
    child = os.fork()
    if child == 0:
        taken = libc.linkat(rules, b"", -100, b"/dev/.ringfence/rules", 0x1000)
        os.write(told, str(ctypes.get_errno() if taken else 0).encode())
        signal.pause()
    counts[os.read(heard, 9).decode()] += 1
    children.append(child)
    for end in (rules, heard, told):
        os.close(end)
for child in children:
    os.kill(child, signal.SIGKILL)
print(json.dumps(counts))
"""
# Removes the owner's rights by an access control list, like chmod, through each of the calls.
CLOSE_BY_LIST = """
import os, struct, sys
entries = ((1, 0), (4, 0), (0x20, 0))
nothing = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", t, r, 0xffffffff) for t, r in entries)
for name in sys.argv[1:]:
    held = os.open(name, os.O_RDONLY) if os.path.isdir(name) else name
    for place, more in ((name, {}), (name, {"follow_symlinks": False}), (held, {})):
        try:
            os.setxattr(place, "system.posix_acl_access", nothing, **more)
        except OSError:
            pass
"""


def policy_file(world, **policy):
    file = world.home / "policy.json"
    world.write(file, json.dumps({"version": 1, **policy}))
    return ("--policy", str(file))


def as_user(sandbox):
    return {} if sandbox.user is None else {"user": sandbox.user, "group": sandbox.user,
                                            "extra_groups": []}


def start_outside(sandbox, *command, **options):
    """A process of the user outside any sandbox."""
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, cwd="/", **as_user(sandbox), **options)


def end(process):
    process.kill()
    process.wait(SECONDS)


def wait_until(what, condition):
    until = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < until, f"never: {what}"
        time.sleep(0.02)


# -- the supervisor ---------------------------------------------------------------------------------

def test_the_supervisors_proc_files_cannot_be_opened(world):
    sandbox = Sandbox(world)
    world.write(world.home / ".bashrc", "mine\n")
    world.write(world.home / ".netrc", "secret\n")
    done = sandbox.python("""
import os
flags = (os.O_RDONLY, os.O_RDONLY | os.O_CREAT, os.O_PATH | os.O_CREAT, os.O_RDWR, os.O_WRONLY)
names = ["/proc/1/fd/%d" % n for n in range(40)] + ["/proc/1/task/1/fd/%d" % n for n in range(40)]
names += ["/proc/1/" + name for name in ("mem", "environ", "cwd", "root", "exe", "maps")]
for name in names:
    for flag in flags:
        try:
            opened = os.open(name, flag | os.O_NONBLOCK)
        except OSError:
            continue
        if flag == os.O_PATH | os.O_CREAT:  # a name, and no more
            try:
                print("listed", name, os.listdir(opened))
            except OSError:
                pass
            continue
        print("open", name, os.readlink("/proc/self/fd/%d" % opened))
    for call in (lambda: os.chmod(name, 0o777), lambda: os.truncate(name, 0),
                 lambda: os.link(name, "linked", follow_symlinks=True)):
        try:
            call()
            print("changed", name)
        except OSError:
            pass
""", "--agent")
    assert done.returncode == 0 and not done.stdout, done
    assert (world.home / ".bashrc").read_text() == "mine\n"


def test_rules_apply_in_a_closed_directory(world):
    """The name of a handle cannot be checked while its directory is closed."""
    sandbox = Sandbox(world)
    world.write(world.project / "tree/.git", "gitdir: /nowhere\n")
    for name in ("HEAD", "config", "objects/x", "refs/x"):
        world.write(world.project / "bare" / name, "as it was\n")
    done = sandbox.python("""
import os
for folder, name in (("tree", ".git"), ("bare", "config"), ("bare", "HEAD")):
    held = os.open(folder + "/" + name, os.O_RDONLY)
    for mode in (0, 0o600, 0o400):
        os.chmod(folder, mode)
        try:
            os.write(os.open("/proc/self/fd/%d" % held, os.O_WRONLY), b"changed")
            print("written", name, oct(mode))
        except PermissionError:
            pass
        os.chmod(folder, 0o755)
""")
    assert done.returncode == 0 and not done.stdout, done
    assert (world.project / "tree/.git").read_text() == "gitdir: /nowhere\n"
    assert (world.project / "bare/config").read_text() == "as it was\n"


def test_an_unlinked_file_stays_writable_for_its_holder(world):
    done = Sandbox(world).python("""
import os
held = os.open("gone", os.O_RDWR | os.O_CREAT)
os.unlink("gone")
os.write(os.open("/proc/self/fd/%d" % held, os.O_WRONLY), b"text")
os.fchmod(held, 0o600)
print(os.pread(held, 9, 0))
""")
    assert done.stdout == "b'text'\n", done


def test_a_nested_sandbox_cannot_open_processes_of_the_outer_one(world):
    sandbox = Sandbox(world)
    became = nested(world, sandbox, {}, [
        "import os; [os.open('/proc/%s/%s' % (p, n), f) for p in [os.getppid()]"
        f" for n in ['{name}'] for f in [os.{flags}]]"
        for name in ("mem", "environ", "maps", "fd/0", "fd/1")
        for flags in ("O_RDONLY | os.O_CREAT", "O_RDWR")])
    assert "done" not in became, became
    # The inner sandbox's own processes are open to it, as a debugger needs.
    own = nested(world, sandbox, {}, [
        "os.open('/proc/self/environ', os.O_RDONLY | os.O_CREAT)",
        "os.open('/proc/%d/mem' % os.getpid(), os.O_RDWR)",
        "import subprocess; p = subprocess.Popen(['sleep', '9']);"
        " os.open('/proc/%d/environ' % p.pid, os.O_RDONLY | os.O_CREAT); p.kill()"])
    assert own == ["done"] * 3, own


def test_many_blocked_opens_do_not_block_others(world):
    """A FIFO without a reader blocks processes that open it, and no others."""
    done = Sandbox(world).python("""
import errno, os, threading, time
os.mkfifo("fifo")
refused = []
def wait():
    try:
        os.close(os.open("fifo", os.O_WRONLY))
    except OSError as error:
        refused.append(error.errno)
threads = [threading.Thread(target=wait) for _ in range(600)]
for thread in threads:
    thread.start()
while len(refused) < 600 - 512:
    time.sleep(0.01)
for number in range(2000):
    os.close(os.open("file", os.O_WRONLY | os.O_CREAT))
    os.unlink("file")
with open("fifo"):  # until the last has closed it
    for thread in threads:
        thread.join()
print(len(refused), set(refused) == {errno.ENFILE})
""")
    assert done.stdout == "88 True\n", done


# -- names --------------------------------------------------------------------------------------------

def test_a_sessions_tmp_is_protected_like_the_project(world):
    """A ".git" file or a link in the project can lead other users there."""
    sandbox = Sandbox(world)
    subprocess.run(["git", "init", "-q", world.project], check=True)
    attack = (f"import os; t = os.environ.get('TMPDIR', '/tmp'); os.makedirs(t + '/evil/objects');"
              f" os.mkdir(t + '/evil/refs'); open(t + '/evil/config', 'w').write('{EVIL}');"
              f" open(t + '/evil/HEAD', 'w').write('ref: refs/heads/main')")
    for options in (("--session", "a"), ("--session", "b", *LANDLOCK), LANDLOCK):
        done = sandbox.python(attack, *options)
        assert done.returncode == 1 and "PermissionError" in done.stderr, done
        works = ("cd ${TMPDIR:-/tmp} && git init -q r && cd r && git config user.email a@b &&"
                 " git config user.name n && echo x > f && git add f && git commit -qm x &&"
                 " mkdir d && mv d e && ln -s f g && python3 -c 'import tempfile;"
                 " tempfile.TemporaryDirectory().cleanup()' && git log --format=%s")
        done = sandbox.run(["sh", "-c", works], *options)
        assert done.stdout == "x\n" and done.returncode == 0, done
        package = ("cd ${TMPDIR:-/tmp} && mkdir -p p/.github/workflows p/.vscode && echo x >"
                   " p/.github/workflows/ci.yml && echo x > p/.envrc && tar cf p.tar p && rm -r p &&"
                   " tar xf p.tar && mv p q")
        done = sandbox.run(["sh", "-c", package], *options)
        assert done.returncode == 0 and not done.stderr, done
    # Without a session, /tmp is removed with the sandbox, and everything in it is permitted.
    done = sandbox.python(attack)
    assert done.returncode == 0, done


def test_a_symbolic_link_cannot_get_a_protected_name(world):
    sandbox = Sandbox(world)
    script = """
import os
for folder in ("evil/workflows", "evil/hooks", "w"):
    os.makedirs(folder)
for name in ("settings.json", "mcp.json", "workflows/x.yml", "hooks/pre-commit"):
    open("evil/" + name, "w").write("x")
os.symlink("evil", "s")
for name in (".claude", ".cursor", ".github", "w/.claude", ".git", ".vscode"):
    for make in (lambda: os.link("s", name, follow_symlinks=False), lambda: os.symlink("evil", name),
                 lambda: os.rename("s", name)):
        try:
            make()
            print("made", name)
        except OSError:
            pass
os.link("s", "plain", follow_symlinks=False)
"""
    for options in ((), ("--session", "s"), LANDLOCK):
        done = sandbox.python(script, *options)
        assert done.returncode == 0 and not done.stdout, (options, done)
        assert (world.project / "plain").is_symlink()
        for name in ("evil", "w"):
            shutil.rmtree(world.project / name)
        for name in ("s", "plain"):
            (world.project / name).unlink()


def test_rules_passed_from_inside_cannot_weaken_the_outer_ones(world):
    """The outer rules still protect what the passed rules exempt in repositories of this run."""
    sandbox = Sandbox(world)
    make = RELAX + f"""
os.makedirs("new/.git/.git")
subprocess.run(["git", "init", "-q", "new"])
write("new/.git/config", "{EVIL}")
os.makedirs("new/.vscode/.git")
write("new/.vscode/.git/config", "{EVIL}")
os.makedirs(".git/worktrees/wt/.git")
os.makedirs("evil/objects")
os.makedirs("evil/refs")
write("evil/config", "{EVIL}")
write(".git/worktrees/wt/commondir", "../../../evil\\n")
print(taken)
"""
    for options in ((), LANDLOCK):
        for script in (make, make.replace("taken = ", "taken = 0 # ")):
            subprocess.run(["git", "init", "-q", world.project], check=True)
            done = sandbox.python(script, *options)
            assert done.stdout == "0\n", (options, done)
            texts = [file.read_text() for file in world.project.glob("**/.git/config")]
            assert texts and "fsmonitor" not in "".join(texts), (options, texts)
            led = world.project / ".git/worktrees/wt/commondir"
            assert not led.exists() or led.read_text() == "../..\n", (options, led.read_text())
            for name in (".git", "new", "evil"):
                shutil.rmtree(world.project / name)


def test_secrets_closed_by_one_run_are_hidden_in_the_next(world):
    """A command outside the view could open it again, and a run cannot stop others from
    starting."""
    sandbox = Sandbox(world)
    secrets = (".netrc", ".config/gh/hosts.yml", ".ssh/id")
    for name in secrets:
        world.write(world.home / name, "secret\n")
    names = f"{world.home}/.netrc {world.home}/.config/gh {world.home}/.ssh {world.home}/.config ."
    for options in ((), LANDLOCK):
        sandbox.run(["sh", "-c", f"chmod 0 {names}"], *options)
        done = sandbox.run(["sh", "-c", f"chmod 700 {names}; cd; cat {' '.join(secrets)}"], *options)
        assert "secret" not in done.stdout and "Permission denied" in done.stderr, (options, done)
        sandbox.run(["python3", "-c", CLOSE_BY_LIST, *names.split()], *options)
        done = sandbox.run(["sh", "-c", f"cd; cat {' '.join(secrets)}"], *options)
        assert "secret" not in done.stdout and done.returncode == 1, (options, done)
        assert world.home.stat().st_mode & 0o700 == 0o700
    for name in (".netrc", ".config/gh", ".ssh"):  # closed by the host
        os.chmod(world.home / name, 0)
    done = sandbox.run(["sh", "-c", f"chmod 700 {names}; cd; cat {' '.join(secrets)}"], *LANDLOCK)
    assert "secret" not in done.stdout and done.returncode == 1, done
    for name in (".netrc", ".config/gh", ".ssh"):
        os.chmod(world.home / name, 0o700)


def test_a_link_target_in_a_closed_directory_stays_protected(world):
    """The plan cannot follow .github -> ci/github while ci is closed."""
    sandbox = Sandbox(world)
    (world.project / "ci/github/workflows").mkdir(parents=True)
    (world.project / ".github").symlink_to("ci/github")
    for options in ((), LANDLOCK):
        closed = sandbox.run(["chmod", "0", "ci"], *options)
        assert closed.returncode == 0, (options, closed)
        done = sandbox.run(["sh", "-c", "chmod 700 ci; echo x > ci/github/workflows/x.yml; "
                                        "mv ci other; echo x > other/github/workflows/x.yml"],
                           *options)
        os.chmod(world.project / "ci", 0o755)
        assert done.returncode != 0, (options, done)
        assert not list((world.project / "ci/github/workflows").iterdir()), (options, done)


def test_leftovers_in_a_sessions_tmp_do_not_stop_the_next_run(world):
    sandbox = Sandbox(world)
    name = f"/tmp/claude-{os.getuid() if sandbox.user is None else sandbox.user}"
    was_there = os.path.isdir(name)
    for left in (f"touch {name}", f"ln -s /etc {name}", f"mkdir {name}"):
        sandbox.run(["sh", "-c", left], "--session", "s")
        os.makedirs(name, mode=0o700, exist_ok=True)  # the client creates it sooner or later
        if sandbox.user is not None:
            os.chown(name, sandbox.user, sandbox.user)
        done = sandbox.run(["touch", "works"], "--session", "s")
        assert done.returncode == 0, (left, done)
        if not was_there:
            os.rmdir(name)


def test_a_fifo_swapped_for_a_file_does_not_block_the_supervisor(world):
    """Another sandbox swaps them between two checks; a process that gets no answer cannot be
    killed either."""
    sandbox = Sandbox(world)
    swap = """
import ctypes, os, time
os.mkfifo("fifo")
open("plain", "w").close()
until = time.monotonic() + 8
while time.monotonic() < until and not os.path.exists("stop"):
    ctypes.CDLL(None).renameat2(-100, b"fifo", -100, b"plain", 2)
"""
    write = """
import os, signal, time
signal.signal(signal.SIGALRM, lambda *ignored: None)
child = os.fork()
if child == 0:
    signal.setitimer(signal.ITIMER_REAL, 0.003, 0.003)
    while True:
        try:
            os.close(os.open("plain", os.O_WRONLY))
        except OSError:
            pass
until = time.monotonic() + 3
while time.monotonic() < until:
    os.mkdir("beat")
    os.rmdir("beat")
os.kill(child, 9)
print("answered")
"""
    for options in ((), LANDLOCK):
        sandbox.run(["true"])  # gives the files to the user
        other = start_outside(sandbox, world.base / "ringfence", "run", "--chdir", world.project, "--",
                              "/usr/bin/python3", "-c", swap,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(world.home)})
        wait_until("a FIFO", lambda: (world.project / "plain").exists())
        try:
            done = sandbox.python(write, *options)
        finally:
            (world.project / "stop").touch()
            other.wait(SECONDS)
        assert done.stdout == "answered\n", (options, done)
        for name in ("stop", "plain", "fifo"):
            (world.project / name).unlink()


def test_a_held_lock_does_not_block_the_start(world):
    """A command can lock each directory that it sees before the launcher does."""
    sandbox = Sandbox(world)
    for options in ((), LANDLOCK):
        assert sandbox.run(["true"], "--session", "s", *options).returncode == 0
        folder, = (world.home / ".local/state/ringfence/tmp").iterdir()
        held = os.open(folder, os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        done = sandbox.run(["true"], "--session", "s", *options)
        os.close(held)
        assert done.returncode == 0, (options, done)


def test_the_audit_log_is_out_of_reach(world):
    """It says what other sessions did, and who can open it can delay its lines by holding its lock."""
    sandbox = Sandbox(world)
    log = world.home / ".local/state/ringfence/audit.jsonl"
    older = log.with_name(log.name + ".20260101T000000.000000001Z")
    script = f"for log in {log}*; do head -c 1 $log && flock -n $log echo locked; done"
    for options in ((), LANDLOCK):
        # First before the log exists.
        for _ in range(2):
            done = sandbox.run(["sh", "-c", script], *options)
            assert done.stdout == "" and str(log) in done.stderr, (options, done)
        older.write_text("{}\n")
        os.chown(older, log.stat().st_uid, log.stat().st_gid)
        done = sandbox.run(["sh", "-c", script], *options)
        assert done.stdout == "" and str(older) in done.stderr, (options, done)
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        assert len([line for line in lines if line["event"] == "SandboxStart"]) == 3
        older.unlink()
        log.unlink()


def test_metadata_of_outside_files_cannot_be_changed(world):
    """Mounts protect owners, times and attributes; Landlock has no rights for them."""
    sandbox = Sandbox(world)
    file = world.home / "outside"
    world.write(file, "mine\n")
    (world.project / "inside").touch()
    file.chmod(0o755)
    os.utime(file, (1e9, 1e9))
    script = """
import ctypes, fcntl, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
name, held = sys.argv[1], os.open(sys.argv[1], os.O_RDONLY)
text, times, two = name.encode(), struct.pack("4q", 5, 0, 5, 0), struct.pack("2q", 5, 5)
ways = {
    "utimensat": (280, -100, text, times, 0), "futimens": (280, held, None, times, 0),
    "empty": (280, held, b"", times, 0x1000), "utimes": (235, text, times),
    "utime": (132, text, two), "futimesat": (261, -100, text, times),
    "futimesat fd": (261, held, None, times),
    "chown": (92, text, -1, os.getgid()), "lchown": (94, text, -1, os.getgid()),
    "fchown": (93, held, -1, os.getgid()), "fchownat": (260, -100, text, -1, os.getgid(), 0),
    "setxattr": (188, text, b"user.a", b"b", 1, 0), "fsetxattr": (190, held, b"user.a", b"b", 1, 0),
    "removexattr": (197, text, b"user.b"),
}
for way, arguments in ways.items():
    if libc.syscall(*arguments) == 0:
        print(way)
if os.path.basename(name) == "outside":
    try:
        fcntl.ioctl(held, 0x40086602, struct.pack("l", 0x40 | 0x80000))  # FS_IOC_SETFLAGS: nodump
        print("flags")
    except OSError:
        pass
"""
    if os.uname().machine != "x86_64":
        pytest.skip("the calls have other numbers here")
    inside = str(world.project / "inside")
    for options in ((), LANDLOCK):
        before = file.stat()
        done = sandbox.run(["/usr/bin/python3", "-c", script, str(file)], *options)
        assert (done.returncode, done.stdout) == (0, ""), (options, done)
        after = file.stat()
        assert (before.st_mode, before.st_mtime) == (after.st_mode, after.st_mtime), options
        done = sandbox.run(["/usr/bin/python3", "-c", script, inside], *options)
        assert len(done.stdout.splitlines()) == 13, (options, done)  # this attribute does not exist
        assert os.stat(inside).st_mtime == 5 and os.getxattr(inside, "user.a") == b"b"


def test_a_fork_bomb_ends_with_the_sandbox(world):
    """Processes must end even without a process namespace. The kernel does not limit root's
    processes."""
    sandbox = Sandbox(world)
    if sandbox.user is None:
        return
    mark = f"storm-{os.getpid()}"
    storm = f"""
import os, signal, time
os.setsid()
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
mark = {mark!r}
while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.0002)
"""
    rules = policy_file(world, sandbox={"processes": 60})
    command = ["sh", "-c", f"/usr/bin/python3 -c '{storm.replace(chr(39), chr(34))}' & sleep 1"]
    sandbox.run(command, *rules, *LANDLOCK)
    left = subprocess.run(["pgrep", "-f", mark], capture_output=True, text=True, check=False)
    assert not left.stdout, left.stdout


def test_limits_of_another_process_cannot_be_set(world):
    sandbox = Sandbox(world)
    line = "import resource; resource.prlimit(1, resource.RLIMIT_NOFILE, (3, 3))"
    done = sandbox.python(line)
    assert done.returncode == 1 and "PermissionError" in done.stderr, done
    became = nested(world, sandbox, {}, [line])
    assert "done" not in became, became


def test_links_in_the_paths_of_rules_are_protected(world):
    """The next start finds the protected paths through these names."""
    sandbox = Sandbox(world)
    rules = policy_file(world, write={"allow": ["."], "deny": ["conf/l/kept"]},
                        read={"deny": ["conf/l/key", ".env", "**/.secret", "conf/dots/key"]})
    for name in ("real/key", "real/kept", "cfg/dev", "cfg/deep", "data/key", "x/file"):
        world.write(world.project / name, "secret\n")
    for link, target in (("conf/l", "../real"), (".env", "cfg/dev"), ("app/.secret", "../cfg/deep"),
                         ("conf/dots", "../x/../data")):
        (world.project / link).parent.mkdir(exist_ok=True)
        (world.project / link).symlink_to(target)
    attacks = ("mv x y && ln -s / x", "rm conf/l .env app/.secret",
               "mv conf/l conf/m; mv .env .e; mv app/.secret app/s", "mv conf c; mv app a",
               "chmod 0 conf cfg real app; chmod 0 .", "ln -sfn nothing conf/l; ln -sf nothing .env",
               "echo > z; mv -f z .env; mv -fT cfg .env",
               "python3 -c \"import os; os.symlink('/', 'z'); os.replace('z', '.env')\"")
    look = ("chmod 755 . conf cfg real app; cat real/key cfg/dev cfg/deep data/key;"
            " echo changed > real/kept")
    for options in ((), LANDLOCK):
        for attack in attacks:
            sandbox.run(["sh", "-c", attack], *rules, *options)
            done = sandbox.run(["sh", "-c", look], *rules)
            assert "secret" not in done.stdout, (options, attack, done)
            assert (world.project / "real/kept").read_text() == "secret\n", attack
    done = sandbox.run(["rm", "conf/l"], *rules)
    assert "conf/l/kept" in done.stderr or "conf/l/key" in done.stderr, done
    done = sandbox.run(["sh", "-c", "chmod 700 conf && ln -s cfg other && rm other"], *rules)
    assert done.returncode == 0, done


def test_protected_names_cannot_be_moved_out_of_the_temporary_directory(world):
    sandbox = Sandbox(world)
    world.write(world.project / "sub/.git/HEAD", "ref: refs/heads/main\n")
    attacks = {
        "made there": "mkdir -p $TMPDIR/x/.git/hooks; echo x > $TMPDIR/x/.git/hooks/pre-commit;"
                      " mv -T $TMPDIR/x x",
        "settings": "mkdir -p $TMPDIR/y/.claude; echo x > $TMPDIR/y/.claude/settings.json;"
                    " mv -T $TMPDIR/y y",
        "changed there": "mv sub $TMPDIR/s; mkdir -p $TMPDIR/s/.git/hooks;"
                         " echo x > $TMPDIR/s/.git/hooks/pre-commit; mv $TMPDIR/s sub",
    }
    for attack in attacks.values():
        sandbox.run(["sh", "-c", attack], *LANDLOCK)
    for name in ("x/.git/hooks", "y/.claude/settings.json", "sub/.git/hooks"):
        assert not (world.project / name).exists(), name


def test_directories_above_hidden_files_cannot_be_moved(world):
    sandbox = Sandbox(world)
    world.write(world.project / "conf/key.pem", "secret\n")
    world.write(world.project / "conf/a.key", "secret\n")
    world.write(world.project / "other/deep/.env", "secret\n")
    options = policy_file(world, read={"deny": ["conf/key.pem", "conf/*.key", "**/.env"]})
    sandbox.run(["sh", "-c", "mv conf conf2; mv other moved; mkdir plain && mv plain plain2"], *options)
    done = sandbox.run(["sh", "-c", "cat conf2/* conf/* moved/deep/.env other/deep/.env"], *options)
    assert done.stdout == "", done
    assert (world.project / "conf/key.pem").exists() and (world.project / "plain2").exists()
    # A pattern for any directory finds it there.
    assert (world.project / "moved/deep/.env").exists()


def test_hidden_files_in_a_closed_directory_stay_hidden_in_the_next_run(world):
    """One command closes the directory, the next one opens it."""
    sandbox = Sandbox(world)
    names = ("conf/key.pem", "conf/a.key", "other/deep/.env", "only/names/.env")
    for name in names:
        world.write(world.project / name, "secret\n")
    options = policy_file(world, read={"deny": ["conf/key.pem", "conf/*.key", "**/.env"]})
    for closed in (0, 0o100, 0o400, 0o200, 0o600):
        mode = oct(closed)[2:]
        sandbox.run(["sh", "-c", f"chmod {mode} conf other only/names"], *options)
        sandbox.run(["python3", "-c", CLOSE_BY_LIST, "conf", "other", "only/names"], *options)
        done = sandbox.run(["sh", "-c", "chmod 700 conf other only/names;"
                            f" cat {' '.join(names)}"], *options)
        assert done.stdout == "", (mode, done)
        for folder in ("conf", "other", "only/names"):
            (world.project / folder).chmod(0o700)


def test_two_sandboxes_together_cannot_create_a_denied_path(world):
    """One sandbox renames the directory, the other one puts a file into it."""
    sandbox = Sandbox(world)
    options = policy_file(world, write={"allow": ["."], "deny": ["docs/adr"]})
    (world.project / "x").mkdir()
    world.write(world.project / "y/made", "")
    loop = """
import os, sys, time
end = time.monotonic() + 4
pairs = {"a": (("x", "docs"), ("docs", "x")), "b": (("y", "x/adr"), ("x/adr", "y"))}[sys.argv[1]]
while time.monotonic() < end:
    for pair in pairs:
        try:
            os.rename(*pair)
        except OSError:
            pass
"""
    world.write(world.project / "loop.py", loop)
    sandbox.run(["true"], *options)  # gives the files to the user
    runs = [subprocess.Popen(
        [world.base / "ringfence", "run", *options, "--", "/usr/bin/python3", "loop.py", part],
        cwd=world.project, env={"PATH": "/usr/bin:/bin", "HOME": str(world.home)},
        stderr=subprocess.DEVNULL, **as_user(sandbox)) for part in "ab"]
    for run in runs:
        run.wait(60)
    # A change that was undone a moment later may have been visible; it does not stay.
    assert not (world.project / "docs/adr").exists(), sorted(world.project.rglob("*"))


# -- without namespaces ---------------------------------------------------------------------------------

def test_without_namespaces_host_processes_and_terminals_are_protected(world):
    sandbox = Sandbox(world)
    victim = start_outside(sandbox, "sleep", "60")
    terminal = TerminalSession(["/bin/sh", "-c", "tty; sleep 60"], _Plain(world))
    wait_until("a terminal", lambda: terminal.read() or "/dev/pts/" in terminal.seen)
    name = terminal.seen.split()[0]
    if sandbox.user is not None:
        os.chown(name, sandbox.user, -1)
    try:
        done = sandbox.python(f"""
import os, resource
def no(what, call):
    try:
        call()
        print("done:", what)
    except OSError:
        pass
for limit in ("RLIMIT_CPU", "RLIMIT_NOFILE"):
    no(limit, lambda: resource.prlimit({victim.pid}, getattr(resource, limit), (0, 0)))
no("kill", lambda: os.kill({victim.pid}, 15))
for name in ("oom_score_adj", "comm", "coredump_filter", "timerslack_ns", "mem"):
    no(name, lambda: os.open("/proc/{victim.pid}/" + name, os.O_WRONLY))
for name in ("sys/kernel/core_pattern", "sys/kernel/modprobe", "sysrq-trigger", "sys/fs/suid_dumpable"):
    no(name, lambda: os.open("/proc/" + name, os.O_WRONLY))
for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):
    no("terminal", lambda: os.open({name!r}, flags | os.O_NOCTTY))
resource.prlimit(0, resource.RLIMIT_NOFILE, (64, 64))
""", *LANDLOCK)
        assert done.returncode == 0 and not done.stdout, done
        assert victim.poll() is None
    finally:
        end(victim)
        os.kill(terminal.pid, signal.SIGKILL)
        terminal.status()


class _Plain:
    def __init__(self, world):
        self.project = world.project
        self.environment = {"PATH": "/usr/bin:/bin"}


def test_without_namespaces_a_nested_sandbox_only_adds_restrictions(world):
    sandbox = Sandbox(world)
    inner = world.project / "ringfence"
    shutil.copy(world.programs.ringfence, inner)
    world.write(world.project / "sub/a", "a\n")
    policy = world.home / "inner.json"
    world.write(policy, json.dumps({"version": 1, "write": {"allow": ["sub"]}}))
    script = ("echo kept > $TMPDIR/k; for layers in landlock full; do"
              f" {inner} run --layers $layers --policy {policy} --session s -- sh -c '"
              "cat $TMPDIR/k; echo x > $TMPDIR/l; echo x > sub/$1; (echo x > other) 2> /dev/null;"
              " (echo x > sub/.envrc) 2> /dev/null; true' sh $layers || exit 1; done;"
              f" {inner} run --mode rx -- sh -c 'echo x > sub/rx' 2> /dev/null; cat $TMPDIR/l")
    for options in (LANDLOCK, (*LANDLOCK, "--session", "s")):
        done = sandbox.run(["sh", "-c", script], *options)
        assert done.returncode == 0 and done.stdout.split() == ["kept", "kept", "x"], done
        assert (world.project / "sub/landlock").exists() and (world.project / "sub/full").exists()
        for name in ("other", "sub/.envrc", "sub/rx"):
            assert not (world.project / name).exists(), name


def test_a_killed_launcher_leaves_no_process(world):
    sandbox = Sandbox(world)
    command = "setsid sh -c 'while :; do date +%N > alive; sleep 0.05; done' & sleep 60"
    for options in ((), LANDLOCK):
        sandbox.run(["true"], *options)
        run = subprocess.Popen(
            [world.base / "ringfence", "run", *options, "--", "/bin/sh", "-c", command],
            cwd=world.project, env={"PATH": "/usr/bin:/bin", "HOME": str(world.home)},
            stderr=subprocess.DEVNULL, **as_user(sandbox))
        alive = world.project / "alive"
        wait_until("a start", alive.exists)
        end(run)
        time.sleep(0.5)
        alive.unlink()
        time.sleep(0.5)
        assert not alive.exists(), options


def test_a_killed_supervisor_leaves_no_process(world):
    """The launcher's earlier children do not belong to the run."""
    sandbox = Sandbox(world)
    # Descendants of the shell may not fork before they are killed, and the shell would report that.
    command = "setsid sh -c 'while :; do date +%N > alive; sleep 0.05; done' 2> /dev/null & sleep 60"
    for options in ((), LANDLOCK):
        sandbox.run(["true"], *options)
        words = shlex.join(map(str, (world.base / "ringfence", "run", *options, "--", "/bin/sh", "-c", command)))
        run = start_outside(sandbox, "/bin/sh", "-c", f"cd {world.project}; sleep 60 & echo $!; exec {words}",
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={"PATH": "/usr/bin:/bin", "HOME": str(world.home)})
        before = int(run.stdout.readline())
        alive = world.project / "alive"
        wait_until("a start", alive.exists)
        children = subprocess.run(["pgrep", "-P", str(run.pid), "ringfence"], capture_output=True, text=True,
                                  check=True).stdout.split()
        assert len(children) == 1, children
        os.kill(int(children[0]), signal.SIGKILL)
        said = run.stderr.readline()
        assert run.wait(SECONDS) == 128 + signal.SIGKILL, (options, run.returncode, said)
        assert said == ("ringfence: warning: the supervisor ended unexpectedly; all processes of the run were"
                        " ended\n"), (options, said)
        alive.unlink()
        os.kill(before, signal.SIGTERM)  # it still runs
        time.sleep(0.5)
        assert not alive.exists(), options


def test_many_rules_from_inside_do_not_exhaust_the_supervisor(world):
    """The memory limit applies to the command, and the rules in the supervisor are bounded."""
    sandbox = Sandbox(world)
    rules = policy_file(world, sandbox={"memory": "300M"})
    for options in (rules, (*rules, *LANDLOCK), LANDLOCK):
        done = sandbox.python(MANY_RULES, *options)
        assert done.returncode == 0, (options, done)
        counts = json.loads(done.stdout)
        # Some are accepted, the others refused for lack of memory, and only for that.
        assert set(counts) == {"0", "12"} and counts["0"] <= 8, (options, counts)
    if sandbox.user is None:
        return  # root may have a cgroup that enforces the limit
    memory = "import resource; print(resource.getrlimit(resource.RLIMIT_DATA))"
    done = sandbox.python(memory, *rules, *LANDLOCK)
    assert done.stdout == f"({300 << 20}, {300 << 20})\n", done


def test_the_next_start_removes_the_directory_of_a_killed_launcher(world):
    sandbox = Sandbox(world)
    sandbox.run(["true"])
    run = subprocess.Popen(
        [world.base / "ringfence", "run", *LANDLOCK, "--", "/bin/sh", "-c",
         "mkdir -p $TMPDIR/a/b; echo $TMPDIR > where; sleep 60"],
        cwd=world.project, env={"PATH": "/usr/bin:/bin", "HOME": str(world.home)},
        stderr=subprocess.DEVNULL, **as_user(sandbox))
    where = world.project / "where"
    wait_until("a start", lambda: where.exists() and where.read_text())
    folder = where.read_text().strip()
    done = sandbox.run(["sh", "-c", "true"], *LANDLOCK)
    assert done.returncode == 0 and os.path.isdir(folder), "it is in use"
    end(run)

    def is_gone_after_a_start():
        done = sandbox.run(["sh", "-c", "true"], *LANDLOCK)
        assert done.returncode == 0, done
        return not os.path.exists(folder)

    # Processes of the killed run hold its directory until they have ended.
    wait_until("the folder goes", is_gone_after_a_start)


def test_the_write_hint_of_an_outside_file_cannot_be_set(world):
    """The hint is stored in the file: F_SET_RW_HINT (fcntl(2)) needs no write permission."""
    sandbox = Sandbox(world)
    file = world.write(world.home / "hinted", "x")
    os.chmod(file, 0o644)
    if sandbox.user is not None:
        os.chown(file, sandbox.user, sandbox.user)
    script = ("import fcntl, os, struct, sys\n"
              f"file = os.open({str(file)!r}, os.O_RDONLY)\n"
              "fcntl.fcntl(file, 1036, struct.pack('Q', int(sys.argv[1])))\n")

    def hint():
        with open(file, "rb") as opened:
            return fcntl.fcntl(opened, 1035, bytes(8))[0]

    subprocess.run(["/usr/bin/python3", "-c", script, "3"], check=True, **as_user(sandbox))
    assert hint() == 3
    for options in ((), LANDLOCK):
        done = sandbox.run(["/usr/bin/python3", "-c", script, "5"], *options)
        assert "PermissionError" in done.stderr and hint() == 3, (hint(), done)


def test_the_memory_of_the_private_directories_cannot_be_opened(world):
    """The user could open it: it would show the private directories under other names."""
    done = Sandbox(world).python("""
import os
for attempt in (lambda: os.chmod("/dev/.ringfence/memory", 0o777),
                lambda: print(os.listdir("/dev/.ringfence/memory"))):
    try:
        attempt()
        print("done")
    except OSError:
        pass
""")
    assert done.returncode == 0 and done.stdout == "", done


# -- size -----------------------------------------------------------------------------------------

def test_files_in_memory_count_against_the_memory_limit(world):
    sandbox = Sandbox(world)
    options = policy_file(world, sandbox={"memory": "64M"})
    for folder in ("/tmp", "/dev/shm", "/run/user/$(id -u)"):
        done = sandbox.run(["sh", "-c", f"head -c 80M /dev/zero > {folder}/file"], *options)
        assert done.returncode != 0 and "No space left" in done.stderr, (folder, done)
    # All of them together have no more space.
    done = sandbox.run(["sh", "-c", "head -c 40M /dev/zero > /tmp/one && echo one; "
                        "head -c 40M /dev/zero > /dev/shm/other"], *options)
    assert done.stdout == "one\n" and "No space left" in done.stderr, done


def test_terminal_input_cannot_be_read_from_standard_error(world):
    """The input is not a terminal, but an output is one."""
    sandbox = Sandbox(world)
    sandbox.run(["true"])
    shutil.copy(world.programs.ringfence, world.project / "ringfence")
    script = "import os, sys; r = os.read(2, 100); open('got', 'w').write(repr(r))"
    inner = f"exec {world.base}/ringfence run -- /usr/bin/python3 -c \"{script}\" < /dev/null"
    command = ["/bin/sh", "-c", inner]
    if sandbox.user is not None:
        command = ["/usr/bin/setpriv", f"--reuid={sandbox.user}", f"--regid={sandbox.user}",
                   "--clear-groups", *command]
    plain = _Plain(world)
    plain.environment["HOME"] = str(world.home)
    terminal = TerminalSession(command, plain)
    time.sleep(1)
    os.write(terminal.master, b"a password\n")
    time.sleep(1)
    got = world.project / "got"
    assert not got.exists() or "password" not in got.read_text(), got.read_text()
    os.kill(terminal.pid, signal.SIGTERM)
    terminal.status()


SERVE_RENAMED = """
import os, socket, sys, time
servers = []
for last, rename in (("renamed.sock", os.rename), ("linked.sock", os.link)):
    server = socket.socket(socket.AF_UNIX)
    server.bind(sys.argv[1] + "/first")
    rename(sys.argv[1] + "/first", sys.argv[1] + "/" + last)
    if rename is os.link:
        os.unlink(sys.argv[1] + "/first")
    server.listen()
    servers.append(server)
left = socket.socket(socket.AF_UNIX)
left.bind(sys.argv[1] + "/left.sock")
left.close()
print("ready", flush=True)
time.sleep(60)
"""
CONNECT = """
import socket, sys
for name in ("renamed.sock", "linked.sock"):
    try:
        socket.socket(socket.AF_UNIX).connect(sys.argv[1] + "/" + name)
        print("connected", name)
    except OSError:
        pass
"""


def test_a_socket_that_was_renamed_is_hidden(world):
    """A socket left by a server can be removed."""
    sandbox = Sandbox(world)
    sandbox.run(["true"])  # gives the directories to the user
    folder = world.project / "run"
    folder.mkdir()
    if sandbox.user is not None:
        os.chown(folder, sandbox.user, sandbox.user)
    server = start_outside(sandbox, "/usr/bin/python3", "-c", SERVE_RENAMED, str(folder),
                           stdout=subprocess.PIPE)
    try:
        assert server.stdout.readline() == b"ready\n"
        connect = ["/usr/bin/python3", "-c", CONNECT, str(folder)]
        bare = subprocess.run(connect, capture_output=True, text=True, check=True)
        assert bare.stdout.count("connected") == 2, bare
        for layers in ((), LANDLOCK):
            done = sandbox.run(connect, *layers)
            assert done.returncode == 0 and not done.stdout, done
        done = sandbox.run(["rm", f"{folder}/left.sock"])
        assert done.returncode == 0, done
    finally:
        end(server)


def test_a_bound_socket_reports_its_full_name(world):
    done = Sandbox(world).python("""
import multiprocessing, os, socket
for name in ("/tmp/whole.sock", "near.sock", os.getcwd() + "/here.sock"):
    server = socket.socket(socket.AF_UNIX)
    server.bind(name)
    server.listen()
    assert server.getsockname() == name, (server.getsockname(), name)
    socket.socket(socket.AF_UNIX).connect(name)
os.makedirs("/tmp/" + "d" * 100)
server = socket.socket(socket.AF_UNIX)
os.chdir("/tmp/" + "d" * 100)
server.bind("short")
if __name__ == "__main__":
    os.chdir("/tmp")
    with multiprocessing.get_context("fork").Manager() as manager:
        print(list(manager.list([1, 2])))
""")
    assert done.stdout == "[1, 2]\n", done


# -- leftovers of an earlier run ------------------------------------------------------------------

def test_a_link_from_an_earlier_run_gives_no_access_in_a_later_one(world):
    sandbox = Sandbox(world)
    (world.home / "sub").mkdir()
    old = world.write(world.home / "old", "mine\n")
    os.utime(old, (1, 1))
    everything = policy_file(world)
    done = sandbox.run(["sh", "-c", f"ln -s {world.home} out && ln -s {world.home}/sub in"], *everything)
    assert done.returncode == 0, done
    later = policy_file(world, write={"allow": ["out/logs", "out/a/b", "in/*/logs", "out/*.log"]})
    script = (f"mkdir -p out/logs out/a/b in/x/logs; cd {world.home}; mkdir logs made a; echo x > new;"
              " echo x > .profile; echo x > a.log; touch sub/x; touch -m -d @1000 old; touch -d @1000 .")
    for options in ((), LANDLOCK):
        sandbox.run(["sh", "-c", script], *later, *options)
        left = sorted(path.name for path in world.home.iterdir())
        assert left == [".claude", ".local", "old", "policy.json", "sub"], (options, left)
        assert old.stat().st_mtime == 1 and world.home.stat().st_mtime > 1000, options
        assert not list((world.home / "sub").iterdir()), options


def test_missing_allowed_paths_are_created_only_under_their_name(world):
    sandbox = Sandbox(world)
    policy = policy_file(world, write={"allow": ["build", "dist/app.js", "out/logs"]})
    script = """
    mkdir -p build/obj dist && echo x > build/obj/a.o && echo x > dist/app.js && mkdir -p out/logs &&
    echo x > out/logs/a || exit 9
    echo x > dist/other.js; echo x > other; ln -s / outer; mkdir elsewhere; ln -s / out/etc
    rm -rf out; ln -s / out; mv dist dist2; true
    """
    for options in ((), LANDLOCK):
        for name in ("build", "dist", "out"):
            shutil.rmtree(world.project / name, ignore_errors=True)
        before = sorted(path.name for path in world.project.iterdir())
        done = sandbox.run(["sh", "-c", script], *policy, *options)
        assert done.returncode == 0, (options, done)
        left = sorted(path.name for path in world.project.iterdir())
        assert set(left) - set(before) <= {"build", "dist", "out"}, (options, left)
        assert [path.name for path in (world.project / "dist").iterdir()] == ["app.js"], options
        out = world.project / "out"
        assert not out.is_symlink() and not (out / "etc").is_symlink(), options


def test_write_rejects_a_planted_link(world):
    sandbox = Sandbox(world)
    target = world.home / "target"
    target.mkdir()
    assert sandbox.run(["ln", "-s", str(target), "out"]).returncode == 0
    done = sandbox.run(["sh", "-c", "echo x > out/x"], "--write", str(world.project / "out"))
    assert done.returncode == 2 and "commands may have made it" in done.stderr, done
    assert "name the directory that it leads to" in done.stderr, done
    assert not (target / "x").exists()
    done = sandbox.run(["sh", "-c", "echo x > out/x"], "--write", str(target))
    assert done.returncode == 0 and (target / "x").exists(), done
