"""Stages whose changes are in memory."""

import json
import subprocess

import pytest

from command_world import error_of
from command_world import error_of
from stage_world import tree_of


@pytest.fixture(name="memory")
def fixture_memory(world):
    """A world whose policy keeps changes in memory."""
    world.keep_changes_in_memory()
    return world


def buffer_of(world, stage):
    return list((world.state / "stages" / stage / "written").glob("*"))


def test_what_is_kept_is_copied_to_the_disk(memory):
    for name in ("a.txt", "gone", "old/x", "again/y", "again/z"):
        memory.put(name, "1\n")
    before = tree_of(memory.project)
    script = ("echo 2 >> a.txt; rm gone; rm -r old; rm -r again; mkdir again; echo 3 > again/z;"
              " mkdir closed; echo 4 > closed/f; chmod 0 closed; ln -s a.txt link")
    stage = memory.stage(script)
    assert buffer_of(memory, stage)
    assert memory.changes(stage) == {
        "a.txt": "modified", "gone": "removed", "old": "removed", "old/x": "removed",
        "again/y": "removed", "again/z": "modified", "closed": "added", "closed/f": "added", "link": "added"}
    memory.good("stage", "apply", stage)
    assert (memory.project / "a.txt").read_text() == "1\n2\n"
    assert not (memory.project / "again/y").exists()
    memory.good("stage", "undo", stage)
    assert tree_of(memory.project) == before


def test_the_ends_of_a_run(memory):
    memory.put("f", "1\n")
    memory.good("stage", "run", "--apply", "--", "sh", "-c", "echo 2 > f")
    assert (memory.project / "f").read_text() == "2\n"
    memory.good("stage", "undo")
    memory.good("stage", "discard")
    memory.good("stage", "run", "--discard", "--", "sh", "-c", "echo 2 > f")
    done = memory.good("stage", "run", "--", "cat", "f")
    assert "the command changed nothing in the project" in done.stderr
    assert not memory.stages() and (memory.project / "f").read_text() == "1\n"


def start(world, script):
    command = [world.programs.ringfence, "stage", "run", "--keep", "--", "sh", "-c", script]
    return subprocess.Popen(command, cwd=world.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True,
                            env={"PATH": "/usr/bin:/bin", "HOME": str(world.home)}, **world.as_user)


def test_the_changes_are_seen_while_the_command_runs(memory):
    memory.put("f", "1\n")
    with start(memory, "echo 2 > f; echo ready; cat") as running:
        assert running.stdout.readline() == "ready\n"
        stage = memory.stages()[0]
        assert stage["state"] == "running"
        assert memory.changes(stage["id"]) == {"f": "modified"}
        assert "<html" in memory.good("stage", "review", stage["id"]).stdout
        error_of(memory.call("stage", "apply"), 2, f"stage {stage['id']} is in use")
        assert not buffer_of(memory, stage["id"])
        running.stdin.close()
        assert running.wait(30) == 0
    memory.good("stage", "apply")
    assert (memory.project / "f").read_text() == "2\n"


def test_a_full_buffer_ends_the_command(memory):
    memory.put("f", "1\n")
    done = memory.call("stage", "run", "--keep", "--", "sh", "-c",
                       "echo 2 > f; dd if=/dev/zero of=big bs=1M count=20 2>/dev/null; sleep 60; echo on")
    assert (done.returncode, done.stdout) == (137, ""), done
    assert "the command was ended: its changes have filled the memory of stage.buffer_size" in done.stderr
    stage = memory.stages()[0]["id"]
    assert memory.changes(stage) == {"big": "added", "f": "modified"}
    memory.good("stage", "apply", stage, "f")
    assert (memory.project / "f").read_text() == "2\n"


def test_a_buffer_that_is_full_of_names_ends_the_command(memory):
    memory.put("f", "1\n")
    done = memory.call("stage", "run", "--keep", "--", "sh", "-c",
                       "echo 2 > f; seq 9000 | xargs touch 2>/dev/null; sleep 60; echo on")
    assert (done.returncode, done.stdout) == (137, ""), done
    assert "it has created more files than stage.buffer_size has room for, one for 2 KiB" in done.stderr
    stage = memory.stages()[0]["id"]
    assert 3000 < len(memory.changes(stage)) < 4097
    memory.good("stage", "apply", stage, "f")
    assert (memory.project / "f").read_text() == "2\n"


def test_what_is_nested_too_deeply_does_not_keep_the_rest_from_the_disk(memory):
    memory.put("f", "1\n")
    stage = memory.stage("echo 2 > f; python3 -c 'import os\nfor _ in range(250): os.mkdir(\"d\"); os.chdir(\"d\")'")
    done = memory.good("stage", "apply", stage)
    assert "a directory that is nested too deeply" in done.stderr
    assert (memory.project / "f").read_text() == "2\n"


def test_a_file_that_is_too_large_for_the_disk(memory):
    memory.put("f", "1\n")
    stage = memory.stage("echo 2 > f; truncate -s 4E huge")
    done = memory.good("stage", "apply", stage)
    assert "not applied: huge: larger than 1 TB" in done.stderr, done
    assert (memory.project / "f").read_text() == "2\n" and not (memory.project / "huge").exists()


@pytest.mark.parametrize("removal", ["discard", "gc"])
def test_a_launcher_that_was_killed_loses_the_changes(memory, removal):
    memory.put("f", "1\n")
    with start(memory, "echo 2 > f; echo ready; cat") as running:
        assert running.stdout.readline() == "ready\n"
        stage = memory.stages()[0]["id"]
        running.kill()
        running.wait(30)
    error_of(memory.call("stage", "diff", stage), 2, "its changes were in memory, and are lost",
             f"ringfence stage discard {stage}")
    done = memory.good("stage", "list", "--json")
    listed = json.loads(done.stdout)["stages"]
    assert [(s["id"], s["state"], s["changes"]) for s in listed] == [(stage, "lost", 0)]
    assert done.stderr == ""
    if removal == "gc":
        done = memory.good("stage", "gc", "--dry-run")
        assert f"{stage}  " in done.stdout and "its changes in memory are lost" in done.stdout
        memory.good("stage", "gc")
    else:
        memory.good("stage", "discard", stage)
    assert memory.stages() == []
    assert (memory.project / "f").read_text() == "1\n"


def test_without_an_overlay_it_is_refused(memory):
    memory.forbid_overlay()
    done = memory.call("stage", "run", "--", "touch", "ran")
    assert done.returncode == 125
    assert "stage.buffer is memory, which needs an overlay mount" in done.stderr, done
    done = memory.call("stage", "run", "--layers", "landlock", "--", "touch", "ran")
    assert done.returncode == 125 and "which needs layers full" in done.stderr, done
    assert not (memory.project / "ran").exists()
    assert not memory.stages()
