"""`ringfence stage gc`, and what other commands remove by the same rules."""

import json
import os
import shutil
import time

import pytest

DAY = 86400


def policy(world, file=None, **stage):
    file = file or world.policy
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"version": 1, "stage": stage}))
    world.give(world.base)


def applied(world, name, size=1):
    """An applied stage that has replaced a file of this many bytes."""
    world.put(name, "x" * size)
    stage = world.stage(f"echo 1 > {name}")
    world.good("stage", "apply", stage)
    return stage


def make_old(world, stage, days):
    """Moves the last apply this many days into the past, and the start of the stage further."""
    then = time.time() - days * DAY
    for undo in (world.state / "stages" / stage).glob("undo-*"):
        os.utime(undo, (then, then))
    record = world.state / "stages" / stage / "record"
    fields = record.read_bytes().split(b"\0")
    started = str(int((then - 90 * DAY) * 1e9)).encode()
    fields = [b"started=" + started if field.startswith(b"started=") else field for field in fields]
    record.write_bytes(b"\0".join(fields))


def collect(world, *options):
    return json.loads(world.good("stage", "gc", "--json", *options).stdout)


def ids(world):
    return {found["id"] for found in world.stages()}


def test_the_policy_says_how_many_days_stages_are_kept(world):
    policy(world, keep_days=5)
    old, young = applied(world, "a"), applied(world, "b")
    make_old(world, old, 6)
    make_old(world, young, 4)
    shown = world.good("stage", "gc", "--dry-run").stdout.splitlines()
    assert len(shown) == 2 and shown[0].startswith(old + "  ") and "older than 5 days" in shown[0]
    assert shown[1].startswith("would remove 1 stage, ")
    assert ids(world) == {old, young}
    found = collect(world, "--dry-run")
    assert found["removed"] == 0 and [stage["id"] for stage in found["stages"]] == [old]
    assert collect(world)["removed"] == 1 and ids(world) == {young}
    assert collect(world, "--days", "5")["removed"] == 0
    assert collect(world, "--days", "3")["removed"] == 1 and not ids(world)


def test_the_policy_is_that_of_the_stages_project(world):
    policy(world, keep_days=5)
    stage = applied(world, "a")
    make_old(world, stage, 6)
    policy(world, world.project / ".ringfence/policy.json", keep_days=100)
    assert world.trust().returncode == 0
    assert world.call("stage", "gc", cwd=world.home).stdout == "removed 0 stages\n"
    (world.project / ".ringfence/policy.json").unlink()
    assert "\nremoved 1 stage, " in world.call("stage", "gc", cwd=world.home).stdout


def test_the_newest_stages_are_kept_up_to_a_size(world):
    policy(world, keep_size="1M")
    stages = [applied(world, name, 200_000) for name in "abc"]
    for days, stage in zip((3, 2, 1), stages):
        make_old(world, stage, days)
    found = collect(world, "--dry-run")["stages"]
    assert [stage["id"] for stage in found] == stages[:1]
    assert found[0]["bytes"] >= 400_000 and "more than 1.0 MB" in found[0]["why"], found
    policy(world, keep_size="1K")
    assert collect(world)["removed"] == 2 and ids(world) == {stages[2]}  # the newest one stays


def test_a_stage_with_changes_that_are_not_applied_stays(world):
    policy(world, keep_days=0, keep_size="1K")
    kept = world.stage("echo 1 > f")
    partly = world.stage("echo 1 > g; echo 1 > h")
    world.good("stage", "apply", partly, "g")
    undone = applied(world, "u")
    world.good("stage", "undo", undone)
    for stage in (kept, partly, undone):
        make_old(world, stage, 1000)
    assert collect(world)["removed"] == 0
    world.good("stage", "apply", partly)
    world.put("g", "the user's\n")  # a change after the apply is not one of the stage's
    assert collect(world)["removed"] == 1 and ids(world) == {kept, undone}


def test_directories_and_gits_files_count_as_applied(world):
    world.start(["git", "init", "-q", world.project], env={"HOME": str(world.home)})
    world.give(world.project)
    world.put("old/x/y", "1\n")
    stage = world.stage("rm -r old; mkdir -p new/deep; echo 1 > new/deep/f; git add new;"
                        "git -c user.name=n -c user.email=e commit -qm one; mkfifo fifo")
    world.good("stage", "apply", stage)
    shutil.rmtree(world.project / "new")
    make_old(world, stage, 31)
    assert collect(world)["removed"] == 1


def test_a_stage_without_its_project_stays(world):
    stage = applied(world, "a")
    make_old(world, stage, 1000)
    moved = world.base / "moved"
    world.project.rename(moved)
    assert world.call("stage", "gc", cwd=world.home).stdout == "removed 0 stages\n"
    moved.rename(world.project)
    assert collect(world)["removed"] == 1


def test_what_a_killed_launcher_left_is_removed(world):
    world.stage("echo 1 > f")
    folder = world.state / "stages/ab23"
    folder.mkdir(mode=0o700)
    (folder / "written").mkdir()
    world.give(world.state)
    found = collect(world)
    assert [stage["id"] for stage in found["stages"]] == ["ab23"] and not folder.exists()


@pytest.mark.parametrize("how", ["run", "apply"])
def test_other_commands_collect_once_a_day(world, how):
    stages = [applied(world, name) for name in "abc"]
    marker = world.state / "stages/collected"
    assert marker.exists()

    def end():
        if how == "run":
            done = world.good("stage", "run", "--discard", "--", "sh", "-c", "echo 1 > f")
        else:
            done = world.good("stage", "apply", stages[2])
        assert "remove" not in done.stdout + done.stderr

    make_old(world, stages[0], 31)
    end()
    assert stages[0] in ids(world)
    os.utime(marker, (time.time() - 2 * DAY,) * 2)
    end()
    assert stages[0] not in ids(world) and stages[1] in ids(world)
    make_old(world, stages[1], 31)
    end()
    assert stages[1] in ids(world)
    os.utime(marker, (time.time() + 2 * DAY,) * 2)  # the clock was wrong
    end()
    assert stages[1] not in ids(world)


def test_what_was_left_out_below_an_applied_directory_is_kept(world):
    """A change that is held back, and one that lost against the user's, count as not applied."""
    stage = world.stage("mkdir d; echo ok > d/ok; echo work > 'd/trail '")
    world.good("stage", "apply", stage)
    assert set(world.changes(stage)) == {"d/trail "}
    assert collect(world, "--days", "0")["removed"] == 0
    world.put("src/main.c", "1\n")
    other = world.stage("chmod 700 src; echo staged > src/main.c")
    world.put("src/main.c", "mine\n")
    world.good("stage", "apply", other, "--conflicts", "mine")
    assert collect(world, "--days", "0")["removed"] == 0
    assert ids(world) == {stage, other}
