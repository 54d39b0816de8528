"""A stage that is applied, taken back and applied again merges as the first time: what undo restores
can have changes of the user's."""

import pytest

TEXT = "a\nb\nc\nd\ne\n"
STAGED = "sed -i s/a/A/ f"


def edit(world, one, other, name="f"):
    file = world.project / name
    file.write_text(file.read_text().replace(one, other))


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


def test_what_only_the_stage_has_changed_is_applied_again(world, stage):
    for _ in range(3):
        world.good("stage", "apply", stage)
        assert text_of(world) == "Abcde" and (world.project / "new").exists()
        world.good("stage", "undo", stage)
    assert text_of(world, "g") == "abcde" and not (world.project / "new").exists()


def test_a_merge_that_the_project_has_already_is_not_applied_again(world, stage):
    edit(world, "e", "E")
    world.good("stage", "apply", stage, "f")
    before = (world.project / "f").stat()
    done = world.good("stage", "apply", stage)
    assert "not applied: f: the project has this change already" in done.stderr, done
    assert (world.project / "f").stat() == before
    world.good("stage", "undo", stage)
    assert text_of(world) == "AbcdE"
    world.good("stage", "apply", stage)
    assert text_of(world) == "AbcdE"
