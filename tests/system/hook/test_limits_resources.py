"""Decreasing resource limits, and the memory that an event takes."""

import pathlib
import resource
import struct
import subprocess

import pytest

from hook_world import HookWorld
from limits_tools import blocked, not_open

pytestmark = pytest.mark.serial

KIB, MIB = 1024, 1024 * 1024
PEAK_KIB = 3 * KIB  # for a Write of 10 MB

EMPTY_PROGRAM = """
static const volatile char constant[CONSTANT] = {1};
static volatile char variable[VARIABLE];
int main(void) { return constant[0] + variable[0] - 1; }
"""


def falling(start, factor):
    value = start
    while value >= 1:
        yield int(value)
        value *= factor
    yield 0


# (name, number, values from wide to narrow)
LIMITS = (
    ("RLIMIT_AS", resource.RLIMIT_AS, lambda: falling(64 * MIB, 0.97)),
    ("RLIMIT_DATA", resource.RLIMIT_DATA, lambda: falling(16 * MIB, 0.94)),
    ("RLIMIT_STACK", resource.RLIMIT_STACK, lambda: falling(8 * MIB, 0.94)),
    ("RLIMIT_NOFILE", resource.RLIMIT_NOFILE, lambda: range(16, -1, -1)),
    ("RLIMIT_FSIZE", resource.RLIMIT_FSIZE, lambda: falling(4 * KIB, 0.7)),
    # At 0 the kernel kills any process at the next tick.
    ("RLIMIT_CPU", resource.RLIMIT_CPU, lambda: (2, 1)),
    ("RLIMIT_NPROC", resource.RLIMIT_NPROC, lambda: (1, 0)),
    ("RLIMIT_MEMLOCK", resource.RLIMIT_MEMLOCK, lambda: (4 * KIB, 0)),
    ("RLIMIT_SIGPENDING", resource.RLIMIT_SIGPENDING, lambda: (1, 0)),
    ("RLIMIT_CORE", resource.RLIMIT_CORE, lambda: (0,)),
)


def loaded_bytes(path):
    """The bytes of an ELF program that the kernel maps before it runs: (constant, variable)."""
    image = pathlib.Path(path).read_bytes()
    offset, = struct.unpack_from("<Q", image, 32)
    size, count = struct.unpack_from("<HH", image, 54)
    loads = [0, 0]
    for i in range(count):
        kind, flags = struct.unpack_from("<II", image, offset + i * size)
        if kind == 1:  # PT_LOAD
            loads[bool(flags & 2)] += struct.unpack_from("<Q", image, offset + i * size + 40)[0]
    return loads


def empty_program(tools):
    """A static program that does nothing and is at least as large as the hook: at a limit at
    which this program does not start, the kernel kills the hook before its first instruction."""
    source = tools.folder / "empty.c"
    source.write_text(EMPTY_PROGRAM)
    plain = tools.compile(source, "plain", "-DCONSTANT=1", "-DVARIABLE=1")
    if plain is None or tools.launcher is None:
        pytest.skip("cc cannot link a static program")
    missing = [max(1, hook - empty)
               for hook, empty in zip(loaded_bytes(tools.hook), loaded_bytes(plain))]
    return tools.compile(source, "empty", f"-DCONSTANT={missing[0]}", f"-DVARIABLE={missing[1]}")


def tries(number, value):
    """The kernel randomizes the stack by some pages."""
    return 40 if number == resource.RLIMIT_STACK and value < 64 * KIB else 1


def starts(tools, empty, number, value):
    """True if it starts every time. The stack also holds the hook's name, arguments and
    environment, and what the C library needs before main."""
    command = [str(tools.launcher), "limit", str(number), str(value), str(empty)]
    environment = {"PAD": "x" * 2048}
    return all(subprocess.run(command, check=False, env=environment,
                              stderr=subprocess.DEVNULL).returncode == 0 for _ in range(tries(number, value)))


def test_decreasing_limits(tools, checks):
    empty = empty_program(tools)
    for name, number, values in LIMITS:
        problems, smallest = [], None
        for value in dict.fromkeys(values()):
            if not starts(tools, empty, number, value):
                break
            smallest = value
            problems += problems_at(tools, number, value)
        print(f"{name}: down to {smallest}", flush=True)
        if smallest is None:
            problems.append("the empty program did not start at all")
        checks.check(name, "; ".join(problems[:3]))


def problems_at(tools, number, value):
    prefix = [str(tools.launcher), "limit", str(number), str(value)]
    with HookWorld(log="present") as world:
        for kind, problem_of in (("denied", blocked), ("permitted", not_open)) * tries(number, value):
            answer = world.run(tools.hook, getattr(world, f"{kind}_event")(), prefix=prefix)
            if problem := problem_of(answer):
                yield f"{kind} at {value}: {problem}"
        _, problems = world.log_lines()
        yield from (f"log at {value}: {problem}" for problem in problems)


def test_answer_into_a_file_at_its_size_limit(tools):
    """The kernel writes a part of the answer: half a denial does not count."""
    if tools.launcher is None:
        pytest.skip("cc cannot link a static program")
    problems = []
    for size in (0, 1, 100):
        with HookWorld() as world, open(world.base / "out", "wb") as out:
            prefix = [str(tools.launcher), "limit", str(resource.RLIMIT_FSIZE), str(size)]
            answer = world.run(tools.hook, world.denied_event(), prefix=prefix, stdout=out)
            if answer.status != 2:
                problems.append(f"{size} bytes: {answer}")
    assert not problems


def peak_kib(tools, world, event):
    if tools.launcher is None:
        pytest.skip("cc cannot link a static program")
    figure = world.base / "peak"
    answer = world.run(tools.hook, event, prefix=[str(tools.launcher), "peak", str(figure)])
    return answer, int(figure.read_text())


def test_memory_for_ten_megabytes(tools, checks):
    for name, members in (("the path first", ("file_path", "content")),
                          ("the path last", ("content", "file_path")),
                          ("an unknown member", ("file_path", "later"))):
        with HookWorld() as world:
            values = {"file_path": str(world.project / "x"), "content": "x" * 10_000_000,
                      "later": ["y" * 1000] * 10_000}
            event = world.event("Write", {member: values[member] for member in members})
            answer, peak = peak_kib(tools, world, event)
        print(f"10 MB, {name}: peak {peak} KiB", flush=True)
        problem = "" if answer.verdict == "permitted" else str(answer)
        checks.check(name, problem or (peak > PEAK_KIB and f"{peak} KiB"))
