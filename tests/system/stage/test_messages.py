"""What the commands say about stages, and their exit status."""

import os
import signal

import pytest


@pytest.mark.parametrize("option", ["--keep", "--apply", None])
def test_changes_that_cannot_be_listed_are_kept(world, option):
    """The kernel takes paths of this depth only step by step."""
    deep = "for i in $(seq 300); do mkdir d; cd d; done; echo 1 > f"
    done = world.call("stage", "run", *([option] if option else []), "--", "sh", "-ec", deep)
    assert done.returncode == 1 and "nested too deeply" in done.stderr, done
    [stage] = world.stages()
    assert f"the changes are kept as stage {stage['id']}; " in done.stderr
    assert not list(world.project.iterdir())
    world.good("stage", "discard", stage["id"])


def kept_line(world):
    [stage] = world.stages()
    return f"the changes are kept as stage {stage['id']}; to see them: ringfence stage diff {stage['id']}"


@pytest.mark.parametrize("options", [(), ("--apply",)])
def test_an_interrupted_command_says_that_its_stage_is_kept(own_world, run_on_terminal, options):
    terminal = run_on_terminal("sh", "-c", "echo 1 > f; echo ready; sleep 60", options=options)
    terminal.wait("ready")
    terminal.press("\x03", "the changes are kept as stage")
    assert terminal.status() == -signal.SIGINT
    assert kept_line(own_world) in terminal.seen and "[a]pply" not in terminal.seen
    assert not (own_world.project / "f").exists()


def test_an_interrupted_command_can_be_discarded(own_world, run_on_terminal):
    terminal = run_on_terminal("sh", "-c", "echo 1 > f; echo ready; sleep 60", options=["--discard"])
    terminal.wait("ready")
    terminal.press("\x03", "f (+1 line)")
    assert terminal.status() == -signal.SIGINT
    assert own_world.stages() == [] and not (own_world.project / "f").exists()


@pytest.mark.parametrize("name", ["TERM", "HUP"])
def test_a_signal_to_the_launcher_keeps_the_stage(own_world, run_on_terminal, name):
    terminal = run_on_terminal("sh", "-c", "echo 1 > f; echo ready; sleep 60", options=["--apply"])
    terminal.wait("ready")
    number = signal.Signals["SIG" + name]
    os.kill(terminal.pid, number)
    terminal.wait("the changes are kept as stage")
    assert terminal.status() == 128 + number
    assert kept_line(own_world) in terminal.seen
    assert not (own_world.project / "f").exists()


def test_a_signal_without_a_terminal_keeps_the_stage(world):
    with world.started("sh", "-c", "echo 1 > f; echo ready; sleep 60") as running:
        assert running.stdout.readline() == "ready\n"
        running.send_signal(signal.SIGTERM)
        said = running.communicate(timeout=30)[1]
    assert kept_line(world) in said, said
    assert not (world.project / "f").exists()
