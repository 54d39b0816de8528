"""The terminal of `ringfence run`: input reaches a confined program only if it is intended for it,
and the terminal's state is restored afterwards.

Each case has a shell with job control on its own terminal, once with all layers and once with
Landlock only.
"""

import os
import pathlib
import shlex
import shutil
import signal
import termios
import time

import pytest

from run_world import END_SECONDS
from terminal_session import TerminalSession

pytestmark = [pytest.mark.as_user, pytest.mark.parametrize("layers", ("full", "landlock"))]
PATIENCE = END_SECONDS  # until all have ended


@pytest.fixture(name="world")
def fixture_world(run_world):
    return run_world


PYTHON = "/usr/bin/python3"

# Reads everything it can from its standard streams and /dev/tty, in a process that ignores a stop
# from the terminal, and counts in the file "ticks" while it runs.
LISTENER = """
import os, select, signal, sys
signal.signal(signal.SIGTSTP, signal.SIG_IGN)
signal.signal(signal.SIGTTIN, signal.SIG_IGN)
files = {0, 1, 2}
try:
    files.add(os.open("/dev/tty", os.O_RDWR))
except OSError:
    pass
files = [file for file in files if os.isatty(file)]
heard = open("heard", "ab", 0)
while True:
    with open("ticks", "ab") as ticks:
        ticks.write(b".")
    for file in select.select(files, [], [], 0.02)[0]:
        try:
            got = os.read(file, 100)
        except OSError:
            got = b""
        if not got:
            files.remove(file)
        heard.write(got)
"""
MAIN = """
import os, signal, subprocess, sys, time
job = subprocess.Popen([sys.executable, "listener.py"], start_new_session=True)
while not os.path.exists("ticks"):
    time.sleep(0.05)
os.kill(job.pid, signal.SIGSTOP)
time.sleep(0.2)
while True:
    with open("main", "a") as main:
        main.write(".")
    time.sleep(0.05)
"""
# "exec", because a shell that starts a program with vfork(2) does not stop until the program runs:
# a stop that the program gets first leaves both waiting, with and without ringfence.
LISTENING = f"{PYTHON} listener.py & exec sleep 300"


class Shell(TerminalSession):
    """An interactive shell in the project, with $r for `ringfence run`."""

    def __init__(self, world, layers):
        if not os.path.exists("/bin/bash"):
            pytest.skip("there is no bash")
        self.world = world
        (world.project / "listener.py").write_text(LISTENER)
        super().__init__(["/bin/bash", "--norc", "-i"], world)
        self.say("PS1='ready''> '; stty -tostop\n", "ready> ")
        here = " ".join(map(shlex.quote, world.command(extra=("--layers", layers))))
        self.command = here
        self.say(f"r={shlex.quote(here)}\n", "ready> ")

    def wait_for(self, what, condition):
        for _ in self.moments():
            if condition():
                return
            self.read()
        raise AssertionError(f"never: {what}; on the screen: {self.seen!r}")

    def heard(self):
        return text_of(self.world, "heard")

    def wait_for_listener(self):
        self.wait_for("a listener", lambda: text_of(self.world, "ticks"))

    def forget_listener(self):
        """Waits for the listener's end, so that the next one is not taken for started too early."""
        def has_ended():
            (self.world.project / "ticks").unlink(missing_ok=True)
            time.sleep(0.2)
            return not (self.world.project / "ticks").exists()
        self.wait_for("the listener's end", has_ended)
        (self.world.project / "heard").unlink(missing_ok=True)

    def launcher(self):
        """The launcher that this shell, or a job of it, started."""
        found = []
        self.wait_for("a launcher", lambda: found.extend(launchers_below(self.pid)) or found)
        return found[0]

    def modes(self):
        return termios.tcgetattr(self.master)


def text_of(world, name):
    file = world.project / name
    return file.read_text() if file.exists() else ""


def stat_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def launchers_below(shell):
    """Children of the shell that run ringfence."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        stat = stat_of(folder.name)
        try:
            if stat and int(stat[1]) == shell and b"ringfence" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


# -- input for the shell --------------------------------------------------------------------------

def test_a_stopped_command_does_not_read_the_shells_input(world, layers):
    """A child that ignores the stop, with the output in a pipe: the input is shared in this
    case."""
    with Shell(world, layers) as shell:
        for end in ("| cat", "", "> out", "2> err | cat"):
            shell.say(f"$r sh -c '{LISTENING}' {end}\n")
            shell.wait_for_listener()
            shell.press("\x1a", "Stopped")
            shell.say("read -s pass\n")
            time.sleep(0.5)
            shell.say("secret\n", "ready> ")
            shell.say("echo got $pass\n", "got secret")
            time.sleep(0.3)
            assert "secret" not in shell.heard(), (end, shell.heard())
            shell.say("kill -9 %%; wait; clear\n", "ready> ")
            shell.forget_listener()


def test_the_command_stops_and_continues_with_the_launcher(world, layers):
    with Shell(world, layers) as shell:
        shell.say(f"$r sh -c '{LISTENING}' | cat\n")
        shell.wait_for_listener()
        shell.press("\x1a", "Stopped")
        before = text_of(world, "ticks")
        time.sleep(0.5)
        assert text_of(world, "ticks") == before, "it runs while its job is stopped"
        shell.say("bg\n", "&")
        shell.wait_for("a tick in the background", lambda: len(text_of(world, "ticks")) > len(before))
        shell.say("echo the shell hears\n", "the shell hears\r\n")
        time.sleep(0.3)
        assert not shell.heard(), shell.heard()
        shell.say("fg\n", "sleep 300")
        time.sleep(0.5)
        os.write(shell.master, b"for the command\n")
        shell.wait_for("a line", lambda: "for the command" in shell.heard())
        shell.press("\x03", "ready> ")


def test_a_process_stopped_inside_stays_stopped(world, layers):
    """If the command itself has stopped a process of another group, continuing it does not
    continue that process."""
    (world.project / "main.py").write_text(MAIN)
    with Shell(world, layers) as shell:
        shell.say(f"$r {PYTHON} main.py < /dev/null | cat\n")
        shell.wait_for("the loop", lambda: text_of(world, "main"))
        shell.press("\x1a", "Stopped")
        before, count = text_of(world, "ticks"), len(text_of(world, "main"))
        shell.say("fg\n", "main.py")
        shell.wait_for("the loop again", lambda: len(text_of(world, "main")) > count)
        time.sleep(0.3)
        assert text_of(world, "ticks") == before, "it was continued"
        shell.press("\x03", "ready> ")


def test_a_background_job_does_not_read_the_terminal(world, layers):
    with Shell(world, layers) as shell:
        for end in ("&", "| cat &", "> out &", "2> err > out &"):
            shell.say(f"$r sh -c '{LISTENING}' {end}\n", "ready> ")
            shell.wait_for_listener()
            shell.say("read -s pass\n")
            time.sleep(0.5)
            shell.say("secret\n", "ready> ")
            shell.say("echo got $pass\n", "got secret")
            time.sleep(0.3)
            assert not shell.heard(), (end, shell.heard())
            shell.say("kill -9 %%; wait; clear\n", "ready> ")
            (world.project / "ticks").unlink()


# -- input for the command ------------------------------------------------------------------------

def test_a_command_with_redirected_output_reads_lines(world, layers):
    with Shell(world, layers) as shell:
        shell.say("$r sh -c 'read a; read b; echo \"[$a-$b]\"' | tr a-z A-Z\n")
        time.sleep(0.5)
        shell.say("one\n", "one")
        time.sleep(0.5)
        shell.say("two\n", "[ONE-TWO]")
        shell.wait("ready> ")
        shell.say("$r cat > out\n", "cat")
        time.sleep(0.5)
        shell.say("a line\n", "a line\r\n")
        shell.wait_for("a line", lambda: text_of(world, "out") == "a line\n")
        shell.press("\x04", "ready> ")
        # End of input, before anything else was typed.
        shell.say("$r wc -c | sed s/^/count/\n", "count")
        time.sleep(0.5)
        shell.press("\x04", "count0")
        shell.wait("ready> ")


def test_a_typed_password_is_not_echoed(world, layers):
    script = "import getpass; print(getpass.getpass(stream=None)[::-1])"
    with Shell(world, layers) as shell:
        shell.say(f"x=$($r {PYTHON} -c '{script}' 2>&1 < /dev/stdin)\n")
        time.sleep(1)
        shell.say("secret\n", "ready> ")
        assert "secret" not in shell.seen, shell.seen
        shell.say("echo \"<$x>\"\n", "terces")
        before = shell.modes()
        shell.say("echo again\n", "again\r\n")
        assert shell.modes()[3] == before[3], "the modes differ"


def test_a_pager_gets_its_keys(world, layers):
    """The command may read its input as well, but the keys are for the pager."""
    if not shutil.which("less"):
        pytest.skip("less is not installed")
    script = ("seq 200; exec cat > heard")
    with Shell(world, layers) as shell:
        shell.say("export LESS=; stty rows 10; clear\n", "ready> ")
        shell.say(f"$r sh -c '{script}' | less\n")
        shell.wait("9\r\n")
        shell.press(" ", "17\r\n")
        time.sleep(0.5)
        shell.press(" ", "26\r\n")
        shell.say("q", "\x1b[?1049l")
        time.sleep(0.5)
        shell.press("\x04", "ready> ")
        assert not shell.heard(), shell.heard()


def test_another_program_in_the_pipeline_gets_its_lines(world, layers):
    """The other program waits at the terminal for an answer."""
    with Shell(world, layers) as shell:
        beside = "read -r line; read -r answer < /dev/tty; echo \"<$answer>\""
        shell.say(f"$r sh -c 'echo go; cat > heard' | bash -c '{beside}'\n")
        time.sleep(1)
        shell.say("yes\n", "<yes>")
        shell.press("\x04", "ready> ")
        assert not shell.heard(), shell.heard()


def test_the_terminal_is_opened_by_name(world, layers):
    """The program reads from /dev/tty, as git and ssh do to ask for a password."""
    script = ("import os; fd = os.open(\"/dev/tty\", os.O_RDWR); os.write(fd, b\"name? \");"
              "print(os.isatty(fd), os.read(fd, 9))")
    with Shell(world, layers) as shell:
        shell.say(f"$r {PYTHON} -c '{script}' > heard\n", "name? ")
        shell.say("abc\n", "ready> ")
        assert shell.heard() == "True b'abc\\n'\n", (shell.heard(), shell.seen)


def test_a_full_screen_program_gets_its_keys(world, layers):
    script = ("import os, sys, tty; tty.setraw(0); os.write(2, b\"keys please\\r\\n\");"
              "print(os.read(0, 1) + os.read(0, 1))")
    with Shell(world, layers) as shell:
        shell.say(f"x=$($r {PYTHON} -c '{script}')\n", "keys please")
        time.sleep(0.5)
        os.write(shell.master, b"ab")
        shell.wait("ready> ")
        shell.say("echo \"got $x\"\n", "got b'ab'")


def test_terminal_modes_set_at_the_start_are_kept(world, layers):
    """The launcher may be late: it must not set the modes of a terminal that is in use."""
    script = ("stty -echo -icanon; touch set; while [ ! -e go ]; do sleep 0.05; done;"
              "stty -a | grep -o -e '-icanon' -e '-echo '; stty size")
    command = world.command("/bin/sh", "-c", script, extra=("--layers", layers))
    with TerminalSession(command, world) as session:
        children = pathlib.Path(f"/proc/{session.pid}/task/{session.pid}/children")
        while not children.read_text():
            pass
        os.kill(session.pid, signal.SIGSTOP)
        for _ in session.moments():
            if (world.project / "set").exists():
                break
        os.kill(session.pid, signal.SIGCONT)
        time.sleep(0.5)  # the launcher goes on
        (world.project / "go").touch()
        session.wait("24 80")
        assert "-icanon" in session.seen and "-echo " in session.seen, session.seen


# -- the terminal afterwards ------------------------------------------------------------------------

def test_the_terminal_is_restored_when_the_launcher_is_killed(world, layers):
    """The guard restores the modes: this shell does not set them itself. The kill follows the change
    at once, so that a guard that learns of it later is found in some of the rounds."""
    command = " ".join(map(shlex.quote, world.command("sleep", "300", extra=("--layers", layers))))
    for kill in (os.kill, os.killpg) * 5:
        with TerminalSession(["/bin/sh", "-c", f"set -m; read begin; {command}; echo ended; exec cat"],
                             world) as session:
            before = termios.tcgetattr(session.master)
            os.write(session.master, b"begin\n")
            pid = []
            for _ in session.moments():
                pid = launchers_below(session.pid)
                if pid:
                    break
            assert pid, "no launcher"
            end = time.monotonic() + PATIENCE
            while termios.tcgetattr(session.master)[3] & termios.ICANON:
                assert time.monotonic() < end, "it never becomes raw"
            kill(pid[0], signal.SIGKILL)
            session.wait("ended")
            for _ in session.moments():
                if termios.tcgetattr(session.master) == before:
                    break
            assert termios.tcgetattr(session.master) == before, "it stays raw"
            os.kill(session.pid, signal.SIGKILL)


def test_an_interrupt_ends_a_loop(world, layers):
    """A loop of the shell, or of a script: programs around the command are interrupted too."""
    loop = f"for i in 1 2; do {{}} {PYTHON} -c 'import time; print(\"be\" + \"gun\", flush=True); time.sleep(300)'; done"
    with Shell(world, layers) as shell:
        (world.project / "loop.sh").write_text(loop.format(shell.command) + "\n")
        (world.project / "Makefile").write_text(
            f"all:\n\t-@{shell.command} {PYTHON} -c 'import time; print(\"be\" + \"gun\", flush=True); time.sleep(300)'\n\t@echo next-$@\n")
        for line in (loop.format("$r"), "bash loop.sh", *(["make -s"] if shutil.which("make") else [])):
            shell.say(line + "\n", "begun")
            shell.say("\x03", "ready> ")
            assert "begun" not in shell.seen and "next-" not in shell.seen, (line, shell.seen)
            if "make" not in line:
                shell.say("echo status $?\n", "status 130")
                shell.wait("ready> ")


def test_no_guard_process_is_left(world, layers):
    with Shell(world, layers) as shell:
        shell.say("$r true; $r sh -c 'exit 7'; echo status $?\n", "status 7\r\n")
        shell.wait("ready> ")
        shell.say("$r sleep 300\n", "sleep")
        os.kill(shell.launcher(), signal.SIGTERM)
        shell.wait("ready> ")
        shell.say("exit\n")
        shell.status()
    # The fixture checks for processes.
