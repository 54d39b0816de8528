"""What the policy holds back is decided for the project as it will be: several stages, paths or
answers together make nothing that one stage may not make.

The sandbox refuses most of this already when one command does it. So `staged` writes to the stage
without it."""

import os
import shutil

import pytest

from stage_world import tree_of

HEAD = "ref: refs/heads/main\n"


def is_bare(world):
    return all((world.project / "kit" / part).exists() for part in ("HEAD", "objects", "refs"))


def held(done):
    """The paths that were held back."""
    mark = "held back by the policy: "
    return sorted(line.split(mark)[1].split(": ")[0] for line in done.stderr.splitlines() if mark in line)


def staged(world, files=(), links=(), gone=()):
    """A stage with new texts for these files of `kit`, links, and without the names that are gone. A
    file whose name ends in a slash is a directory."""
    stage = world.stage("mkdir -p kit; echo 1 > kit/other")
    kit = world.state / "stages" / stage / "written/kit"
    for name, text in dict(files).items():
        place = kit / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            place.mkdir()
        else:
            place.write_text(text)
    for name, target in dict(links).items():
        (kit / name).symlink_to(target)
    for name in gone:
        (kit / name).parent.mkdir(parents=True, exist_ok=True)
        os.mknod(kit / name, 0o020000, 0)  # a whiteout
    world.give(kit)
    return stage


CONFIG = {"config": "[core]\n\tfsmonitor = touch pwned\n"}
ALL = {"HEAD": HEAD, "objects/": "", "refs/": "", **CONFIG}


def part(*names):
    return {name: text for name, text in ALL.items() if name.rstrip("/") in names}


def test_one_stage_makes_no_bare_repository(world):
    done = world.good("stage", "apply", staged(world, ALL))
    assert held(done) == ["kit/HEAD", "kit/config", "kit/objects", "kit/refs"], done.stderr
    assert sorted(tree_of(world.project)) == ["kit", "kit/other"]


@pytest.mark.parametrize("first", [("HEAD", "config"), ("objects", "refs"), ("config",), ("HEAD", "refs")])
def test_two_stages_make_no_bare_repository(world, first):
    second = [name.rstrip("/") for name in ALL if name.rstrip("/") not in first]
    stages = [staged(world, part(*first)), staged(world, part(*second))]
    for stage in stages:
        world.good("stage", "apply", stage)
    assert not is_bare(world)
    shutil.rmtree(world.project / "kit")
    for stage in reversed(stages):
        world.good("stage", "apply", stage)
    assert not is_bare(world)


def test_a_directory_of_one_stage_and_what_another_has_in_it(world):
    world.put("kit/HEAD", HEAD)
    one, other = staged(world, part("objects", "refs")), staged(world, {"objects/x": "1\n", "refs/x": "1\n"})
    for stage in (one, other):
        assert {"kit/objects", "kit/refs"} <= set(held(world.good("stage", "apply", stage)))
    assert not is_bare(world)


def test_paths_make_no_bare_repository(world):
    world.put("kit/f", "1\n")
    stage = staged(world, ALL)
    for name in ("config", "HEAD", "objects", "refs"):
        world.good("stage", "apply", stage, f"kit/{name}")
    assert not is_bare(world)


def bare(world):
    """A bare repository of the user's in the project."""
    for name in ("HEAD", "config", "objects/x", "refs/x"):
        world.put(f"kit/{name}", f"{name}\n")


@pytest.mark.parametrize("more", [{"gone": ["HEAD"]}, {"gone": ["refs"]}, {"gone": ["objects"]},
                                  {"links": {"HEAD": "other"}}])
def test_a_bare_repository_is_not_taken_apart_to_change_it(world, more):
    bare(world)
    before = (world.project / "kit/config").read_text()
    done = world.good("stage", "apply", staged(world, CONFIG, **more))
    assert "kit/config" in held(done), done.stderr
    assert (world.project / "kit/config").read_text() == before
    assert is_bare(world)


def test_a_bare_repository_can_be_removed(world):
    bare(world)
    stage = staged(world)
    written = world.state / "stages" / stage / "written"
    shutil.rmtree(written / "kit")
    os.mknod(written / "kit", 0o020000, 0)
    world.give(written)
    done = world.good("stage", "apply", stage)
    assert held(done) == [] and not (world.project / "kit").exists()


def test_an_answer_that_keeps_a_name_holds_others_back(world):
    """The stage may change the configuration only because it removes the rest of the repository;
    the user keeps that."""
    bare(world)
    stage = staged(world, CONFIG, gone=["HEAD", "objects", "refs"])
    for name in ("HEAD", "objects/x", "refs/x"):
        world.put(f"kit/{name}", "the user's\n")
    before = tree_of(world.project)["kit/config"]
    done = world.good("stage", "apply", stage, "--conflicts", "mine")
    assert "kit/config" in held(done), done.stderr
    assert tree_of(world.project)["kit/config"] == before


def test_an_answer_that_takes_a_name_holds_others_back(world):
    """Both have HEAD; only the stage's version of it makes a repository of what is there."""
    world.put("kit/objects/x", "1\n")
    world.put("kit/refs/x", "1\n")
    stage = staged(world, {"HEAD": HEAD})
    world.put("kit/HEAD", "the user's\n")
    world.good("stage", "apply", stage, "--conflicts", "staged")
    assert (world.project / "kit/HEAD").read_text() == "the user's\n"


def test_a_link_of_the_stage_leads_a_rule_to_its_target(world):
    world.put("kit/run/it", "1\n")
    stage = staged(world, {"run/it": "2\n"}, {"link": "run"})
    world.user_policy(write={"deny": ["kit/link/it"]})
    done = world.good("stage", "apply", stage)
    assert "kit/run/it" in held(done), done.stderr
    assert (world.project / "kit/run/it").read_text() == "1\n"


def test_ordinary_links_are_applied(world):
    stage = world.stage("ln -s /usr/bin/env env; ln -s nowhere broken; mkdir d; ln -s d e; echo 1 > d/f")
    assert held(world.good("stage", "apply", stage)) == []
    assert sorted(tree_of(world.project)) == ["broken", "d", "d/f", "e", "env"]
