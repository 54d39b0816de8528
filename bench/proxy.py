#!/usr/bin/env python3
"""Measures the network of a sandbox: the way through ringfence-proxy beside the same client in the
same network without a sandbox (direct), and beside other proxies that are installed. Everything
takes turns, in short rounds. Prints Markdown tables; asserts nothing. Run it as an ordinary user.

  bench/proxy.py [--rounds N] [--megabytes N] [--only PART,...] [--no-peers] [--srt DIRECTORY]
                 [--no-pins] [--ringfence PROGRAM] [--compare NAME=PROGRAM]... [--update]

Default: the release build, 30 rounds, transfers of 1000 MB. It needs nginx, the development files of
OpenSSL, and unprivileged user namespaces. The last table holds our own ways against their limits.

--only      the parts: tunnels, requests, transfers, memory, rest
--srt       the directory of the npm package @anthropic-ai/sandbox-runtime
--no-pins   does not keep the clients on the first processor and the hosts on the last one
--compare   also measures another build, as columns of their own
--update    writes the tables into docs/performance.md, between their markers, instead of printing them
"""

import argparse
import json
import os
import pathlib
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

from proxy_figures import (IDLE, Column, Goals, Table, add_times, memory_row, note, over, percentile,
                           processes_of, take_turns, to_direct)
from proxy_world import NAME, PLAIN_PORT, ROOT, TLS_PORT, World

INSIDE = "RINGFENCE_BENCH_USER"  # set in the namespaces: the number of the user outside of them
EXPLICIT_PORT = 3128
TUNNELS, REQUESTS, LOOPBACK = 100, 1000, 500
STREAMS = 16
BULK_ROUNDS_EACH = 6  # one round of transfers for so many other rounds
MARKERS = ("<!-- proxy:begin -->", "<!-- proxy:end -->")


class Benchmark:
    def __init__(self, world, options):
        self.world, self.options = world, options
        self.rounds = options.rounds
        self.network = self.policy("network", {"network": {
            "allow": [NAME, f"{NAME}:{PLAIN_PORT}", f"{NAME}:{TLS_PORT}"]}})
        self.offline = self.policy("offline", {})
        self.direct = world.client("direct")
        self.inside = {"": world.client("inside", policy=self.network)}
        for name, program in options.compare:
            self.inside[f" {name}"] = world.client(name, policy=self.network, ringfence=program)
        self.peers, self.absent = ({}, {}) if options.no_peers else world.start_peers(options.srt)
        self.goals = Goals()
        self.text = ""
        self.show(machine(options.rounds))

    def show(self, text):
        self.text += text + "\n"
        if not self.options.update:
            print(text, flush=True)

    def policy(self, name, members):
        file = self.world.base / f"{name}.json"
        file.write_text(json.dumps({"version": 1, **members}), encoding="ascii")
        return file

    def columns(self, *ways, peers="connect"):
        """Direct, some of our own ways, and the peers."""
        found = [Column("direct", self.direct, "direct")]
        vias = {"transparent": "direct", "CONNECT": f"connect:{EXPLICIT_PORT}",
                "SOCKS5": f"socks:{EXPLICIT_PORT}", "explicit": f"http:{EXPLICIT_PORT}"}
        found += [Column(way + name, client, vias[way]) for way in ways for name, client in self.inside.items()]
        # A client of its own for each: a client ends when a connection fails.
        return found + [Column(name, self.world.client(f"to-{name}"), f"{peers}:{port}")
                        for name, (port, _) in self.peers.items()]

    def own(self, figures):
        """Without direct and the peers."""
        return {name: value for name, value in figures.items() if name != "direct" and name not in self.peers}

    # -- new tunnels ------------------------------------------------------------------------------

    def measure_tunnels(self):
        columns = self.columns("transparent", "CONNECT", "SOCKS5")
        table = Table("a new connection, µs", [column.name for column in columns])
        for label, port, kind in (("TCP, first byte back", PLAIN_PORT, "plain"),
                                  ("TLS at port 443, handshake done", 443, "tls")):
            note(f"{label}...")
            answers = take_turns(columns, self.rounds, lambda via, order=(port, kind): (
                "tunnel", via, *order, TUNNELS))
            middles = {name: statistics.median(map(statistics.median, rows)) for name, rows in answers.items()}
            ends = {name: percentile(sum(rows, []), 0.99) for name, rows in answers.items()}
            table.add(f"{label}: median", middles, "{:.0f}")
            more = over("direct", answers, statistics.median)
            table.add("over direct", more, "{:+.0f}")
            self.goals.add(f"{label}: median over direct, µs", 100, self.own(more), "{:+.0f}")
            table.add(f"{label}: 99 %", ends, "{:.0f}")
            more = {name: value - ends["direct"] for name, value in ends.items() if name != "direct"}
            table.add("over direct", more, "{:+.0f}")
            self.goals.add(f"{label}: 99 % over direct, µs", 2000, self.own(more), "{:+.0f}")
        self.show(table.text())

    # -- requests ---------------------------------------------------------------------------------

    def measure_requests(self):
        self.measure_requests_of("requests in a tunnel, TLS", 443, "tls", 0.35,
                                 self.columns("transparent", "CONNECT"))
        self.measure_requests_of("plain HTTP requests", 80, "plain", 0.3,
                                 self.columns("transparent", "explicit", peers="http"))

    def measure_requests_of(self, title, port, kind, limit, columns):
        table = Table(title, [column.name for column in columns])
        for streams in (1, STREAMS):
            label = f"{streams} connection{'s' * (streams > 1)}"
            note(f"{title}, {label}...")
            count = REQUESTS * (2 if streams > 1 else 1)
            answers = take_turns(columns, self.rounds, lambda via, count=count, streams=streams: (
                "requests", via, port, kind, count, streams))
            rates = {name: [len(row[1:]) / row[0] * 1e6 for row in rows] for name, rows in answers.items()}
            table.add(f"{label}: per second", {name: statistics.median(row) for name, row in rates.items()},
                      "{:.0f}")
            ratios = to_direct(rates)
            table.add("to direct", ratios, "{:.2f}")
            self.goals.add(f"{title}, {label}, to direct", limit, self.own(ratios), "{:.2f}", least=True)
            for share in (0.5, 0.99):
                table.add(f"{label}: {share:.0%} within µs".replace("%", " %"), {
                    name: percentile(sum((row[1:] for row in rows), []), share)
                    for name, rows in answers.items()}, "{:.0f}")
        self.show(table.text())

    # -- transfers --------------------------------------------------------------------------------

    def measure_transfers(self):
        size = self.options.megabytes * 1_000_000
        rounds = max(3, self.rounds // BULK_ROUNDS_EACH)
        for title, port, kind, ways, peers in (
                ("in a tunnel, TLS", TLS_PORT, "tls", ("transparent", "CONNECT"), "connect"),
                ("in a tunnel, plain", PLAIN_PORT, "plain", ("transparent", "CONNECT"), "connect"),
                ("plain HTTP", PLAIN_PORT, "http", ("transparent", "explicit"), "http")):
            columns = self.columns(*ways, peers=peers)
            table = Table(f"{self.options.megabytes} MB, {title}", [column.name for column in columns])
            for label, way in (("download", "D"), ("upload", "U")):
                note(f"{title}, {label}...")
                answers = take_turns(columns, rounds, lambda via, order=(port, kind, way): (
                    "bulk", via, *order, size))
                rates = {name: [size / row[0] for row in rows] for name, rows in answers.items()}
                table.add(f"{label}, MB/s", {name: statistics.median(row) for name, row in rates.items()}, "{:.0f}")
                ratios = to_direct(rates)
                table.add("to direct", ratios, "{:.2f}")
                self.goals.add(f"{self.options.megabytes} MB, {title}, {label}, to direct", 0.7, self.own(ratios),
                               "{:.2f}", least=True)
            self.show(table.text())

    # -- memory -----------------------------------------------------------------------------------

    def measure_memory(self):
        note(f"{IDLE} idle tunnels...")
        lines = [f"| {IDLE} idle tunnels | RSS before, MiB | RSS growth | PSS before | PSS growth |",
                 "|---|---|---|---|---|"]
        before = set(processes_of("ringfence-proxy"))
        client = self.world.client("idle", policy=self.network)
        client.ask("tunnel", "direct", PLAIN_PORT, "plain", 10)
        session = sorted(set(processes_of("ringfence-proxy")) - before)
        row, total = memory_row("broker and worker", client, "direct", session)
        lines.append(row)
        self.goals.add(f"{IDLE} idle tunnels: RSS of broker and worker, MiB", 16, {"both": total} if total else {},
                       "{:.1f}")
        client.close()
        for name, (port, process) in self.peers.items():
            client = self.world.client(f"idle-{name}")
            client.ask("tunnel", f"connect:{port}", PLAIN_PORT, "plain", 10)
            lines.append(memory_row(name, client, f"connect:{port}", [process.pid])[0])
            client.close()
        self.show("\n".join(lines) + "\n")

    # -- the rest ---------------------------------------------------------------------------------

    def measure_rest(self):
        offline = self.world.client("offline", host="-", policy=self.offline)
        columns = [Column("no sandbox", self.direct, ""), Column("no network", offline, ""),
                   Column("network", self.inside[""], "")]
        note("connect to the loopback...")
        table = Table("µs", [column.name for column in columns])
        answers = take_turns(columns, self.rounds, lambda _: ("loopback", LOOPBACK))
        add_times(table, "connect to 127.0.0.1", answers)
        for base in ("no network", "no sandbox"):
            more = over(base, {name: answers[name] for name in (base, "network")}, statistics.median)
            table.add(f"over {base}", more, "{:+.1f}")
            self.goals.add(f"connect to 127.0.0.1: median over {base}, µs", 10, more, "{:+.1f}")
        note("lookups...")
        answers = take_turns([columns[0], columns[2]], self.rounds, lambda _: ("lookup", TUNNELS))
        add_times(table, "lookup of a name (outside: in /etc/hosts)", answers)
        offline.close()
        self.show(table.text())
        self.measure_starts()

    def measure_starts(self):
        note("starts...")
        runs = max(10, self.rounds * 4)
        homes = self.world.base / "homes"
        homes.mkdir()
        process = self.world.start(
            [sys.executable, ROOT / "bench/network_starts.py", runs, self.world.ringfence,
             self.world.project / "true", self.offline, self.network, homes], "starts",
            stdout=subprocess.PIPE, text=True)
        rows = [[float(word) for word in line.split()] for line in process.stdout.read().splitlines()]
        names = ["no network", "network, a proxy runs", "network, no proxy runs"]
        if process.wait() != 0:
            return note((self.world.base / "starts.err").read_text()[-500:])
        table = Table("`ringfence run -- true`, ms", names)
        times = {name: [value / 1000 for value in row] for name, row in zip(names, rows)}
        for label, share in (("median", 0.5), ("90 %", 0.9), ("99 %", 0.99)):
            table.add(label, {name: percentile(row, share) for name, row in times.items()}, "{:.2f}")
        # Each start beside that of its own round.
        more = {name: statistics.median(one - other for one, other in zip(times[name], times[names[0]]))
                for name in names[1:]}
        table.add("over no network", more, "{:+.2f}")
        self.goals.add("`ringfence run -- true`: median over no network, ms", 1, more, "{:+.2f}")
        self.show(table.text())


def machine(rounds):
    model = "unknown CPU"
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            model = line.split(": ", 1)[1]
            break
    return (f"{model} ({os.cpu_count()} CPUs), Linux {platform.release()}, load {os.getloadavg()[0]:.1f}, "
            f"{rounds} rounds:\n")


def update_page(text):
    page = ROOT / "docs/performance.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(MARKERS[0])
    _, end, after = rest.partition(MARKERS[1])
    if not end:
        sys.exit(f"proxy.py: {page} does not have its two markers")
    page.write_text(f"{before}{MARKERS[0]}\n{text}{MARKERS[1]}{after}", encoding="utf-8")
    note(f"proxy.py: wrote the figures of the proxy into {page}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--ringfence", type=os.path.realpath, default=str(ROOT / "build/release/ringfence"))
    parser.add_argument("--srt", type=os.path.realpath)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--no-pins", action="store_true")
    parser.add_argument("--compare", action="append", default=[], metavar="NAME=PROGRAM",
                        type=lambda text: text.split("=", 1))
    parser.add_argument("--only", default="tunnels,requests,transfers,memory,rest")
    return parser.parse_args()


def enter_namespaces():
    """Starts this program again as the root of namespaces, in which all that it starts ends with it."""
    missing = [name for name in ("nginx", "openssl", "cc", "ip", "unshare")
               if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    reasons = [f"{name} is not installed" for name in missing]
    if os.geteuid() == 0:
        reasons.append("it needs an ordinary user, as root has more to hide")
    if reasons:
        note(f"proxy.py: not measured: {'; '.join(reasons)}")
        sys.exit(0)  # bench/run.sh goes on
    os.environ[INSIDE] = str(os.geteuid())
    os.execvp("unshare", ["unshare", "--user", "--map-root-user", "--net", "--mount", "--pid", "--fork",
                          "--kill-child", "--mount-proc", sys.executable, *sys.argv])


def main():
    options = parse()
    if INSIDE not in os.environ:
        enter_namespaces()
    # This is the first process of its namespace, which no signal ends otherwise.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # Not below /tmp: every sandbox has its own /tmp.
    cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~"))
    with tempfile.TemporaryDirectory(prefix="ringfence-bench.", dir=cache) as base:
        world = World(base, options.ringfence, int(os.environ[INSIDE]), not options.no_pins)
        try:
            if not world.start_hosts():
                sys.exit(1)
            benchmark = Benchmark(world, options)
            for part in options.only.split(","):
                getattr(benchmark, f"measure_{part}")()
        finally:
            world.close()
    benchmark.show(benchmark.goals.text())
    for name, reason in benchmark.absent.items():
        benchmark.show(f"Not measured: {name}, {reason}.\n")
    if options.update:
        update_page(benchmark.text)


if __name__ == "__main__":
    main()
