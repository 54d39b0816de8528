"""What bench/proxy.py makes of its measurements: turns of several ways, their figures, and tables."""

import os
import pathlib
import statistics
import sys

from proxy_world import PLAIN_PORT

IDLE = 1000  # tunnels


def note(text):
    print(text, file=sys.stderr, flush=True)


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


class Column:
    """One way to the host: a client, and how it is told to go."""

    def __init__(self, name, client, via):
        self.name, self.client, self.via = name, client, via


def take_turns(columns, rounds, words):
    """For each column, the answers of all rounds; a column whose client fails has none. `words` makes
    the client's order from VIA."""
    answers = {column.name: [] for column in columns}
    for number in range(-1, rounds):
        for turn in range(len(columns)):
            column = columns[(number + turn) % len(columns)]
            answer = column.client.ask(*words(column.via)) if answers[column.name] is not None else None
            if answer is None:
                if answers[column.name] is not None:
                    note(f"{column.name}: {' '.join(map(str, words(column.via)))}: {column.client.errors()}")
                answers[column.name] = None
            elif number >= 0:  # the first round is for warming up
                answers[column.name].append(answer)
    return {name: answer for name, answer in answers.items() if answer}


class Table:
    """Rows of figures, one column for each way."""

    def __init__(self, title, names):
        self.names = names
        self.lines = [f"| {title} | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]

    def add(self, label, figures, form):
        cells = [form.format(figures[name]) if name in figures else "" for name in self.names]
        self.lines.append(f"| {label} | {' | '.join(cells)} |")

    def text(self):
        return "\n".join(self.lines) + "\n"


class Goals:
    """The limits, and what our own ways have reached of them."""

    def __init__(self):
        self.rows = []

    def add(self, what, limit, figures, form, least=False):
        """`figures`: of our own ways. `least`: at least the limit, rather than at most."""
        if not figures:
            return self.rows.append(f"| {what} | {form.format(limit)} | failed | no |")
        met = [name for name, value in figures.items() if (value >= limit if least else value <= limit)]
        measured = ", ".join(f"{name} {form.format(value)}" for name, value in figures.items())
        verdict = "yes" if len(met) == len(figures) else f"{' and '.join(met)} only" if met else "no"
        limit_text = f"at {'least' if least else 'most'} {form.format(limit)}"
        return self.rows.append(f"| {what} | {limit_text} | {measured} | {verdict} |")

    def text(self):
        head = ["| what | limit | measured | met |", "|---|---|---|---|"]
        return "\n".join(head + self.rows) + "\n"


def over(base, answers, summary):
    """The median over the rounds of the difference to the same round of `base`."""
    return {name: statistics.median(summary(row) - summary(other) for row, other in zip(rows, answers[base]))
            for name, rows in answers.items() if name != base}


def to_direct(rates):
    return {name: statistics.median(rate / base for rate, base in zip(row, rates["direct"]))
            for name, row in rates.items() if name != "direct"}


def add_times(table, label, answers):
    for share in (0.5, 0.99):
        table.add(f"{label}: {'median' if share == 0.5 else '99 %'}", {
            name: percentile(sum(rows, []), share) for name, rows in answers.items()}, "{:.1f}")


def processes_of(name):
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.path.basename((folder / "cmdline").read_bytes().split(b"\0")[0]).decode() == name:
                found.append(int(folder.name))
        except OSError:
            pass  # has just ended
    return found


def memory_of(pids):
    """RSS and PSS of the processes together, in MiB."""
    sums = {"Rss:": 0, "Pss:": 0}
    for pid in pids:
        for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            word, *rest = line.split()
            if word in sums:
                sums[word] += int(rest[0])
    return [value / 1024 for value in sums.values()]


def memory_row(label, client, via, pids):
    """A row of a table, and the RSS with the tunnels; None if the client failed."""
    before = memory_of(pids)
    if client.ask("idle", via, PLAIN_PORT, IDLE) is None:
        return f"| {label} | failed: {client.errors()} | | | |", None
    after = memory_of(pids)
    cells = [f"{old:.1f} | {new - old:+.1f}" for old, new in zip(before, after)]
    return f"| {label} | {' | '.join(cells)} |", after[0]
