#!/usr/bin/env python3
"""Measures what `ringfence stage` costs, beside the same work without a stage and with git's
worktrees. Prints Markdown tables; asserts nothing. Run it as an ordinary user: root has more to
hide.

    bench/stage.py [--rounds N] [--starts N] [--ringfence PROGRAM] [--update]

Default: the release build, 15 rounds, 200 starts. --update writes the tables into
docs/performance.md, between its markers, instead of printing them.
"""

import argparse
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS, FILES = 200, 100  # 20,000 files
ADDED, MODIFIED, REMOVED, TOUCHED = 5000, 500, 200, 100
MERGED, LINES = 200, 1000
GIT = ["git", "-c", "user.name=n", "-c", "user.email=e", "-c", "core.fsync=none", "-c", "gc.auto=0"]


class Bench:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.project = work / "project"
        self.environment = {"HOME": str(work / "home"), "PATH": os.environ["PATH"]}
        (work / "home").mkdir()
        self.write_files = self.compile("write_files")
        self.spawn_bench = self.compile("spawn_bench")
        (work / "true.c").write_text("int main(void) { return 0; }\n")
        self.true = self.compile("true", work)
        self.make_project()

    def compile(self, name, folder=ROOT / "bench"):
        subprocess.run(["cc", "-O2", "-static", "-o", self.work / name, folder / f"{name}.c"], check=True)
        return str(self.work / name)

    def make_project(self):
        for folder in range(FOLDERS):
            (self.project / f"src/{folder}").mkdir(parents=True)
            for file in range(FILES):
                text = "".join(f"line {line} of {folder}/{file}\n" for line in range(40))
                (self.project / f"src/{folder}/{file}.c").write_text(text)
        for number in range(MERGED):
            text = "".join(f"line {line} of {number}, which is as long as lines are\n" for line in range(LINES))
            (self.project / f"long{number}.txt").write_text(text)
        self.run("git", "init", "-q", "-b", "main")
        self.run(*GIT, "add", "-A")
        self.run(*GIT, "commit", "-qm", "all")

    def run(self, *command, cwd=None):
        done = subprocess.run(command, cwd=cwd or self.project, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode != 0:
            sys.exit(f"stage.py: {command}: {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def timed(self, *command, cwd=None):
        begun = time.perf_counter()
        self.run(*command, cwd=cwd)
        return (time.perf_counter() - begun) * 1000

    def ringfence(self, *arguments):
        return [self.options.ringfence, *arguments]

    def stage(self, script):
        """Runs a script in a stage that is kept."""
        out = self.run(*self.ringfence("stage", "run", "--keep", "--json", "--", "sh", "-ec", script))
        return json.loads(out)["id"]

    def starts(self):
        commands = ["ringfence run", *self.ringfence("run", "--", self.true), ",",
                    "ringfence stage run", *self.ringfence("stage", "run", "--", self.true)]
        if shutil.which("try"):
            commands += [",", "try", "try", "-n", self.true]
        out = self.run(self.spawn_bench, str(self.options.starts), "/dev/null", *commands)
        rows = [line.split("\t") for line in out.splitlines()]
        return {row[0]: tuple(float(value) / 1000 for value in row[1:4]) for row in rows}

    def writing(self):
        """The milliseconds that writing takes, without the start of the sandbox."""
        target = str(self.project / "written")
        bare = float(self.run(self.write_files, target))
        shutil.rmtree(target)
        inside = float(self.run(*self.ringfence("run", "--", self.write_files, target)))
        shutil.rmtree(target)
        staged = float(self.run(*self.ringfence("stage", "run", "--discard", "--", self.write_files, target)))
        return {"bare": bare, "run": inside, "stage": staged}

    def many_changes(self):
        """The script that makes 5,800 changes."""
        names = [f"src/{folder}/{file}.c" for folder in range(FOLDERS) for file in range(FILES)]
        modified, rest = names[:MODIFIED], names[MODIFIED:]
        removed, touched = rest[:REMOVED], rest[REMOVED:REMOVED + TOUCHED]
        return (f"{self.write_files} added > /dev/null\n"
                f"for f in {' '.join(modified)}; do echo more >> $f; done\n"
                f"rm {' '.join(removed)}\n"
                f"for f in {' '.join(touched)}; do cp $f t; cat t > $f; done; rm t\n")

    def listing(self, stage):
        return {"list": self.timed(*self.ringfence("stage", "diff", stage, "--name-only"))}

    def applying(self, stage):
        return {"apply": self.timed(*self.ringfence("stage", "apply", stage)),
                "undo": self.timed(*self.ringfence("stage", "undo", stage))}

    def merging(self):
        """The milliseconds for one file, over an apply of the same files that merges nothing."""
        edit = f"for i in $(seq 0 {MERGED - 1}); do sed -i 's/^line 900 /staged /' long$i.txt; done"
        stage = self.stage(edit)
        plain = self.timed(*self.ringfence("stage", "apply", stage))
        self.run(*self.ringfence("stage", "undo", stage))
        self.run("sh", "-ec", edit.replace("line 900 ", "line 100 ").replace("staged", "mine"))
        merged = self.timed(*self.ringfence("stage", "apply", stage))
        self.run(*self.ringfence("stage", "discard", stage))
        self.run("git", "checkout", "-q", ".")
        return {"merge": (merged - plain) / MERGED}

    def worktree(self):
        """git's way to the same: another checkout, status, a commit and a merge."""
        tree = self.work / "worktree"
        add = self.timed(*GIT, "worktree", "add", "-q", "-b", "stage", str(tree))
        self.run("sh", "-ec", self.many_changes(), cwd=tree)
        status = self.timed(*GIT, "status", "--porcelain", cwd=tree)
        commit = self.timed("sh", "-ec", f"{' '.join(GIT)} add -A; {' '.join(GIT)} commit -qm x", cwd=tree)
        merge = self.timed(*GIT, "merge", "-q", "stage")
        self.run(*GIT, "reset", "-q", "--hard", "HEAD~1")
        remove = self.timed(*GIT, "worktree", "remove", "--force", str(tree))
        self.run(*GIT, "branch", "-qD", "stage")
        return {"worktree": add + remove, "status": status, "merge in git": commit + merge}


class Figures:
    """Samples of each figure, by its name."""

    def __init__(self):
        self.samples = {}

    def add(self, figures):
        for name, value in figures.items():
            self.samples.setdefault(name, []).append(value)

    def median(self, name):
        return statistics.median(self.samples[name])

    def ratio(self, name, other):
        return statistics.median(a / b for a, b in zip(self.samples[name], self.samples[other]))


def measure(bench):
    figures = Figures()
    starts = bench.starts()
    changes = bench.many_changes()
    many = bench.stage(changes)
    written = bench.stage(f"{bench.write_files} written > /dev/null")
    for number in range(bench.options.rounds):
        print(f"round {number + 1}...", file=sys.stderr)
        for part in (bench.writing(), bench.listing(many), bench.applying(written), bench.merging()):
            figures.add(part)
        if number < 5:
            figures.add(bench.worktree())
    return starts, figures


def met(value, limit):
    return "yes" if value <= limit else "no"


def tables(starts, figures, options):
    lines = [f"{cpu()} ({os.cpu_count()} CPUs), {platform.system()} {platform.release()}, user {os.getuid()}, load"
             f" {os.getloadavg()[0]:.1f}, {options.starts} starts and {options.rounds} rounds in turns:", "",
             "| start and end of an empty command | median ms | 10 % to 90 % |", "|---|---|---|"]
    lines += [f"| {name} | {middle:.2f} | {low:.2f} to {high:.2f} |" for name, (middle, low, high) in starts.items()]
    plain, staged = starts["ringfence run"], starts["ringfence stage run"]
    rows = [("a stage over `ringfence run`: median, ms", "+2", staged[0] - plain[0], 2, "{:+.2f}"),
            ("the same: 90 %, ms", "+8", staged[2] - plain[2], 8, "{:+.2f}"),
            ("writing 5,000 small files, to bare", "1.6", figures.ratio("stage", "bare"), 1.6, "{:.2f}"),
            ("the same, to `ringfence run`", "1.6", figures.ratio("stage", "run"), 1.6, "{:.2f}"),
            ("listing 5,800 changes in a tree of 20,000 files, ms", "100", figures.median("list"), 100, "{:.0f}"),
            ("applying 5,000 files, ms", "500", figures.median("apply"), 500, "{:.0f}"),
            ("merging a text of 1,000 lines, ms", "1", figures.median("merge"), 1, "{:.2f}")]
    lines += ["", "| what | limit | measured | met |", "|---|---|---|---|"]
    lines += [f"| {what} | {text} | {form.format(value)} | {met(value, limit)} |"
              for what, text, value, limit, form in rows]
    lines += ["", "| beside it | median ms |", "|---|---|"]
    others = [("writing 5,000 small files, bare", "bare"), ("the same in `ringfence run`", "run"),
              ("the same in a stage", "stage"), ("taking the 5,000 files back", "undo"),
              ("`git worktree` add and remove, 20,000 files", "worktree"),
              ("`git status` of the 5,800 changes", "status"),
              ("`git add`, `commit` and `merge` of them", "merge in git")]
    lines += [f"| {what} | {figures.median(name):.0f} |" for what, name in others]
    if not shutil.which("try"):
        lines += ["", "try is not installed here; Debian has no package of it."]
    return "\n".join(lines) + "\n"


def cpu():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(": ", 1)[1]
    return "unknown CPU"


def update(text):
    page = ROOT / "docs/performance.md"
    before, rest = page.read_text().split("<!-- stage:begin -->\n")
    after = rest.split("<!-- stage:end -->")[1]
    page.write_text(f"{before}<!-- stage:begin -->\n{text}<!-- stage:end -->{after}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--starts", type=int, default=200)
    parser.add_argument("--ringfence", type=os.path.abspath, default=str(ROOT / "build/release/ringfence"))
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    # Not below /tmp: every sandbox has its own /tmp.
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    os.makedirs(cache, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ringfence-bench.", dir=cache) as work:
        text = tables(*measure(Bench(options, pathlib.Path(os.path.realpath(work)))), options)
    if options.update:
        update(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
