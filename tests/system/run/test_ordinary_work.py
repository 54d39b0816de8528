"""Ordinary work without a sandbox and in `ringfence run`: the same status, output and files.

The rows are in ordinary_rows.py. Rows whose programs are not installed are skipped.
"""

import fnmatch
import hashlib
import os
import shutil
import stat

import pytest

from ordinary_rows import ROWS
from run_world import RunWorld, finish

pytestmark = pytest.mark.as_user

PATH = "/usr/local/bin:/usr/bin:/bin"
SECONDS = 120
DATE = "2026-01-02T03:04:05Z"
VARIABLES = {
    "LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1",
    "GIT_AUTHOR_NAME": "n", "GIT_AUTHOR_EMAIL": "n@e", "GIT_AUTHOR_DATE": DATE,
    "GIT_COMMITTER_NAME": "n", "GIT_COMMITTER_EMAIL": "n@e", "GIT_COMMITTER_DATE": DATE,
    "GIT_TEMPLATE_DIR": "",  # a new repository inside has no sample hooks
}
# Files whose content includes times or inode numbers.
ALWAYS_LOOSE = ("index", "*.pyc", "*.gz", "*.tgz", "*.pack", "*.idx", "*.rev", "multi-pack-index", "commit-graph",
                "*.o", "*.a", "*.so", "*.deb", "*.log")


class Side:
    """One of the two runs of a row, with its own home and project under the same names."""

    def __init__(self, programs, base):
        (base / "world").mkdir()
        self.world = RunWorld(base / "world", programs)
        shutil.rmtree(self.world.project / "src")

    def environment(self):
        return {**self.world.environment, **VARIABLES}

    def bare(self, script):
        return finish(self.world.start(["/bin/sh", "-ec", script], env=self.environment()), SECONDS)

    def confined(self, script):
        return self.world.run("/bin/sh", "-ec", script, seconds=SECONDS, env=self.environment())

    def tree(self, loose):
        """The mode, content and access control lists of each file of the project."""
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


def outcome(row, programs, base, how):
    side = Side(programs, base)
    try:
        if row.before:
            done = side.bare(row.before)
            assert done.returncode == 0, f"before: {done.stderr[-400:]}"
        done = getattr(side, how)(row.script)
        return Outcome(done, side.tree(row.loose))
    finally:
        side.remove()


def problem_of(row, programs, base):
    bare = outcome(row, programs, base, "bare")
    if bare.status not in (0, 3):  # 3: a row that tests the status
        return f"fails without a sandbox: status {bare.status}: {bare.errors[-400:]}"
    found = list(bare.differences(outcome(row, programs, base, "confined")))
    if row.differs:
        return "" if found else f"does not differ any more: {row.differs}"
    return "; ".join(found[:4])


def missing(row):
    return [name for name in row.needs.split() if not shutil.which(name, path=PATH)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_work(row, programs, place):
    if lacks := missing(row):
        pytest.skip(f"{', '.join(lacks)}: not installed")
    problem = problem_of(row, programs, place)
    assert not problem, problem
