#!/usr/bin/env python3
"""Times `ringfence run` with and without a network policy, for bench/proxy.py: the start and the end
of a program that does nothing.

  network_starts.py RUNS RINGFENCE PROGRAM OFFLINE-POLICY NETWORK-POLICY DIRECTORY

In the home of the environment an egress proxy of the user runs already. For a start without one,
each gets a new home in DIRECTORY; its proxy is ended afterwards. Prints one line for each kind: all
times, in microseconds.
"""

import os
import pathlib
import signal
import sys
import time

SETTLE = 0.02  # seconds for what a start leaves to be done, which is not to slow the next one


def proxies():
    found = set()
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if b"ringfence-proxy" in (folder / "cmdline").read_bytes().split(b"\0")[0]:
                found.add(int(folder.name))
        except OSError:
            pass  # has just ended
    return found


def end(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def time_start(command, environment):
    began = time.perf_counter()
    pid = os.posix_spawn(command[0], command, environment)
    _, status = os.waitpid(pid, 0)
    took = time.perf_counter() - began
    if status != 0:
        sys.exit(f"{command}: {status}")
    time.sleep(SETTLE)
    return took * 1e6


def main():
    runs, ringfence, program, offline, network, folder = sys.argv[1:]

    def command(policy):
        return [ringfence, "run", "--policy", policy, "--", program]

    def fresh_start(number):
        home = pathlib.Path(folder) / str(number)
        home.mkdir()
        before = proxies()
        took = time_start(command(network), {**os.environ, "HOME": str(home)})
        end(proxies() - before)
        return took

    kinds = [lambda _: time_start(command(offline), os.environ),
             lambda _: time_start(command(network), os.environ), fresh_start]
    times = [[] for _ in kinds]
    for run in range(int(runs)):
        for turn in range(len(kinds)):
            kind = (run + turn) % len(kinds)
            times[kind].append(kinds[kind](run))
    for row in times:
        print(" ".join(f"{value:.1f}" for value in row))


if __name__ == "__main__":
    main()
