"""A program on a terminal, and its user."""

import fcntl
import os
import pathlib
import pty
import select
import signal
import struct
import termios
import time

MOST_SECONDS = 30


class TerminalSession:
    def __init__(self, command, world):
        self.seen = ""
        self.ended = None
        self.project = world.project
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            # If the tests run in the background, their shell ignores it.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.chdir(world.project)
            os.execve(command[0], command, world.environment)
        self.resize(24, 80)

    @staticmethod
    def moments():
        """Yields until the time is up."""
        end = time.monotonic() + MOST_SECONDS
        while time.monotonic() < end:
            yield
            time.sleep(0.05)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def say(self, text, awaited=""):
        """Types, and waits until `awaited` is on the screen."""
        self.seen = ""
        os.write(self.master, text.encode())
        self.wait(awaited, f" after {text!r}")

    def press(self, key, awaited):
        """Types keys that may come too early, and repeats them each second, until `awaited` is on
        the screen."""
        self.seen = ""
        pressed = None
        for _ in self.moments():
            if awaited in self.seen:
                return
            if pressed is None or time.monotonic() - pressed > 1:
                os.write(self.master, key.encode())
                pressed = time.monotonic()
            self.read()
        raise AssertionError(f"no {awaited!r} after {key!r}: {self.seen!r}; {self.processes()}")

    def wait(self, awaited, when=""):
        """Waits until `awaited` has appeared since the last input."""
        for _ in self.moments():
            if awaited in self.seen:
                return
            self.read()
        raise AssertionError(f"no {awaited!r}{when}: {self.seen!r}; {self.processes()}")

    def read(self):
        if select.select([self.master], [], [], 0.05)[0]:
            try:
                self.seen += os.read(self.master, 65536).decode(errors="replace")
            except OSError:  # the other end is closed
                pass

    def status(self):
        for _ in self.moments():
            self.read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.ended = os.waitstatus_to_exitcode(status)
                return self.ended
        raise AssertionError(f"it does not end: {self.seen!r}")

    def processes(self):
        """For a report: the processes in the project and all of ringfence, with what they wait for."""
        lines = ["PID COMMAND STATE PARENT GROUP SESSION TERMINAL FOREGROUND WAITS"]
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                stat = (entry / "stat").read_text().replace("(", "").replace(")", "").split()
                is_own = stat[1].startswith("ringfence")
                if not is_own and not (entry / "cwd").readlink().is_relative_to(self.project):
                    continue
                lines.append(" ".join(stat[:8]) + " " + (entry / "wchan").read_text())
            except OSError:
                pass
        return "\n".join(lines)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.master)
        if self.ended is None:
            os.kill(self.pid, 9)
            os.waitpid(self.pid, 0)
