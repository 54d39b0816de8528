"""Small file systems that fill up while a stage is applied, undone or run."""

import os
import pathlib

from command_world import error_of
from small_disk import MIB, fill, small_disk
from stage_world import StageWorld, tree_of

FULL = ("ENOSPC", "No space left")


def tree_without(folder, *names):
    return {path: facts for path, facts in tree_of(folder).items() if path.split("/")[0] not in names}


SCRIPT = """
mkdir new
for i in 0 1 2 3 4 5 6 7 8 9; do
  head -c 40000 /dev/zero | tr '\\0' $i > new/$i
  head -c 40000 /dev/zero | tr '\\0' $i > old$i
done
rm gone; ln -s old1 link; chmod 700 mode
"""


def put_files(world):
    for number in range(10):
        world.put(f"old{number}", f"old {number}\n")
    for name in ("gone", "mode"):
        world.put(name, "1\n")


def refused_for_space(done):
    assert done.returncode != 0 and any(text in done.stderr for text in FULL), done


def no_leftovers(world):
    assert not [path for path in world.project.rglob("*") if ".ringfence-" in path.name]


def test_the_projects_disk_is_full(base, programs):
    with small_disk(base, base / "project", 16):
        world = StageWorld(base, programs)
        put_files(world)
        stage = world.stage(SCRIPT)
        before = tree_of(world.project)
        filler = fill(world.project)
        refused_for_space(world.call("stage", "apply", stage))
        assert tree_without(world.project, "filler") == before
        no_leftovers(world)
        filler.unlink()
        world.good("stage", "apply", stage)
        after = tree_of(world.project)
        assert after["new/3"][1] == b"3" * 40000 and "gone" not in after
        # What was replaced comes back from another file system.
        filler = fill(world.project)
        undone = world.call("stage", "undo", stage)
        if undone.returncode != 0:
            refused_for_space(undone)
            assert tree_without(world.project, "filler") == after
        filler.unlink()
        if undone.returncode != 0:
            world.good("stage", "undo", stage)
        assert tree_of(world.project) == before
        no_leftovers(world)


def test_the_disk_of_the_stages_is_full(base, programs):
    with small_disk(base, base / "home", 16):
        world = StageWorld(base, programs)
        put_files(world)
        stage = world.stage(SCRIPT)
        before = tree_of(world.project)
        filler = fill(world.home)
        refused_for_space(world.call("stage", "apply", stage))
        assert tree_of(world.project) == before
        no_leftovers(world)
        filler.unlink()
        world.good("stage", "apply", stage)
        after = tree_of(world.project)
        assert after["new/3"][1] == b"3" * 40000
        filler = fill(world.home)
        refused_for_space(world.call("stage", "undo", stage))
        assert tree_of(world.project) == after
        filler.unlink()
        world.good("stage", "undo", stage)
        assert tree_of(world.project) == before
        no_leftovers(world)


def test_the_disk_of_the_stages_becomes_full_at_any_point(base, programs):
    """What is replaced is copied there, which fails before the changes are final."""
    with small_disk(base, base / "home", 16):
        world = StageWorld(base, programs)
        put_files(world)
        for number in range(10):
            world.put(f"old{number}", f"old {number}\n" * 6000)
        world.put("binary", "\0 old\n")
        stage = world.stage("for f in old* binary; do echo new > $f; done; mkdir new; echo 1 > new/f; rm gone")
        before = tree_of(world.project)
        filler = fill(world.home)
        failures = 0
        done = world.call("stage", "apply", stage)
        while done.returncode != 0 and failures < 100:
            failures += 1
            refused_for_space(done)
            assert tree_of(world.project) == before, f"{failures}: {done}"
            no_leftovers(world)
            with open(filler, "r+b") as file:
                file.truncate(filler.stat().st_size - 50 * 1024)
                os.fsync(file.fileno())
            done = world.call("stage", "apply", stage)
        assert failures > 5 and done.returncode == 0, done
        filler.unlink()
        world.good("stage", "undo", stage)
        assert tree_of(world.project) == before
        no_leftovers(world)


def test_project_and_stages_share_a_full_disk(base, programs):
    """Applying needs as much room as the new files: they fill the disk at any point."""
    with small_disk(base, base / "small", 64) as disk:
        (disk / "all").mkdir()
        world = StageWorld(disk / "all", programs)
        put_files(world)
        stage = world.stage(SCRIPT)
        before = tree_of(world.project)
        failures = 0
        for room in range(0, 2000, 100):
            filler = fill(disk)
            os.truncate(filler, max(0, filler.stat().st_size - room * 1024))
            done = world.call("stage", "apply", stage)
            filler.unlink()
            if done.returncode == 0:
                break
            failures += 1
            refused_for_space(done)
            assert tree_of(world.project) == before, f"{room} KiB: {done}"
            no_leftovers(world)
        assert failures > 2 and done.returncode == 0, done
        world.good("stage", "undo", stage)
        assert tree_of(world.project) == before


def test_a_command_that_fills_the_disk(base, programs):
    with small_disk(base, base / "home", 16):
        world = StageWorld(base, programs)
        put_files(world)
        before = tree_of(world.project)
        done = world.call("stage", "run", "--keep", "--", "sh", "-c", "head -c 40000000 /dev/zero > big")
        assert done.returncode != 0 and "No space left" in done.stderr, done
        assert tree_of(world.project) == before
        for stage in world.stages():
            world.good("stage", "discard", stage["id"])
        assert pathlib.Path(world.state / "stages").is_dir()
        error_of(world.call("stage", "diff"), 2, "this project has no stage")
