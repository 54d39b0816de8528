"""A stage removes a directory, or puts something else in its place, and the user has files of their
own in it."""

import pytest

from command_world import error_of
from stage_world import tree_of

REPLACED = ["rm -r d; ln -s f d", "rm -r d; echo staged > d"]


@pytest.fixture(name="any_world", params=["overlay", "copy"])
def fixture_any_world(world, request):
    if request.param == "copy":
        world.forbid_overlay()
    return world


def begin(world, script):
    """Returns the stage, and what the user has then."""
    for name in ("f", "d/a", "d/s/b"):
        world.put(name, "1\n")
    stage = world.stage(f"{script}; echo 2 > f")
    world.put("d/s/mine", "mine\n")
    return stage, tree_of(world.project)


@pytest.mark.parametrize("script", ["rm -r d", *REPLACED])
def test_the_stages_version_replaces_all_of_it(any_world, script):
    stage, before = begin(any_world, script)
    error_of(any_world.call("stage", "apply", stage), 1, "nothing is applied", "d/s/mine")
    assert tree_of(any_world.project) == before
    done = any_world.good("stage", "apply", stage, "--conflicts", "staged")
    assert "not applied" not in done.stderr, done
    after = tree_of(any_world.project)
    assert not [name for name in after if name.startswith("d/")]
    assert ("d" in after) == (script in REPLACED)
    any_world.good("stage", "undo", stage)
    assert tree_of(any_world.project) == before


@pytest.mark.parametrize("script", REPLACED)
def test_nothing_of_it_is_removed_if_it_stays(any_world, script):
    stage, before = begin(any_world, script)
    done = any_world.good("stage", "apply", stage, "--conflicts", "mine")
    assert "not applied: d/a: its directory is not replaced" in done.stderr, done
    after = tree_of(any_world.project)
    assert after.pop("f")[1] == b"2\n"
    assert after == {name: facts for name, facts in before.items() if name != "f"}
    any_world.good("stage", "undo", stage)
    assert tree_of(any_world.project) == before


def test_what_the_user_has_in_a_removed_directory_stays(any_world):
    stage, before = begin(any_world, "rm -r d")
    any_world.good("stage", "apply", stage, "--conflicts", "mine")
    after = tree_of(any_world.project)
    assert {"d", "d/s", "d/s/mine"} <= set(after) and not {"d/a", "d/s/b"} & set(after)
    any_world.good("stage", "undo", stage)
    assert tree_of(any_world.project) == before


def test_what_is_never_applied_stays_so_in_a_directory_that_is_a_conflict(world):
    world.put("f", "1\n")
    world.put("d", "1\n")
    stage = world.stage("rm d; mkdir d; echo 1 > d/x; mkfifo d/pipe")
    world.put("d", "mine\n")
    done = world.good("stage", "apply", stage, "--conflicts", "staged")
    assert "not applied: d/pipe: a FIFO" in done.stderr, done
    assert sorted(tree_of(world.project)) == ["d", "d/x", "f"]
