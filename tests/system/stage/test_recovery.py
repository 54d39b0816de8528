"""An apply or an undo that was killed half-way is undone by the next command, whichever that is, and
before anything is removed."""

import os

import pytest

from stage_world import tree_of

FILES = 40
KILLED = FILES // 2


@pytest.fixture(name="stage")
def fixture_stage(world):
    for number in range(FILES):
        world.put(f"f{number}", "old\n")
    return world.stage("for f in f*; do echo new > $f; done")


def kill_halfway(world, *words):
    """Runs the command up to its KILLED-th renameat2(2)."""
    done = world.start(["strace", "-f", "-o", "/dev/null", "-e", "trace=renameat2", "-e",
                        f"inject=renameat2:signal=KILL:when={KILLED}", world.programs.ringfence, "stage", *words],
                       env={"HOME": str(world.home)})
    assert done.returncode != 0, done
    names = os.listdir(world.project)
    assert any(name.startswith(".ringfence-") for name in names), names


COMMANDS = (["list"], ["diff", "ID"], ["discard", "ID"], ["gc", "--days", "0"], ["review", "ID"], ["apply", "ID"])


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_the_next_command_undoes_half_an_apply(world, stage, command):
    before = tree_of(world.project)
    kill_halfway(world, "apply", stage)
    done = world.good("stage", *(stage if word == "ID" else word for word in command))
    assert f"a command was interrupted while it applied stage {stage}" in done.stderr, done
    after = tree_of(world.project)
    if command[0] == "apply":
        assert {content for _, content in after.values()} == {b"new\n"}
    else:
        assert after == before
    if command[0] not in ("apply", "discard"):
        assert len(world.changes(stage)) == FILES


@pytest.mark.parametrize("command", COMMANDS[:-1], ids=lambda command: command[0])
def test_the_next_command_undoes_half_an_undo(world, stage, command):
    world.good("stage", "apply", stage)
    before = tree_of(world.project)
    kill_halfway(world, "undo", stage)
    world.good("stage", *(stage if word == "ID" else word for word in command))
    assert tree_of(world.project) == before


def test_a_command_in_another_stage_sees_what_was_before(world, stage):
    before = tree_of(world.project)
    kill_halfway(world, "apply", stage)
    done = world.good("stage", "run", "--keep", "--", "sh", "-c", "cat f*; ls -A")
    assert "new" not in done.stdout and ".ringfence-" not in done.stdout, done
    assert f"a command was interrupted while it applied stage {stage}" in done.stderr
    assert tree_of(world.project) == before


def test_a_stage_that_cannot_be_recovered_is_not_removed(world, stage):
    """Its journal is damaged."""
    kill_halfway(world, "apply", stage)
    journal = world.state / "stages" / stage / "journal"
    journal.write_bytes(b"damaged")
    done = world.call("stage", "discard", stage)
    assert done.returncode != 0 and "cannot be undone" in done.stderr, done
    assert "has files of the project that an interrupted command has replaced" in done.stderr
    world.good("stage", "gc", "--days", "0")
    assert journal.exists()


def test_a_stage_with_versions_of_the_users_is_not_removed(world, stage):
    world.good("stage", "apply", stage)
    kept = world.state / "stages" / stage / "kept"
    kept.mkdir()
    (kept / "0").write_text("mine\n")
    world.give(kept)
    world.good("stage", "gc", "--days", "0")
    done = world.call("stage", "discard", stage)
    assert done.returncode != 0 and "has earlier versions of files" in done.stderr, done
    (kept / "0").rename(world.project / "mine")
    kept.rmdir()
    world.good("stage", "discard", stage)


def test_a_stage_that_is_kept_waits_for_its_record(world):
    """A power failure leaves a file empty whose name is on the disk before its content is."""
    trace = world.base / "trace"
    done = world.start(["strace", "-f", "-o", trace, "-e", "trace=syncfs,renameat", world.programs.ringfence, "stage",
                        "run", "--keep", "--", "sh", "-c", "echo 1 > f"],
                       env={"HOME": str(world.home)})
    assert done.returncode == 0 and "kept as stage" in done.stderr, done
    calls = trace.read_text()
    assert "syncfs(" in calls[calls.rindex('"record"'):], calls
