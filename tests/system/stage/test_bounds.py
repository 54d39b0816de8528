"""What a command can make large without using space: sparse files, names, deep directories."""

import json
import os

import pytest

from stage_world import tree_of

GIB = 1 << 30
DEEP = """
import os, sys
os.chdir(sys.argv[1])
for _ in range(int(sys.argv[2])):
    os.mkdir(sys.argv[3])
    os.chdir(sys.argv[3])
open("file", "w").close()
"""


@pytest.mark.parametrize("is_copy", (False, True))
def test_holes_cost_nothing(world, is_copy):
    world.put("old", "1\n")
    os.truncate(world.project / "old", 900 * GIB)
    if is_copy:
        world.forbid_overlay()
    stage = world.stage("truncate -s 900G new; echo 1 >> new; chmod 600 old; truncate -s 2T huge; echo 1 > f")
    assert world.changes(stage) == {"f": "added", "huge": "added", "new": "added", "old": "mode"}
    done = world.good("stage", "apply", stage)
    assert "not applied: huge: larger than 1 TB" in done.stderr, done
    assert not (world.project / "huge").exists()
    new = (world.project / "new").stat()
    assert new.st_size == 900 * GIB + 2 and new.st_blocks < 1000
    logged = [json.loads(line) for line in world.good("log", "--stage", stage, "--json").stdout.splitlines()]
    after = {entry["paths"][0].rsplit("/", 1)[1]: entry["after"] for entry in logged
             if entry["event"] == "StageChange"}
    assert "sha256" not in after["new"] and after["new"]["size"] == new.st_size
    assert "sha256" in after["f"]
    world.good("stage", "undo", stage)
    old = (world.project / "old").stat()
    assert old.st_size == 900 * GIB and old.st_blocks < 1000 and not (world.project / "new").exists()


@pytest.mark.parametrize("levels, name", ((250, "d"), (18, "n" * 200)), ids=("levels", "long"))
@pytest.mark.parametrize("is_copy", (False, True), ids=("overlay", "copy"))
def test_what_is_nested_too_deeply_is_left_out(world, levels, name, is_copy):
    world.put("f", "1\n")
    world.put("deep.py", DEEP)
    if is_copy:
        world.forbid_overlay()
    before = tree_of(world.project)
    stage = world.stage(f"echo 2 > f; mkdir top; python3 deep.py top {levels} {name}; echo 1 > top/x")
    changes = world.changes(stage)
    assert changes["f"] == "modified" and changes["top/x"] == "added"
    deepest = max(changes, key=len)
    assert f"# {deepest}: nested too deeply to be read\n" in world.good("stage", "diff", stage).stdout
    assert "nested too deeply" in world.good("stage", "review", stage).stdout
    done = world.good("stage", "apply", stage)
    assert f"not applied: {deepest}: a directory that is nested too deeply" in done.stderr, done
    assert (world.project / "f").read_text() == "2\n" and (world.project / "top/x").exists()
    assert not os.path.lexists(world.project / deepest)
    assert world.stages()[0]["changes"] == 1
    world.good("stage", "gc", "--dry-run")
    world.good("stage", "undo", stage)
    assert tree_of(world.project) == before
    world.good("stage", "discard", stage)
    assert not world.stages()


def test_a_deep_directory_of_the_project_is_not_removed(world):
    world.put("f", "1\n")
    world.put("top/x", "1\n")
    world.write(world.base / "deep.py", DEEP)
    assert world.start(["python3", world.base / "deep.py", world.project / "top", "250", "d"]).returncode == 0
    stage = world.stage("rm -r top; echo 2 > f")
    done = world.good("stage", "apply", stage)
    assert "not applied: top: the directory holds something that stays" in done.stderr, done
    assert (world.project / "f").read_text() == "2\n" and (world.project / "top/d/d").is_dir()
    assert not (world.project / "top/x").exists()
    world.good("stage", "undo", stage)
    assert (world.project / "top/x").exists()
