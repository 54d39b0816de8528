"""A stage that is applied, taken back and applied again merges as the first time: what undo restores
can have changes of the user's."""

import os
import time

import pytest

from stage_world import tree_of, wait_for

TEXT = "a\nb\nc\nd\ne\n"
STAGED = "sed -i s/a/A/ f"


def edit(world, one, other, name="f"):
    file = world.project / name
    file.write_text(file.read_text().replace(one, other))


def facts_of(path):
    """All but the time of the last read."""
    facts = path.stat()
    return facts.st_ino, facts.st_mode, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


def text_of(world, name="f"):
    return (world.project / name).read_text().replace("\n", "")


@pytest.fixture(name="stage")
def fixture_stage(world):
    world.put("f", TEXT)
    world.put("g", TEXT)
    return world.stage(f"{STAGED}; rm g; echo 1 > new")


def test_a_merge_that_was_taken_back_is_done_again(world, stage):
    edit(world, "e", "E")
    for _ in range(3):
        world.good("stage", "apply", stage)
        assert text_of(world) == "AbcdE"
        world.good("stage", "undo", stage)
        assert text_of(world) == "abcdE"
    edit(world, "c", "C")
    world.good("stage", "apply", stage)
    assert text_of(world) == "AbCdE"


def test_a_conflict_whose_answer_was_taken_back_is_one_again(world, stage):
    edit(world, "a", "mine")
    edit(world, "e", "mine", "g")
    world.good("stage", "apply", stage, "--conflicts", "staged")
    assert text_of(world) == "Abcde" and not (world.project / "g").exists()
    world.good("stage", "undo", stage)
    done = world.call("stage", "apply", stage)
    assert done.returncode == 1 and "because of 2 conflicts" in done.stderr, done
    assert text_of(world) == "minebcde" and text_of(world, "g") == "abcdmine"
    assert not (world.project / "new").exists()


def test_a_moved_file_is_no_conflict_in_a_directory_that_the_user_has_changed(world):
    world.put("d/old", "1\n")
    stage = world.stage("mv d/old d/new")
    world.put("d/mine", "1\n")
    world.good("stage", "apply", stage)
    assert sorted(path.name for path in (world.project / "d").iterdir()) == ["mine", "new"]


def test_what_only_the_stage_has_changed_is_applied_again(world, stage):
    for _ in range(3):
        world.good("stage", "apply", stage)
        assert text_of(world) == "Abcde" and (world.project / "new").exists()
        world.good("stage", "undo", stage)
    assert text_of(world, "g") == "abcde" and not (world.project / "new").exists()


def test_a_merge_that_the_project_has_already_is_not_applied_again(world, stage):
    edit(world, "e", "E")
    world.good("stage", "apply", stage, "f")
    before = facts_of(world.project / "f")
    done = world.good("stage", "apply", stage)
    assert "not applied: f: the project has this change already" in done.stderr, done
    assert facts_of(world.project / "f") == before
    world.good("stage", "undo", stage)
    assert text_of(world) == "AbcdE"
    world.good("stage", "apply", stage)
    assert text_of(world) == "AbcdE"


@pytest.fixture(name="any_world", params=["overlay", "copy"])
def fixture_any_world(world, request):
    if request.param == "copy":
        world.forbid_overlay()
    return world


def restored_by_another_stage(world):
    """Another stage is applied and taken back, and restores what the returned stage removes."""
    for name in ("f", "d/g", "kept"):
        world.put(name, TEXT)
    (world.project / "link").symlink_to("f")
    world.give(world.project)
    other = world.stage("echo other > f; ln -sf kept link; rm -r d")
    stage = world.stage("rm -r f d link")
    for _ in range(2):
        world.good("stage", "apply", other)
        world.good("stage", "undo", other)
    return stage


def test_what_another_stage_has_restored_is_as_it_was(any_world):
    stage = restored_by_another_stage(any_world)
    before = tree_of(any_world.project)
    any_world.good("stage", "apply", stage)
    assert not {"f", "d", "link"} & set(tree_of(any_world.project))
    any_world.good("stage", "undo", stage)
    assert tree_of(any_world.project) == before


def change_text(world):
    file = world.project / "d/g"
    times = file.stat()
    edit(world, "a", "x", "d/g")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


CHANGES = [change_text, lambda world: (world.project / "d/g").chmod(0o600)]


@pytest.mark.parametrize("change", CHANGES, ids=["text", "mode"])
def test_what_the_user_changes_after_that_is_a_conflict(any_world, change):
    stage = restored_by_another_stage(any_world)
    change(any_world)
    before = tree_of(any_world.project)
    done = any_world.call("stage", "apply", stage)
    assert done.returncode == 1 and "because of 1 conflict" in done.stderr and "d/g" in done.stderr, done
    assert tree_of(any_world.project) == before


def test_what_another_stage_replaced_before_this_one_began_is_not_what_was_before(world):
    world.put("f", TEXT)
    world.good("stage", "apply", world.stage("rm f"))
    stage = world.stage("echo new > f")
    world.put("mine", "1\n")
    world.good("stage", "apply", stage)
    assert text_of(world) == "new"


def git(world, *arguments):
    done = world.start(["git", "-C", world.project, "-c", "user.name=n", "-c", "user.email=e", *arguments],
                       env={"HOME": str(world.home)})
    assert done.returncode == 0, done


def test_what_git_has_restored_is_as_it_was(world):
    for name in ("f", "closed", "g"):
        world.put(name, TEXT)
    (world.project / "closed").chmod(0o600)
    time.sleep(0.05)  # an index that was written in the same moment shows nothing
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        git(world, *arguments)
    with world.begin("stage", "run", "--keep", "--", "sh", "-c", "echo ready; cat; rm f closed g") as running:
        wait_for(lambda: world.stages() and (world.state / "stages" / world.stages()[0]["id"] / "git-base").exists())
        stage = world.stages()[0]["id"]
        running.stdin.close()
        assert running.wait(30) == 0
    for name in ("f", "closed", "g"):
        (world.project / name).unlink()
    git(world, "checkout", "-q", ".")  # does not restore 600
    world.give(world.project)
    edit(world, "a", "mine", "g")
    done = world.call("stage", "apply", stage)
    assert done.returncode == 1 and "because of 2 conflicts" in done.stderr, done
    assert "conflict: f:" not in done.stderr, done
    world.good("stage", "apply", stage, "f")
    assert not (world.project / "f").exists()
