"""If root runs the tests: an ordinary user to run a sandbox as, and a directory for its targets."""

import contextlib
import errno
import os
import pathlib
import shutil
import tempfile
import time

# A user of this process only: the kernel counts processes per user, and tests run in parallel.
ORDINARY_USER = 61235 + os.getpid() % 4000


def place_for_base():
    """Not /tmp if there is another directory: a sandbox hides /tmp, and then the targets with
    it."""
    places = ["/srv"] if os.geteuid() == 0 else [os.path.expanduser("~")]
    for place in [*places, "/var/tmp", "/tmp"]:
        if os.access(place, os.W_OK | os.X_OK):
            return place
    raise OSError(errno.EACCES, "no folder for the fixture")


def copy_programs(programs, names, base):
    """Copies programs to where every user may start them: a build directory may be closed."""
    folder = pathlib.Path(base) / "bin"
    folder.mkdir()
    folder.chmod(0o755)

    def copy(program):
        copied = shutil.copy(program, folder / os.path.basename(program))
        os.chmod(copied, 0o755)
        return str(copied)

    # ringfence passes some commands on to programs beside it, and starts the egress proxy there.
    if "ringfence" in names:
        copy(programs.ringfence + "-cli")
        copy(programs.ringfence + "-stage")
        copy(getattr(programs, "proxy", programs.ringfence + "-proxy"))
    for name in names:
        setattr(programs, name, copy(getattr(programs, name)))


@contextlib.contextmanager
def place_with(programs, names):
    """A new directory that every user can reach; `programs` then names copies in it."""
    base = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="ringfence-test-", dir=place_for_base())))
    try:
        base.chmod(0o755)
        copy_programs(programs, names, base)
        yield base
    finally:
        remove(base)


def remove(folder):
    """An egress proxy writes its last lines a moment after its sandboxes have ended."""
    for _ in range(50):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            return
        time.sleep(0.1)
    shutil.rmtree(folder)


def become_ordinary(base):
    """`base` and its current content then belong to the user too, except the copies of programs."""
    bin_folder = pathlib.Path(base) / "bin"
    for path in (pathlib.Path(base), *pathlib.Path(base).rglob("*")):
        if path != bin_folder and bin_folder not in path.parents:
            os.chown(path, ORDINARY_USER, ORDINARY_USER, follow_symlinks=False)
    os.setgroups([])
    os.setresgid(ORDINARY_USER, ORDINARY_USER, ORDINARY_USER)
    os.setresuid(ORDINARY_USER, ORDINARY_USER, ORDINARY_USER)
