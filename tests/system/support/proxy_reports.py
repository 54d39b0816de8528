"""The option --proxy: what a sanitizer's build of the proxy has to say (proxy/sanitizer_reports.cc), and
how much memory it needs."""

import os
import pathlib
import re
import shutil
import subprocess

from proxy_processes import until

BEGIN = b"begin"  # each process that has a pipe says so
# The preset coverage also counts, but a confined worker can write no file.
COUNTS = b"LLVM Profile Error: Failed to write file"
PLACE = re.compile(rb"\(\S*/ringfence-proxy\+(0x[0-9a-f]+)\)")


# How many times as much memory as the program that ships a build may use, by a function of its sanitizer:
# it has a shadow of the memory, and keeps what was freed for a while. All other limits are the same.
MEMORY = {b"__asan_init": 10, b"__tsan_init": 8}


def memory_scale(program):
    """Of the option's program, or None."""
    if program is None:
        return 1
    code = pathlib.Path(program).read_bytes()
    found = [scale for name, scale in MEMORY.items() if name in code]
    assert len(found) == 1, f"{program} was built without a sanitizer, or with two"
    return found[0]


class Reports:
    """The pipes of all tests. They are read at the end: a proxy lives on for some seconds after its test."""

    def __init__(self, program):
        self.program = program
        self.pipes = {}

    def collect(self, test, program):
        """To be called before the program starts."""
        pipe = f"{program}.reports"
        os.mkfifo(pipe)
        os.chmod(pipe, 0o666)
        self.pipes[test] = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    def close(self):
        """Waits until every process has ended; what they have said is a failure."""
        said = {test: self.all_of(test) for test in self.pipes}
        wrong = []
        for test, lines in said.items():
            lines = [self.with_names(line) for line in lines if line != BEGIN and not line.startswith(COUNTS)]
            if lines:
                wrong.append(test)
                print(f"-- {test}", *lines, sep="\n")
        assert not wrong, f"a sanitizer has reported something in {wrong}"
        assert not said or any(BEGIN in lines for lines in said.values()), "no proxy has opened its pipe"

    def all_of(self, test):
        pipe, text = self.pipes[test], bytearray()
        until(lambda: ended(pipe, text), f"{test}: the end of the proxy")
        os.close(pipe)
        return text.splitlines()

    def with_names(self, line):
        """A line of a stack, with the function and the place in the source."""
        place = PLACE.search(line)
        text = line.decode(errors="replace")
        if place is None or shutil.which("llvm-symbolizer") is None:
            return text
        command = ["llvm-symbolizer", "--pretty-print", "--no-inlines", f"--obj={self.program}", place[1]]
        return text + " " + subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def ended(pipe, text):
    """True once no process has the other end."""
    try:
        while part := os.read(pipe, 65536):
            text += part
        return True
    except BlockingIOError:
        return False
