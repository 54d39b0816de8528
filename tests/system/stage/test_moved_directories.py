"""The user moves a directory to a name in which a stage has changed something. Its files are older
than the stage, and still the user's change."""

import os

import pytest

from command_world import error_of
from stage_world import tree_of, wait_for


@pytest.fixture(name="any_world", params=["overlay", "copy"])
def fixture_any_world(world, request):
    if request.param == "copy":
        world.forbid_overlay()
    return world


def move(world, source, target):
    os.rename(world.project / source, world.project / target)


def replace(world, path, source):
    move(world, path, "away")
    move(world, source, path)


def is_refused(world, stage, *paths):
    before = tree_of(world.project)
    error_of(world.call("stage", "apply", stage), 1, "nothing is applied", *paths)
    assert tree_of(world.project) == before


@pytest.mark.parametrize("script", ["rm -r d", "rm d/f", "printf '\\0staged' > d/f", "echo staged > d/f"])
def test_a_directory_that_is_moved_there_is_a_conflict(any_world, script):
    any_world.put("d/f", "1\n")
    any_world.put("mine/f", "mine\n")
    stage = any_world.stage(script)
    replace(any_world, "d", "mine")
    is_refused(any_world, stage, "d/f")
    any_world.put("d/new", "later\n")
    is_refused(any_world, stage, "d/f")


def test_the_directory_can_be_further_up(any_world):
    any_world.put("x/sub/d/f", "1\n")
    any_world.put("y/sub/d/f", "mine\n")
    stage = any_world.stage("rm -r x/sub/d")
    replace(any_world, "x", "y")
    is_refused(any_world, stage, "x/sub/d/f")


def test_the_directory_can_be_further_down(any_world):
    any_world.put("d/in/f", "1\n")
    any_world.put("mine/f", "mine\n")
    stage = any_world.stage("rm -r d")
    replace(any_world, "d/in", "mine")
    is_refused(any_world, stage, "d/in/f")


def test_the_project_can_be_replaced_as_a_whole(any_world):
    any_world.put("f", "1\n")
    other = any_world.project.with_name("other")
    other.mkdir()
    (other / "f").write_text("mine\n")
    any_world.give(other.parent)
    stage = any_world.stage("rm f")
    os.rename(any_world.project, any_world.project.with_name("away"))
    os.rename(other, any_world.project)
    is_refused(any_world, stage, "f")


@pytest.mark.parametrize("script", ["rm d/f", "rm -r d", "echo staged > d/f"])
def test_it_is_moved_there_while_the_command_runs(world, script):
    world.put("d/f", "1\n")
    world.put("mine/f", "mine\n")
    running = world.started("sh", "-ec", script + "; touch ready; read line", options=("--keep",))
    with running:
        wait_for(lambda: any(world.state.glob("stages/*/written/ready")))
        folders = next(world.state.glob("stages/*/written")).with_name("folders")
        wait_for(lambda: folders.exists() and b" d\0" in folders.read_bytes())
        replace(world, "d", "mine")
        world.put("d/new", "later\n")
        running.communicate("go\n", timeout=30)
    is_refused(world, world.stages()[0]["id"], "d/f")


def test_a_directory_that_is_moved_there_before_the_first_change_is_a_conflict(world):
    """The command has changed nothing in the directory yet, but may have read it."""
    world.put("d/f", "1\n")
    world.put("mine/f", "mine\n")
    running = world.started("sh", "-ec", "touch ready; read line; rm d/f", options=("--keep",))
    with running:
        wait_for(lambda: any(world.state.glob("stages/*/written/ready")))
        replace(world, "d", "mine")
        running.communicate("go\n", timeout=30)
    is_refused(world, world.stages()[0]["id"], "d/f")


@pytest.mark.parametrize("change", [
    lambda world: world.put("d/new", "1\n"), lambda world: (world.project / "d/other").unlink(),
    lambda world: (world.project / "d").chmod(0o750), lambda world: move(world, "d/other", "d/x"),
    lambda world: world.put("d/sub/in", "1\n"), lambda world: move(world, "other", "d/moved"),
    lambda world: (move(world, "d", "x"), move(world, "x", "d"))])
@pytest.mark.parametrize("script", ["rm d/f", "printf '\\0staged' > d/f; echo 1 > d/g"])
def test_other_changes_of_the_directory_are_none_of_its_files(any_world, change, script):
    for name in ("d/f", "d/other", "other/x"):
        any_world.put(name, "1\n")
    stage = any_world.stage(script)
    change(any_world)
    any_world.good("stage", "apply", stage)


def test_other_changes_while_the_command_runs_are_none_of_its_files(world):
    for name in ("d/f", "d/other", "other/x"):
        world.put(name, "1\n")
    running = world.started("sh", "-ec", "touch ready; read line; rm d/f", options=("--keep",))
    with running:
        wait_for(lambda: any(world.state.glob("stages/*/written/ready")))
        world.put("d/new", "1\n")
        move(world, "other", "d/moved")
        (world.project / "d/other").unlink()
        running.communicate("go\n", timeout=30)
    world.good("stage", "apply", world.stages()[0]["id"])


def test_what_undo_restores_can_be_applied_again(any_world):
    any_world.put("d/in/f", "1\n")
    any_world.put("d/in/g", "1\n")
    stage = any_world.stage("rm -r d; echo 1 > e")
    for _ in range(3):
        any_world.good("stage", "apply", stage)
        assert not (any_world.project / "d").exists()
        any_world.good("stage", "undo", stage)
    assert (any_world.project / "d/in/f").read_text() == "1\n"
