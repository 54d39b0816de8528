"""The exit status of `ringfence run`, and its messages.
"""

import json

import pytest

from run_world import finish

pytestmark = pytest.mark.as_user

TOUCH = ("--", "/usr/bin/touch", "ran")

# (name, words after "run", status, message)
ROWS = (
    ("an unknown option", ("--nothing", *TOUCH), 2, "--nothing"),
    ("an option without its value", ("--profile",), 2, "--profile"),
    ("an unknown mode", ("--mode", "rw", *TOUCH), 2, "--mode"),
    ("unknown layers", ("--layers", "none", *TOUCH), 2, "--layers"),
    ("no command", (), 2, "no command is given"),
    ("an empty command", ("--", ""), 2, "no command is given"),
    ("an unknown profile", ("--profile", "nobody", *TOUCH), 2, "no policy has a profile"),
    ("no such policy", ("--policy", "/nowhere/policy.json", *TOUCH), 2, "/nowhere/policy.json"),
    ("a malformed policy", ("--policy", "BAD", *TOUCH), 2, "is not a known key"),
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
    # So that a shell loop around it ends as well.
    ("interrupted", ("--", "/bin/sh", "-c", "kill -INT $$"), -2, ""),
    ("interrupted, by its own account", ("--", "/bin/sh", "-c", "exit 130"), 130, ""),
    ("killed", ("--", "/bin/sh", "-c", "kill -KILL $$"), 137, ""),
    # These two need an ordinary user: root is not restricted.
    ("refusals that no policy is about",
     ("--", "/bin/sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10 11; do touch /etc/none-$i 2> /dev/null; done; exit 4"),
     4, ""),
    ("too few processes", ("--policy", "FEW", *TOUCH), 125, "\"processes\" is too low"),
)
POLICIES = {
    "BAD": {"version": 1, "write": {"alow": []}},
    "FEW": {"version": 1, "sandbox": {"processes": 1}},
    "HIDES": {"version": 1, "read": {"deny": ["/"]}},
    "COVERS": {"version": 1, "read": {"deny": [".github", "~/.local"]}},
    "ELSEWHERE": {"version": 1, "write": {"allow": [".", "/proc/none", "/sys/none/x"]}},
    "SHORT": {"version": 1, "sandbox": {"missing": "warn"}},
}


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


def names_of(world):
    """The value of a word of a row."""
    names = {"CUT": str(world.write("cut.json", '{"version": 1')), "PROJECT": str(world.project),
             "RINGFENCE": world.programs.ringfence}
    for name, policy in POLICIES.items():
        names[name] = str(world.write(f"{name.lower()}.json", json.dumps(policy)))
    return names


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_status(row, run_world):
    world = run_world
    names = names_of(world)
    world.write("project/.github/workflows/ci.yml", "x")
    world.write("project/script", "exit $1\n").chmod(0o755)
    words = [names.get(word, word.replace("RINGFENCE", names["RINGFENCE"])) for word in row[1]]
    policy = () if "--policy" in words else ("--policy", str(world.policy))
    done = finish(world.start([names["RINGFENCE"], "run", *policy, *words]))
    wrong = problem_of(world, row, done)
    assert not wrong, wrong


def test_a_low_file_limit_is_not_a_missing_layer(run_world):
    names = names_of(run_world)
    done = finish(run_world.start(
        ["/bin/sh", "-c", f"ulimit -n 8; exec {names['RINGFENCE']} run --policy {names['SHORT']} --"
                          " /usr/bin/touch ran"]))
    wrong = problem_of(run_world, ("", (), 125, "open files (ulimit -Hn) is 8"), done)
    assert not wrong, wrong
