"""Stages whose changes are kept in a copy of the project, since no overlay can be mounted."""

import os
import subprocess

import pytest

from command_world import error_of
from stage_world import tree_of, wait_for

NOTE = "note: changes are kept in a copy of the project, because "


@pytest.fixture(name="copied", params=["in place", "elsewhere"])
def fixture_copied(world, request):
    """(a world whose stages are copies, the options of `stage run`)"""
    if request.param == "elsewhere":
        return world, ["--layers", "landlock"]
    world.forbid_overlay()
    return world, []


def run(world, script, *options):
    return world.good("stage", "run", "--keep", *options, "--", "sh", "-ec", script)


def test_the_same_commands_work(copied):
    world, options = copied
    world.put("a.txt", "1\n")
    world.put("old/x", "x\n")
    world.put("other", "untouched\n")
    before = tree_of(world.project)
    done = run(world, "pwd; echo 2 >> a.txt; rm -r old; mkdir new; echo 1 > new/f; ln -s new link;"
                      " mkfifo pipe", *options)
    assert NOTE in done.stderr, done
    is_in_place = not options
    assert (done.stdout == f"{world.project}\n") == is_in_place, done
    assert tree_of(world.project) == before
    stage = world.stages()[0]
    assert (stage["mechanism"], stage["state"]) == ("copy", "ended")
    assert world.changes(stage["id"]) == {
        "a.txt": "modified", "old": "removed", "old/x": "removed", "new": "added",
        "new/f": "added", "link": "added", "pipe": "added"}
    assert "+2" in world.good("stage", "diff", stage["id"], "a.txt").stdout
    applied = world.good("stage", "apply")
    assert "not applied: pipe" in applied.stderr
    assert (world.project / "a.txt").read_text() == "1\n2\n"
    assert not (world.project / "old").exists()
    assert set(world.changes(stage["id"])) == {"pipe"}
    world.good("stage", "undo")
    assert tree_of(world.project) == before
    world.good("stage", "apply")
    world.good("stage", "discard")
    left = [path for path in world.state.parent.glob("ringfence*/*/*") if path.is_dir()]
    assert not [path for path in left if stage["id"] in str(path)], left


def test_a_command_that_changes_nothing_leaves_no_stage(copied):
    world, options = copied
    world.put("a.txt", "1\n")
    done = world.good("stage", "run", *options, "--", "touch", "a.txt")
    assert "the command changed nothing in the project\n" in done.stderr
    assert not world.stages()


def test_what_the_user_changes_meanwhile_is_no_change_of_the_stage(copied):
    world, options = copied
    world.put("a.txt", "1\n2\n3\n")
    world.put("b.txt", "1\n")
    world.put("c.txt", "1\n")
    world.put("gone", "1\n")
    run(world, "echo staged >> c.txt; rm gone", *options)
    for name in ("a.txt", "b.txt", "c.txt"):
        world.put(name, "mine\n")
    world.put("new", "mine\n")
    (world.project / "b.txt").unlink()
    stage = world.stages()[0]["id"]
    assert world.changes(stage) == {"c.txt": "modified", "gone": "removed"}
    error_of(world.call("stage", "apply"), 1, "because of 1 conflict", "c.txt")
    world.put("gone", "mine\n")
    error_of(world.call("stage", "apply", stage, "gone"), 1,
             "gone: deleted in the stage, changed in the project")
    world.good("stage", "apply", "--conflicts", "mine")
    assert (world.project / "a.txt").read_text() == "mine\n"
    assert not (world.project / "b.txt").exists()


def test_both_sides_are_merged(copied):
    """The version before both is copied when the stage first changes the file."""
    world, options = copied
    world.put("a.txt", "1\n2\n3\n4\n5\n6\n7\n")
    command = [world.programs.ringfence, "stage", "run", "--keep", *options, "--", "sh", "-c",
               "sleep 0.5; printf '7 staged\\n' >> a.txt; echo changed; cat; echo end >> a.txt"]
    with subprocess.Popen(command, cwd=world.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(world.home)}, **world.as_user) as running:
        assert running.stdout.readline() == "changed\n"
        stage = world.stages()[0]["id"]
        wait_for(lambda: any((world.state / "stages" / stage).glob("base/*")))
        assert world.changes(stage) == {"a.txt": "modified"}
        world.put("a.txt", "1 mine\n2\n3\n4\n5\n6\n7\n")
        running.stdin.close()
        assert running.wait(30) == 0
    world.good("stage", "apply", stage)
    assert (world.project / "a.txt").read_text() == "1 mine\n2\n3\n4\n5\n6\n7\n7 staged\nend\n"


def test_the_project_cannot_be_reached_from_its_copy(world):
    world.put("a.txt", "1\n")
    world.put("out/x", "1\n")
    world.put("secret/x", "the secret\n")
    world.put("src/x", "1\n")
    world.user_policy(write={"allow": [str(world.project / "out"), "src"]},
                      read={"deny": [str(world.project / "secret")]})
    done = world.call("stage", "run", "--keep", "--layers", "landlock", "--", "sh", "-c",
                      f"echo 2 >> {world.project}/a.txt; echo 2 >> {world.project}/out/x;"
                      f" cat secret/x; cat {world.project}/secret/x; cat a.txt")
    assert done.stdout == "1\n", done
    assert (world.project / "a.txt").read_text() == "1\n", done
    assert (world.project / "out/x").read_text() == "1\n", done


def test_mounts_in_the_project_are_shown_and_read_only(world):
    world.put("f", "1\n")
    world.put("sub/x", "1\n")
    # A file system of its own, in the mount namespace of this command only.
    script = (f"mount -t tmpfs none sub && echo mounted > sub/y && exec '{world.programs.ringfence}' stage run"
              " --keep -- sh -c 'cat sub/y; echo 2 > sub/y; echo 2 > sub/z; rm sub/y; echo 2 > f; ls sub'")
    done = world.start(["unshare", "-Urm", "sh", "-c", script], env={"HOME": str(world.home)})
    assert (done.returncode, done.stdout) == (0, "mounted\ny\n"), done
    assert NOTE + f'"{world.project}/sub" is a mount point in the project' in done.stderr
    stage = world.stages()[0]["id"]
    assert world.changes(stage) == {"f": "modified"}
    world.good("stage", "apply", stage)
    assert (world.project / "f").read_text() == "2\n"
    assert (world.project / "sub/x").read_text() == "1\n"


def test_other_owners(world):
    if not world.as_user:
        pytest.skip("only root can make files of another owner")
    world.put("f", "1\n")
    for name, mode in (("rootdir", 0o755), ("open", 0o777), ("closed", 0o700)):
        (world.project / name).mkdir()
        (world.project / name / "x").write_text("root's\n")
        os.chmod(world.project / name, mode)
    (world.project / "secret").write_text("root's\n")
    (world.project / "secret").chmod(0o600)
    before = tree_of(world.project)
    done = run(world, "cat rootdir/x; touch rootdir/new 2>/dev/null || echo no;"
                      " ls closed 2>/dev/null; cat secret 2>/dev/null || echo no; echo 1 > open/y; echo 2 > f")
    assert done.stdout == "root's\nno\nno\n", done
    assert "belongs to another user or group" in done.stderr
    assert "has no contents of what you may not read: closed and 1 more" in done.stderr
    stage = world.stages()[0]["id"]
    assert world.changes(stage) == {"f": "modified", "open/y": "added"}
    world.good("stage", "apply", stage)
    assert (world.project / "open/y").exists()
    world.good("stage", "undo", stage)
    assert tree_of(world.project) == before


def on_small_disk(world, size, script):
    """The state directory is a file system of `size`, in the mount namespace of this command only, and
    no overlay can be mounted."""
    state = world.home / ".local/state"
    state.mkdir(parents=True, exist_ok=True)
    world.give(world.home)
    words = (f"mount -t tmpfs -o mode=700,size={size} none '{state}' && mount -t tmpfs none sub && {script}")
    return world.start(["unshare", "-Urm", "sh", "-c", words], env={"HOME": str(world.home)})


def test_a_copy_that_does_not_fit_is_refused(world):
    world.put("sub/x", "1")
    world.put("big", "x" * 3_000_000)
    done = on_small_disk(world, "2m", f"exec '{world.programs.ringfence}' stage run -- touch sub/../ran")
    assert done.returncode == 125, done
    assert "the copy of the project takes 3 MiB, and" in done.stderr
    assert "2 MiB free; nothing was run" in done.stderr
    assert not (world.project / "ran").exists()
    again = on_small_disk(world, "20m", f"'{world.programs.ringfence}' stage run --keep -- touch ran &&"
                          f" '{world.programs.ringfence}' stage apply")
    assert again.returncode == 0, again
    assert (world.project / "ran").exists()


def test_a_state_directory_that_cannot_hold_an_overlay(world):
    """It is on an overlay mount itself, as in many containers."""
    world.put("f", "1\n")
    folders = [world.base / name for name in ("lower", "upper", "work", "state")]
    for folder in folders:
        folder.mkdir()
        world.give(world.base)
    lower, upper, work, _ = folders
    state = world.home / ".local/state"
    state.mkdir(parents=True, exist_ok=True)
    world.give(world.home)
    script = (f"mount -t overlay none -o userxattr,lowerdir={lower},upperdir={upper},workdir={work} {state} && "
              f"'{world.programs.ringfence}' stage run --keep -- sh -c 'echo 2 > f' && cat f &&"
              f" '{world.programs.ringfence}' stage apply")
    done = world.start(["unshare", "-Urm", "sh", "-c", script], env={"HOME": str(world.home)})
    assert done.returncode == 0 and done.stdout.startswith("1\n"), done
    assert NOTE + "mount(overlay)" in done.stderr
    assert (world.project / "f").read_text() == "2\n"


def test_the_plan_names_the_mechanism(copied):
    world, options = copied
    world.put("f", "1\n")
    plan = world.good("run", "--stage", "--dry-run", *options, "--", "true").stdout
    assert "\nstage     copy, because " in plan, plan
    assert ("; the command runs in the copy" in plan) == bool(options)


def test_a_plan_for_macos_says_that_the_command_works_in_a_copy(world):
    world.put("a.txt", "1\n")
    plan = world.good("run", "--stage", "--dry-run", "--for", "macos", "--", "true").stdout
    assert "works in a copy of the project" in plan
    plain = world.good("run", "--dry-run", "--for", "macos", "--", "true").stdout
    assert "works in a copy of the project" not in plain
    error_of(world.call("run", "--stage", "--dry-run", "--for", "windows", "--", "true"), 2,
             "changes cannot be staged on this system")
