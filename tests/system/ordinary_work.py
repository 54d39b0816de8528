#!/usr/bin/env python3
"""Ordinary work bare and inside `ringfence run`: the same status, output and files.

    ordinary_work.py --ringfence PROGRAM [--only TEXT] [--table]

The rows are in ordinary_rows.py. What is not installed is skipped.
"""

import argparse
import fnmatch
import hashlib
import inspect
import os
import pathlib
import shutil
import stat
import sys

from hook_world import Report
from ordinary_rows import ROWS
from ordinary_user import add_options, run_in_folder
from run_world import RunWorld, finish

PATH = "/usr/local/bin:/usr/bin:/bin"
SECONDS = 120
DATE = "2026-01-02T03:04:05Z"
VARIABLES = {
    "LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1",
    "GIT_AUTHOR_NAME": "n", "GIT_AUTHOR_EMAIL": "n@e", "GIT_AUTHOR_DATE": DATE,
    "GIT_COMMITTER_NAME": "n", "GIT_COMMITTER_EMAIL": "n@e", "GIT_COMMITTER_DATE": DATE,
    "GIT_TEMPLATE_DIR": "",  # a new repository inside has no sample hooks
}
# Content that has times or inode numbers in it.
ALWAYS_LOOSE = ("index", "*.pyc", "*.gz", "*.tgz", "*.pack", "*.idx", "*.rev", "multi-pack-index", "commit-graph",
                "*.o", "*.a", "*.so", "*.deb", "*.log")


class Side:
    """One of the two runs of a row: a home and a project of its own, by the same names."""

    def __init__(self, options, base):
        self.world = RunWorld(options, base / "world")
        shutil.rmtree(self.world.project / "src")

    def environment(self):
        return {**self.world.environment, **VARIABLES}

    def bare(self, script):
        return finish(self.world.start(["/bin/sh", "-ec", script], env=self.environment()), SECONDS)

    def confined(self, script):
        return self.world.run("/bin/sh", "-ec", script, seconds=SECONDS, env=self.environment())

    def tree(self, loose):
        """Each file of the project: its mode, its content and its access control lists."""
        return {str(path.relative_to(self.world.project)): facts(path, loose)
                for path in sorted(self.world.project.rglob("*"))}

    def remove(self):
        for path in [self.world.base, *self.world.base.rglob("*")]:
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o700)
        shutil.rmtree(self.world.base)


def facts(path, loose):
    found = path.lstat()
    content = ""
    if stat.S_ISLNK(found.st_mode):
        content = os.readlink(path)
    elif stat.S_ISREG(found.st_mode) and not is_loose(path.name, loose):
        content = hashlib.sha256(path.read_bytes()).hexdigest() if found.st_mode & 0o400 else "closed"
    lists = tuple(os.getxattr(path, name, follow_symlinks=False).hex() for name in
                  sorted(os.listxattr(path, follow_symlinks=False)) if name.startswith("system.posix_acl"))
    return (stat.filemode(found.st_mode), content, *lists)


def is_loose(name, loose):
    return any(fnmatch.fnmatch(name, pattern) for pattern in (*ALWAYS_LOOSE, *loose.split()))


class Outcome:
    def __init__(self, done, tree):
        self.status, self.output, self.tree = done.returncode, done.stdout, tree
        self.errors = done.stderr

    def differences(self, other):
        if self.status != other.status:
            yield f"status {self.status}, confined {other.status}: {other.errors[-400:]}"
        if self.output != other.output:
            yield f"output {self.output[-300:]!r}, confined {other.output[-300:]!r} {other.errors[-300:]}"
        for name in sorted(self.tree.keys() | other.tree.keys()):
            one, two = self.tree.get(name), other.tree.get(name)
            if one != two:
                yield f"{name}: {one}, confined {two}"


def outcome(row, options, base, how):
    side = Side(options, base)
    try:
        if row.before:
            done = side.bare(row.before)
            assert done.returncode == 0, f"before: {done.stderr[-400:]}"
        done = getattr(side, how)(row.script)
        return Outcome(done, side.tree(row.loose))
    finally:
        side.remove()


def problem_of(row, options, base):
    bare = outcome(row, options, base, "bare")
    if bare.status not in (0, 3):  # 3: a row that tests the status
        return f"fails without a sandbox: status {bare.status}: {bare.errors[-400:]}"
    found = list(bare.differences(outcome(row, options, base, "confined")))
    if row.differs:
        return "" if found else f"does not differ any more: {row.differs}"
    return "; ".join(found[:4])


def missing(row):
    return [name for name in row.needs.split() if not shutil.which(name, path=PATH)]


def print_table():
    for row in ROWS:
        print(f"{row.name:40} {row.differs or 'as without a sandbox'}")


def run_all(options, base):
    report = Report()
    for row in ROWS:
        if options.only and options.only not in row.name:
            continue
        lacks = missing(row)
        if lacks:
            report.skip(row.name, f"{', '.join(lacks)}: not installed")
            continue
        try:
            report.check(row.name, problem_of(row, options, pathlib.Path(base)))
        except (AssertionError, OSError) as problem:
            report.check(row.name, f"{type(problem).__name__}: {problem}")
    return report.finish()


def main():
    parser = argparse.ArgumentParser(description=inspect.getdoc(sys.modules[__name__]).split("\n")[0])
    parser.add_argument("--ringfence", required="--table" not in sys.argv, type=os.path.abspath)
    parser.add_argument("--only", metavar="TEXT", help="only the rows whose name holds this")
    parser.add_argument("--table", action="store_true", help="print the rows and stop")
    add_options(parser)
    options = parser.parse_args()
    if options.table:
        return print_table()
    return run_in_folder(options, ("ringfence",), run_all)


if __name__ == "__main__":
    sys.exit(main())
