"""Undo of applied commits, and applying them again: what the user's git needs by then stays."""

import json

import pytest


def git(world, *arguments):
    done = world.start(["git", "-C", world.project, "-c", "user.name=n", "-c", "user.email=e", "-c", "gc.auto=0",
                        *arguments], env={"HOME": str(world.home)})
    assert done.returncode == 0, f"{arguments}: {done}"
    return done.stdout


def repository(world, *, content="1\n"):
    world.put("a.txt", content)
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"]):
        git(world, *arguments)


def commit_in_stage(world, change="echo 2 >> a.txt", subject="two"):
    """Applies a stage with a commit. Returns its id."""
    stage = world.stage(f"{change}; git add -A; git -c user.name=n -c user.email=e commit -qm {subject}")
    world.good("stage", "apply", stage)
    return stage


USES = {
    "reset": [["reset", "-q", "stage/ID"]],
    "a commit of the same files": [["commit", "-qam", "mine"]],
    "the index": [["add", "-A"]],
    "a tag": [["tag", "kept", "stage/ID"]],
    "another commit": [["commit", "-q", "--allow-empty", "-m", "more"]],
    "packed": [["gc", "-q", "--prune=now"]],
    "the branch is deleted": [["branch", "-q", "-D", "stage/ID"]],
    "the branch goes on": [["symbolic-ref", "HEAD", "refs/heads/stage/ID"], ["reset", "-q"],
                          ["commit", "-q", "--allow-empty", "-m", "more"]],
    "the branch is checked out": [["symbolic-ref", "HEAD", "refs/heads/stage/ID"]],
}


def do(world, use, stage):
    for arguments in USES[use]:
        git(world, *[word.replace("stage/ID", f"stage/{stage}") for word in arguments])


@pytest.mark.parametrize("use", USES)
def test_undo_leaves_what_git_uses(world, use):
    repository(world)
    stage = commit_in_stage(world)
    do(world, use, stage)
    head = git(world, "rev-parse", "HEAD")
    world.good("stage", "undo", stage)
    assert (world.project / "a.txt").read_text() == "1\n"
    assert git(world, "rev-parse", "HEAD") == head
    git(world, "fsck", "--strict")
    git(world, "status")
    git(world, "commit", "-q", "--allow-empty", "-m", "after")


def test_undo_removes_the_branch_that_no_one_uses(world):
    repository(world)
    stage = commit_in_stage(world)
    other = commit_in_stage(world, "echo 1 > b.txt", "other")
    undone = world.good("stage", "undo", stage)
    assert git(world, "branch", "--format=%(refname:short)").split() == ["main", f"stage/{other}"]
    assert "stays" not in undone.stderr, undone
    world.good("stage", "undo", other)
    assert git(world, "branch", "--format=%(refname:short)").split() == ["main"]


def test_undo_names_a_branch_that_stays(world):
    repository(world)
    stage = commit_in_stage(world)
    git(world, "symbolic-ref", "HEAD", f"refs/heads/stage/{stage}")
    undone = world.good("stage", "undo", stage)
    assert f"the branch stage/{stage} of .git stays" in undone.stderr, undone


@pytest.mark.parametrize("use", ["reset", "the branch goes on", "packed"])
def test_commits_are_applied_again_after_undo(world, use):
    repository(world)
    stage = commit_in_stage(world)
    do(world, use, stage)
    world.good("stage", "undo", stage)
    world.good("stage", "apply", stage)
    assert (world.project / "a.txt").read_text() == "1\n2\n"
    assert "two" in git(world, "log", "--format=%s", "--all")
    git(world, "fsck", "--strict")


def test_a_branch_with_commits_of_the_user_is_not_to_be_moved_back(world):
    repository(world)
    stage = world.stage("echo 2 > new; git add -A; git -c user.name=n -c user.email=e commit -qm two")
    git(world, "commit", "-q", "--allow-empty", "-m", "mine")
    said = world.good("stage", "apply", stage).stderr
    assert "git reset" not in said, said
    suggested = said.split("to compare: ")[1].strip()
    assert suggested == f"git log --oneline main...stage/{stage}", said
    shown = git(world, *suggested.split()[1:])
    assert "mine" in shown and "two" in shown, shown


def test_users_see_branches_and_no_other_files_of_git(world):
    repository(world)
    stage = world.stage("echo 2 >> a.txt; git -c user.name=n -c user.email=e commit -qam two")
    assert [one["changes"] for one in world.stages()] == [2]
    assert "applied 2 changes" in world.good("stage", "apply", stage).stdout
    assert [(one["state"], one["changes"]) for one in world.stages()] == [("applied", 0)]
    assert "took back 2 changes" in world.good("stage", "undo", stage).stdout


def test_a_second_apply_does_not_make_the_branch_again(world):
    repository(world)
    stage = world.stage("echo 2 >> a.txt; git -c user.name=n -c user.email=e commit -qam two; echo 1 > later")
    world.user_policy(write={"deny": ["later"]})
    assert "held back by the policy: later" in world.good("stage", "apply", stage).stderr
    world.user_policy()
    again = world.good("stage", "apply", stage)
    assert "applied 1 change " in again.stdout and "branch" not in again.stderr, again
    assert git(world, "branch", "--format=%(refname:short)").split() == ["main", f"stage/{stage}"]


def test_undo_removes_a_repository_that_was_new(world):
    stage = commit_in_stage(world, "git init -q -b main kit; echo 1 > kit/a; cd kit")
    world.good("stage", "undo", stage)
    assert not list(world.project.iterdir())


def test_a_new_repository_is_one_line(world):
    stage = world.stage("git init -q -b main kit; echo 1 > kit/a; cd kit; git add -A;"
                        " git -c user.name=n -c user.email=e commit -qm one")
    done = world.call("stage", "run", "--keep", "--", "sh", "-c", "git init -q -b main kit; echo 1 > kit/a")
    assert "  kit/.git/ (+" in done.stderr and "kit/.git/HEAD" not in done.stderr, done
    world.user_policy(write={"deny": ["kit/.git"]})
    held = [line for line in world.good("stage", "apply", stage).stderr.splitlines() if "held back" in line]
    assert len(held) == 1 and "kit/.git: " in held[0], held


def test_tags_and_stashes_that_stay_behind_are_named(world):
    repository(world)
    git_ = "git -c user.name=n -c user.email=e"
    done = world.call("stage", "run", "--keep", "--", "sh", "-ec",
                      f"{git_} tag v1; echo 2 >> a.txt; {git_} stash -q; echo 3 >> a.txt")
    for name in ("refs/stash", "refs/tags/v1"):
        assert f"not applied: .git/{name}: tags, notes and stashes are not applied" in done.stderr, done
    world.good("stage", "apply")
    assert [stage["state"] for stage in world.stages()] == ["applied"]


@pytest.mark.parametrize("pack", ("pack-refs --all", "gc -q"))
def test_tags_that_are_packed_in_the_stage_are_named_once(world, pack):
    repository(world)
    git(world, "tag", "v0")
    git_ = "git -c user.name=n -c user.email=e"
    done = world.call("stage", "run", "--keep", "--", "sh", "-ec", f"git {pack}")
    assert "are not applied" not in done.stderr, done
    world.good("stage", "discard")
    done = world.call("stage", "run", "--keep", "--", "sh", "-ec", f"{git_} tag -m new v1; git {pack}; echo 2 >> a.txt")
    assert done.stderr.count("tags, notes and stashes are not applied") == 1, done
    assert "not applied: .git/packed-refs: tags, notes and stashes are not applied" in done.stderr, done


def test_inside_a_sandbox_no_stage_is_found(world):
    done = world.call("run", "--", world.programs.ringfence, "stage", "list")
    assert done.returncode == 2 and "this is inside a sandbox" in done.stderr, done


@pytest.mark.parametrize("pack", [[], ["pack-refs", "--all"]], ids=["loose", "packed"])
@pytest.mark.parametrize("staged, users, becomes", [("a/b", "a", "stage/ID"), ("a", "a/b", "*")])
def test_a_branch_that_git_cannot_have_beside_another_gets_another_name(world, staged, users, becomes, pack):
    repository(world)
    stage = world.stage(f"git checkout -q -b {staged}; echo 2 >> a.txt; "
                        "git -c user.name=n -c user.email=e commit -qam two")
    git(world, "branch", users)
    if pack:
        git(world, *pack)
    world.good("stage", "apply", stage)
    branches = git(world, "branch", "--format=%(refname:short)").split()
    new, = set(branches) - {"main", users}
    assert len(branches) == 3 and (becomes == "*" or new == becomes.replace("ID", stage)), branches
    assert git(world, "log", "-1", "--format=%s", new) == "two\n"
    world.good("stage", "undo", stage)
    assert set(git(world, "branch", "--format=%(refname:short)").split()) == {"main", users}


def test_the_first_commit_of_a_repository_does_not_move_the_users_branch(world):
    git(world, "init", "-q", "-b", "main")
    world.put("a.txt", "1\n")
    status = git(world, "status", "--short", "--branch")
    stage = world.stage("git add a.txt; git -c user.name=n -c user.email=e commit -qm one")
    applied = world.good("stage", "apply", stage)
    assert f"to move the current branch there: git reset stage/{stage}" in applied.stderr, applied
    assert git(world, "status", "--short", "--branch") == status
    git(world, "reset", "-q", f"stage/{stage}")
    assert git(world, "status", "--short", "--branch") == "## main\n"


def test_the_number_of_changes_is_the_same_with_json(world):
    repository(world)
    stage = world.stage("echo 2 >> a.txt; git -c user.name=n -c user.email=e commit -qam two")
    applied = world.good("stage", "apply", stage, "--json")
    assert json.loads(applied.stdout)["changes"] == 2  # the file and the branch
    assert "applied 2 changes" in applied.stderr, applied
