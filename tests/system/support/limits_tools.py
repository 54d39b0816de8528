"""Shared by the tests of the hook with something missing, full, slow or too small.

Whatever happens, an event that must be denied is not permitted, and no run ends with a status other
than 0 and 2. The functions that check an answer return its problem, or "".
"""

import fcntl
import os
import pathlib
import shutil
import subprocess

PATIENCE = 40  # seconds; the hook's own deadline is well below


class Tools:
    """The hook, and the launcher if it could be compiled. `folder` is for compiled programs."""

    def __init__(self, hook, folder):
        self.hook, self.folder = hook, folder
        source = pathlib.Path(__file__).with_name("launcher.c")
        self.launcher = self.compile(source, "launcher")

    def compile(self, source, name, *flags):
        """A static program, or None if there is no compiler for one."""
        built = self.folder / name
        if shutil.which("cc") is None:
            return None
        done = subprocess.run(["cc", "-O1", "-static", *flags, "-o", str(built), str(source)],
                              stderr=subprocess.PIPE, check=False)
        return built if done.returncode == 0 else None


def blocked(answer):
    """The problem, if the call had to be refused."""
    return "" if answer.blocks else str(answer)


def exit_2(answer):
    return "" if answer.status == 2 else str(answer)


def not_open(answer):
    """The problem, if the call is permitted but may also be refused."""
    return "" if answer.blocks or answer.verdict == "permitted" else str(answer)


def full_pipe(is_blocking):
    reader, writer = os.pipe()
    flags = fcntl.fcntl(writer, fcntl.F_GETFL)
    fcntl.fcntl(writer, fcntl.F_SETFL, flags | os.O_NONBLOCK)
    try:
        while True:
            os.write(writer, bytes(4096))
    except BlockingIOError:
        pass
    if is_blocking:
        fcntl.fcntl(writer, fcntl.F_SETFL, flags)
    return reader, writer


def run_into(tools, world, stdout, event=None):
    answer = world.run(tools.hook, event or world.denied_event(), stdout=stdout, timeout=PATIENCE)
    os.close(stdout)
    return exit_2(answer)
