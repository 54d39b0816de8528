"""A folder for one test of `ringfence run`, and an ordinary user to run it in that.

Started as root, everything runs as an ordinary user, unless `as_root` says otherwise.
"""

import errno
import os
import pathlib
import shutil
import sys
import tempfile

# A user of this run alone: the kernel counts processes by user, and tests run beside each other.
ORDINARY_USER = 61235 + os.getpid() % 4000


def place_for_base(options):
    """Not /tmp, where there is another: a sandbox hides that, and then hides what is to be
    reached."""
    if options.base:
        return options.base
    places = ["/srv"] if os.geteuid() == 0 else [os.path.expanduser("~")]
    for place in [*places, "/var/tmp", "/tmp"]:
        if os.access(place, os.W_OK | os.X_OK):
            return place
    raise OSError(errno.EACCES, "no folder for the fixture")


def copy_programs(options, names, base):
    """To where every user may start them: a build folder may be closed."""
    folder = pathlib.Path(base) / "bin"
    folder.mkdir()
    folder.chmod(0o755)

    def copy(program):
        copied = shutil.copy(program, folder / os.path.basename(program))
        os.chmod(copied, 0o755)
        return str(copied)

    # It hands what it does not do itself to the program beside it.
    if "ringfence" in names and options.ringfence:
        copy(options.ringfence + "-cli")
    for name in names:
        program = getattr(options, name)
        if program:
            setattr(options, name, copy(program))


def become_ordinary(base):
    os.chown(base, ORDINARY_USER, ORDINARY_USER)
    os.setgroups([])
    os.setresgid(ORDINARY_USER, ORDINARY_USER, ORDINARY_USER)
    os.setresuid(ORDINARY_USER, ORDINARY_USER, ORDINARY_USER)


def run_in_child(options, base, run_all):
    """In a child, since who gave up being root cannot remove what root made."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if os.geteuid() == 0 and not options.as_root:
                become_ordinary(base)
            status = run_all(options, base)
        except Exception as problem:  # pylint: disable=broad-except
            print(f"FAILED: {type(problem).__name__}: {problem}\n0 passed, 1 failed, 0 skipped")
        finally:
            sys.stdout.flush()
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def add_options(parser):
    parser.add_argument("--as-root", action="store_true")
    parser.add_argument("--base", metavar="FOLDER", help="where the fixture is built")


def run_in_folder(options, programs, run_all):
    """The status of `run_all(options, base)`. `programs` are the options that name one."""
    place = place_for_base(options)
    with tempfile.TemporaryDirectory(prefix="ringfence-test-", dir=place) as folder:
        base = os.path.realpath(folder)
        os.chmod(base, 0o755)
        copy_programs(options, programs, base)
        return run_in_child(options, base, run_all)
