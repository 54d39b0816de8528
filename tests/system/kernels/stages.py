"""Stages on this kernel: an overlay mount, its buffer in memory, and a copy without namespaces."""

import json
import os
import pathlib

SCRIPT = "echo 2 >> f; echo 1 > new; rm -r old; test ! -e ../new"
BEFORE = {"f": "1\n", "old/x": "1\n"}
AFTER = {"f": "1\n2\n", "new": "1\n"}


def ringfence(home, *words):
    return home.start("/tests/ringfence", *words)


def good(home, *words):
    done = ringfence(home, *words)
    assert done.returncode == 0, done
    return done


def fill(home):
    for name, text in BEFORE.items():
        path = home.project / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    home.policy()


def set_policy(home, members):
    (home.base / ".config/ringfence/policy.json").write_text(json.dumps({"version": 1, **members}))


def files(home):
    return {str(path.relative_to(home.project)): path.read_text()
            for path in home.project.rglob("*") if path.is_file()}


def stage_and_apply(home, *options):
    """Returns the stage and what its run said."""
    done = good(home, "stage", "run", "--keep", *options, "--", "sh", "-ec", SCRIPT)
    assert files(home) == BEFORE, files(home)
    stage = json.loads(good(home, "stage", "list", "--json").stdout)["stages"][0]
    assert stage["changes"] == 4, stage
    good(home, "stage", "apply")
    assert files(home) == AFTER, files(home)
    good(home, "stage", "undo")
    assert files(home) == BEFORE, files(home)
    good(home, "stage", "discard")
    return stage, done.stderr


def an_overlay_keeps_the_changes(home):
    fill(home)
    stage, said = stage_and_apply(home)
    assert stage["mechanism"] == "overlay" and "note" not in said, (stage, said)


def with_landlock_alone_a_copy_keeps_them(home):
    fill(home)
    stage, said = stage_and_apply(home, "--layers", "landlock")
    assert stage["mechanism"] == "copy" and "the command runs in " in said, (stage, said)


def without_namespaces_a_copy_keeps_them(home):
    """The command is confined by Landlock then; ringfence-stage has no namespace of its own, either."""
    fill(home)
    home.policy(missing="warn")
    limit = pathlib.Path("/proc/sys/user/max_user_namespaces")
    before = limit.read_text()
    limit.write_text("0")
    try:
        stage, said = stage_and_apply(home)
    finally:
        limit.write_text(before)
    assert stage["mechanism"] == "copy" and "nothing can be mounted with layers landlock" in said


def memory_has_attributes():
    try:
        os.setxattr("/dev/shm", b"user.test", b"")
        os.removexattr("/dev/shm", b"user.test")
    except OSError:
        return False
    return True


def changes_are_in_memory_or_nothing_runs(home):
    """Files in memory have the attributes that an overlay needs since Linux 6.6."""
    fill(home)
    set_policy(home, {"stage": {"buffer": "memory", "buffer_size": "16M"}})
    if memory_has_attributes():
        stage_and_apply(home)
        return
    done = ringfence(home, "stage", "run", "--", "touch", "ran")
    assert done.returncode == 125 and "which files in memory need Linux 6.6 for" in done.stderr, done
    assert files(home) == BEFORE, files(home)


CASES = (an_overlay_keeps_the_changes, with_landlock_alone_a_copy_keeps_them,
         without_namespaces_a_copy_keeps_them, changes_are_in_memory_or_nothing_runs)
