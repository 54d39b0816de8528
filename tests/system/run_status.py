#!/usr/bin/env python3
"""How `ringfence run` ends, and what it says then.

    run_status.py --ringfence PROGRAM
"""

import argparse
import os
import signal
import sys

from hook_world import Report
from ordinary_user import add_options, run_in_folder
from run_world import RunWorld, finish

TOUCH = ("--", "/usr/bin/touch", "ran")

# (name, words after "run", status, what is said)
ROWS = (
    ("an unknown option", ("--nothing", *TOUCH), 2, "--nothing"),
    ("an option without its value", ("--profile",), 2, "--profile"),
    ("an unknown mode", ("--mode", "rw", *TOUCH), 2, "--mode"),
    ("unknown layers", ("--layers", "none", *TOUCH), 2, "--layers"),
    ("no command", (), 2, "no command is given"),
    ("an empty command", ("--", ""), 2, "no command is given"),
    ("an unknown profile", ("--profile", "nobody", *TOUCH), 2, "no policy has a profile"),
    ("no such policy", ("--policy", "/nowhere/policy.json", *TOUCH), 2, "/nowhere/policy.json"),
    ("a malformed policy", ("--policy", "BAD", *TOUCH), 2, "is not a setting"),
    ("a policy that is no JSON", ("--policy", "CUT", *TOUCH), 2, "CUT"),
    ("no such directory", ("--chdir", "/nowhere", *TOUCH), 2, "/nowhere"),
    ("a directory outside", ("--root", "PROJECT", "--chdir", "/usr", *TOUCH), 2, "outside"),
    ("a folder that is not a project", ("--chdir", "/", *TOUCH), 2, "the current directory"),
    ("an empty profile", ("--profile", "", *TOUCH), 2, "--profile: is empty"),
    ("an empty policy", ("--policy", "", *TOUCH), 2, "--policy: is empty"),
    ("a session without a name", ("--session", "", *TOUCH), 2, "--session"),
    ("another directory without a name", ("--write", "", *TOUCH), 2, "--write"),
    ("a folder to start in without a name", ("--chdir", "", *TOUCH), 2, "--chdir"),
    ("an option that would take the next word", ("--write=", *TOUCH), 2, "--write"),
    ("a policy that hides the project", ("--policy", "HIDES", *TOUCH), 2, "read.deny"),
    ("a denied folder that holds sealed files", ("--policy", "COVERS", "--", "/usr/bin/true"), 0, ""),
    ("a script that names no shell", ("--", "./script", "3"), 3, ""),
    ("devices asked for", ("--write", "/dev", *TOUCH), 2, "devices"),
    ("a root that is not there", ("--root", "/nowhere", *TOUCH), 2, "that is a project"),
    ("what the user may not write anyway", ("--write", "/etc", "--", "/bin/sh", "-c",
                                            "test -w /etc || touch /etc/x 2> /dev/null; exit 4"), 4, ""),
    ("a place that this user cannot make", ("--policy", "ELSEWHERE", "--", "/usr/bin/true"), 0, ""),
    ("another system without a dry run", ("--for", "macos", *TOUCH), 2, "--dry-run"),
    ("no such program", ("--", "nobody-has-this"), 127, "not found in PATH"),
    ("no such file", ("--", "./nothing"), 127, "no such file"),
    ("a file that is no program", ("--", "./src/a.txt"), 126, "could not be run"),
    ("a folder", ("--", "./src"), 126, "could not be run"),
    ("a folder that is gone", ("--", "/bin/sh", "-c", "mkdir gone && cd gone && rmdir ../gone && "
                               "exec env -u CLAUDE_PROJECT_DIR RINGFENCE run -- true"), 2,
     "was removed"),
    ("all is writable", ("--write", "/", "--", "/usr/bin/true"), 0, ""),
    ("success", ("--", "/usr/bin/true"), 0, ""),
    ("the command's own status", ("--", "/bin/sh", "-c", "exit 42"), 42, ""),
    ("the command's 125", ("--", "/bin/sh", "-c", "exit 125"), 125, ""),
    ("ended by a signal", ("--", "/bin/sh", "-c", "kill -TERM $$"), 143, ""),
    # So that a loop of a shell that waits for it ends as well.
    ("interrupted", ("--", "/bin/sh", "-c", "kill -INT $$"), -2, ""),
    ("interrupted, by its own account", ("--", "/bin/sh", "-c", "exit 130"), 130, ""),
    ("killed", ("--", "/bin/sh", "-c", "kill -KILL $$"), 137, ""),
)
MANY_REFUSALS = ("refusals that no policy is about", ("--", "/bin/sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10 11; do"
                                                      " touch /etc/none-$i 2> /dev/null; done; exit 4"), 4, "")
FEW_PROCESSES = ("too few processes", ("--policy", "FEW", *TOUCH), 125, "\"processes\" is too low")


def problem_of(world, row, done):
    _, words, status, said = row
    problems = []
    if done.returncode != status:
        problems.append(f"status {done.returncode}")
    if said.replace("CUT", "cut.json") not in done.stderr:
        problems.append("does not say so")
    if bool(said) != bool(done.stderr):
        problems.append("says something" if done.stderr else "says nothing")
    if done.stdout:
        problems.append(f"prints {done.stdout[:80]!r}")
    if (world.project / "ran").exists():
        problems.append("the command was run")
        (world.project / "ran").unlink()
    return "; ".join(problems) and f"{'; '.join(problems)}: {words} {done.stderr.strip()[:300]}"


def run_all(options, base):
    report, world = Report(), RunWorld(options, base)
    bad, cut = world.base / "bad.json", world.base / "cut.json"
    bad.write_text('{"version": 1, "write": {"alow": []}}')
    cut.write_text('{"version": 1')
    few = world.base / "few.json"
    few.write_text('{"version": 1, "sandbox": {"processes": 1}}')
    hides, elsewhere = world.base / "hides.json", world.base / "elsewhere.json"
    hides.write_text('{"version": 1, "read": {"deny": ["/"]}}')
    covers = world.base / "covers.json"
    covers.write_text('{"version": 1, "read": {"deny": [".github", "~/.local"]}}')
    (world.project / ".github/workflows").mkdir(parents=True)
    (world.project / ".github/workflows/ci.yml").write_text("x")
    (world.project / "script").write_text("exit $1\n")
    (world.project / "script").chmod(0o755)
    elsewhere.write_text('{"version": 1, "write": {"allow": [".", "/proc/none", "/sys/none/x"]}}')
    names = {"COVERS": str(covers), "HIDES": str(hides), "ELSEWHERE": str(elsewhere), "BAD": str(bad), "CUT": str(cut), "FEW": str(few), "PROJECT": str(world.project)}
    rows = ROWS if options.as_root else (*ROWS, MANY_REFUSALS, FEW_PROCESSES)  # root's are not limited
    for row in rows:
        words = [names.get(word, word.replace("RINGFENCE", options.ringfence)) for word in row[1]]
        policy = () if "--policy" in words else ("--policy", str(world.policy))
        done = finish(world.start([options.ringfence, "run", *policy, *words]))
        report.check(row[0], problem_of(world, row, done))
    short = world.base / "short.json"
    short.write_text('{"version": 1, "sandbox": {"missing": "warn"}}')
    done = finish(world.start(["/bin/sh", "-c", f"ulimit -n 8; exec {options.ringfence} run --policy"
                                                f" {short} -- /usr/bin/touch ran"]))
    report.check("a passing shortage is no missing layer",
                 problem_of(world, ("", (), 125, "open files (ulimit -Hn) is 8"), done))
    return report.finish()


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ringfence", required=True, type=os.path.abspath)
    add_options(parser)
    return run_in_folder(parser.parse_args(), ("ringfence",), run_all)


if __name__ == "__main__":
    sys.exit(main())
