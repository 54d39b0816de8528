"""Commits of a stage that is applied in parts, again, or in an unusual repository."""

import pytest

from stage_world import tree_of


def git(world, *arguments):
    done = world.start(["git", "-C", world.project, "-c", "user.name=n", "-c", "user.email=e", *arguments],
                       env={"HOME": str(world.home)})
    assert done.returncode == 0, done
    return done.stdout


def files_of(folder):
    return {path: facts for path, facts in tree_of(folder).items() if not (folder / path).is_dir()}


COMMIT = "git add .; git -c user.name=n -c user.email=e commit -qm two"


@pytest.fixture(name="stage")
def fixture_stage(world):
    world.put("a", "1\n")
    world.put("b", "1\n")
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"]):
        git(world, *arguments)
    return world.stage(f"echo 2 > a; echo 2 > b; {COMMIT}")


def test_a_branch_that_was_applied_is_not_applied_again(world, stage):
    world.good("stage", "apply", stage, ".git", "a")
    assert git(world, "log", "--format=%s", f"stage/{stage}") == "two\none\n"
    before = tree_of(world.project / ".git")
    done = world.good("stage", "apply", stage)
    assert "applied 1 change " in done.stdout and "branch" not in done.stderr, done
    assert tree_of(world.project / ".git") == before
    assert (world.project / "b").read_text() == "2\n"
    assert "nothing to apply" in world.good("stage", "apply", stage).stdout


def test_a_branch_of_the_user_with_that_name_stays(world, stage):
    git(world, "branch", f"stage/{stage}")
    done = world.good("stage", "apply", stage)
    assert f"the new branch stage/{stage}-2" in done.stderr, done
    assert git(world, "log", "--format=%s", f"stage/{stage}") == "one\n"
    assert git(world, "log", "--format=%s", f"stage/{stage}-2") == "two\none\n"


def test_commits_with_sha256_are_not_applied(world):
    world.put("a", "1\n")
    for arguments in (["init", "-q", "-b", "main", "--object-format=sha256"], ["add", "."], ["commit", "-qm", "one"]):
        git(world, *arguments)
    before = files_of(world.project / ".git")
    stage = world.stage(f"echo 2 > a; {COMMIT}")
    done = world.good("stage", "apply", stage)
    assert "git's objects with SHA-256 cannot be checked, so no branch is applied" in done.stderr, done
    assert files_of(world.project / ".git") == before
    assert (world.project / "a").read_text() == "2\n"
    git(world, "fsck")
