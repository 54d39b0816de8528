"""Programs that talk to a user or a repository in `ringfence run`, as an ordinary user starts them.
Other work is in ordinary_rows.py.

Each case has its own home and project. Cases whose programs are not installed are skipped.
"""

import os
import shlex
import shutil
import signal
import time

import pytest

from run_world import finish
from terminal_session import TerminalSession

pytestmark = pytest.mark.as_user


@pytest.fixture(name="world")
def fixture_world(run_world):
    return run_world


PATH = "/usr/local/bin:/usr/bin:/bin"
PYTHON = "/usr/bin/python3"
BUILD_SECONDS = 180
# In two parts, so that the echo of the line is not taken for the prompt. A key that sends a signal
# discards what the shell has not read yet (termios(3), NOFLSH).
PROMPT = "PS1='rea''dy> '\n"

GIT_WORK = """
git status --short
echo two > b.txt; git add b.txt; git commit -qm two
git branch side; git checkout -q -b other; git diff HEAD~1 > /dev/null; git log --oneline
echo three >> b.txt; git stash -q; git stash pop -q; git commit -qam three
git checkout -q side; echo four > d.txt; git add d.txt; git commit -qm four
git rebase -q other; GIT_SEQUENCE_EDITOR=true git rebase -q -i HEAD~2; git checkout -q other
git worktree add -q tree side; git worktree list; git worktree remove tree
git clone -q . copy; cd copy; git -c user.name=n -c user.email=e commit -q --allow-empty -m in-copy
"""
GIT_REFUSED = (
    "echo x > .git/hooks/pre-commit", "git config user.name other", "echo x > copy/.git/hooks/x",
    "mkdir -p new/.git/hooks", "mv .git old", "git remote add elsewhere /nowhere",
)

PYTHON_TESTS = '''
import multiprocessing, socket, sqlite3, subprocess, sys, tempfile, threading, unittest

def double(number):
    return 2 * number

class Test(unittest.TestCase):
    def test_processes(self):
        with multiprocessing.Pool(3) as pool:
            self.assertEqual(pool.map(double, range(50)), list(range(0, 100, 2)))

    def test_shared_memory(self):
        lock, value = multiprocessing.Lock(), multiprocessing.Value("i", 0)
        def add():
            for _ in range(100):
                with lock:
                    value.value += 1
        threads = [threading.Thread(target=add) for _ in range(4)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        self.assertEqual(value.value, 400)

    def test_database(self):
        with sqlite3.connect("test.db") as base:
            base.execute("pragma journal_mode=wal")
            base.execute("create table t (a)")
            base.executemany("insert into t values (?)", [(n,) for n in range(100)])
            self.assertEqual(base.execute("select sum(a) from t").fetchone(), (4950,))

    def test_temporary_files(self):
        with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile(dir=folder) as file:
            file.write(b"x" * 100000)

    def test_sockets(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            with socket.create_connection(server.getsockname()) as client:
                client.sendall(b"hello")
                with server.accept()[0] as connection:
                    self.assertEqual(connection.recv(10), b"hello")

    def test_programs(self):
        done = subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True)
        self.assertEqual(done.stdout, b"1\\n")

unittest.main()
'''


# -- helpers --------------------------------------------------------------------------------------

def need(*programs):
    for name in programs:
        if not shutil.which(name, path=PATH):
            pytest.skip(f"{name} is not installed")


def must(done):
    assert done.returncode == 0, f"status {done.returncode}: {done.stdout[-300:]}{done.stderr[-500:]}"
    return done.stdout


def shell(world, script, **options):
    return world.run("/bin/sh", "-ec", script, seconds=BUILD_SECONDS, **options)


def outside(world, *command, folder=None):
    return must(finish(world.start(command, cwd=folder or world.project)))


# -- the cases ------------------------------------------------------------------------------------

def git_repository(world):
    need("git")
    outside(world, "git", "init", "-q", "-b", "main")
    outside(world, "git", "config", "user.name", "n")
    outside(world, "git", "config", "user.email", "n@example")
    outside(world, "git", "add", ".")
    outside(world, "git", "commit", "-qm", "one")


def test_git_works(world):
    git_repository(world)
    must(shell(world, GIT_WORK))
    subjects = outside(world, "git", "log", "--format=%s", "other").split()
    assert subjects == ["three", "two", "one"], subjects
    assert outside(world, "git", "log", "-1", "--format=%s", folder=world.project / "copy") == \
        "in-copy\n"
    assert not (world.project / "tree").exists()
    outside(world, "git", "fsck", "--strict")
    for script in GIT_REFUSED:
        assert shell(world, script).returncode != 0, f"not refused: {script}"
    assert not list(world.project.rglob("hooks/[!.]*[!e]")), "a hook has come to be"


def test_git_shows_the_refused_path(world):
    git_repository(world)
    done = shell(world, "git config user.name other")
    assert "/.git/config" in done.stderr and "@runs-later" in done.stderr, done.stderr


def test_python_tests_run(world):
    (world.project / "tests.py").write_text(PYTHON_TESTS)
    done = world.run(PYTHON, "tests.py", seconds=BUILD_SECONDS)
    must(done)
    assert "Ran 6 tests" in done.stderr, done.stderr


def test_shell_has_job_control(world):
    need("bash")
    with TerminalSession(world.command("/bin/bash", "--norc", "-i"), world) as session:
        session.say(PROMPT, "ready> ")
        session.say("echo $((6 * 7))\n", "42")
        session.say("sleep 300\n", "sleep 300")
        session.press("\x1a", "Stopped")
        session.say("jobs\n", "sleep 300")
        session.say("bg\n", "sleep 300 &")
        session.say("kill %1; wait %1; echo ended with $?\n", "ended with 143")
        session.say("cat\n", "cat")
        session.say("typed\n", "typed\r\ntyped")
        session.say("\x1a", "Stopped")
        session.say("fg\n", "cat")
        # Types only after the shell has given up the terminal.
        session.say("again\n", "again\r\nagain")
        session.press("\x03", "ready> ")
        session.say("echo status $?\n", "status 130")
        session.say("trap 'echo new\\ size' WINCH; echo is''set\n", "isset")
        session.resize(33, 111)
        session.wait("new size")
        session.say("stty size\n", "33 111")
        session.say("exit 7\n")
        assert session.status() == 7, session.status()


def test_a_shell_job_can_be_stopped_and_continued(world):
    """Like the command itself; the rest of its job stops as well."""
    need("bash")
    here = " ".join(map(shlex.quote, world.command()))
    with TerminalSession(["/bin/bash", "--norc", "-i"], world) as session:
        session.say(f"stty -tostop; {PROMPT}", "ready> ")
        # A process that is stopped between vfork(2) and execve(2) keeps its parent from stopping,
        # with or without a sandbox: a job of two processes signals when it is past that point.
        two = """sh -c 'sh -c "echo a""wake; exec sleep 300"; :' | cat"""
        for command, sign in (("sleep 300", "sleep 300"), (two, "awake"),
                              ("sh -c 'kill -STOP $$; sleep 300'", "Stopped")):
            session.say(f"{here} {command}\n", sign)
            if sign != "Stopped":
                session.press("\x1a", "Stopped")
            session.say("jobs\n", "Stopped")
            session.say("stty -a | tr ' ' '\\n' | grep -x icanon\n", "icanon\r\n")
            session.say("fg\n", "sleep 300")
            session.press("\x03", "ready> ")
            session.say("echo status $?\n", "status ")
        session.say(f"{here} cat\n", "cat")
        session.say("typed\n", "typed\r\ntyped")
        session.say("\x1a", "Stopped")
        session.say("bg\n", "cat &")
        session.say("fg\n", "cat")
        session.say("again\n", "again\r\nagain")
        session.say("\x04", "ready> ")
        session.say(f"{here} cat &\n", "ready> ")
        session.say("echo the shell hears\n", "the shell hears\r\n")
        session.say("fg\n", "cat")
        time.sleep(1)  # until the launcher notices that it is in the foreground
        session.say("typed\n", "typed\r\ntyped")
        session.say("\x04", "ready> ")
        session.say("exit 7\n")
        assert session.status() == 7, session.status()


def test_a_command_that_leaves_its_process_group_gets_signals(world):
    script = ("import os, time; os.setpgid(0, os.getpgid(os.getppid())); print('moved', flush=True);"
              " time.sleep(300)")
    process = world.start(world.command(PYTHON, "-c", script))
    assert process.stdout.readline() == "moved\n"
    process.terminate()
    assert process.wait(30) == 143, process.returncode


def test_unread_terminal_input_does_not_block_the_launcher(world):
    """Input can exceed a terminal's buffer; the launcher still receives signals."""
    script = "import time, tty; tty.setraw(0); print('deaf', flush=True); time.sleep(300)"
    with TerminalSession(world.command(PYTHON, "-c", script), world) as session:
        session.wait("deaf")
        os.set_blocking(session.master, False)
        typed = 0
        while typed < 1 << 16:
            try:
                typed += os.write(session.master, b"x" * 1024)
            except BlockingIOError:
                break
        time.sleep(0.5)
        os.kill(session.pid, signal.SIGTERM)
        assert session.status() == 143, session.status()


def test_editor_runs_in_tmux(world):
    need("tmux", "vi")
    with TmuxOutside(world) as tmux:
        tmux.start(world.command("vi", "-u", "NONE", "-i", "NONE", "-n", "note.txt"))
        tmux.until("note.txt")
        tmux.keys("i", "hello from vi", "Escape", ":wq", "Enter")
        tmux.until_ended()
    assert (world.project / "note.txt").read_text() == "hello from vi\n"


def test_pager_follows_the_size_in_tmux(world):
    need("tmux", "less")
    (world.project / "long.txt").write_text("".join(f"line {n}\n" for n in range(200)))
    with TmuxOutside(world) as tmux:
        tmux.start(world.command("less", "long.txt"))
        tmux.until("line 22")
        tmux.run("resize-window", "-t", "x", "-x", "80", "-y", "50")
        tmux.until("line 47")
        tmux.keys("q")
        tmux.until_ended()


class TmuxOutside:
    """A separate tmux server; the sandbox runs in its window."""

    def __init__(self, world):
        self.world, self.socket = world, str(world.base / "tmux.sock")

    def run(self, *words):
        return finish(self.world.start(["tmux", "-S", self.socket, "-f", "/dev/null", *words]))

    def start(self, command):
        must(self.run("new-session", "-d", "-s", "x", "-x", "80", "-y", "24", *command))

    def keys(self, *keys):
        must(self.run("send-keys", "-t", "x", *keys))

    def until(self, text):
        screen = ""
        for _ in TerminalSession.moments():
            screen = self.run("capture-pane", "-p", "-t", "x").stdout
            if text in screen:
                return
        raise AssertionError(f"no {text!r} on the screen: {screen!r}")

    def until_ended(self):
        for _ in TerminalSession.moments():
            if self.run("has-session", "-t", "x").returncode != 0:
                return
        raise AssertionError("the program does not end")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run("kill-server")
