"""Stages of a project pause while a command works on it alone."""

import signal
import time

import pytest

from terminal_session import TerminalSession

COUNT = "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo $i > count; sleep 0.02; done"


def count_in(world, stage):
    try:
        return (world.state / "stages" / stage / "written/count").read_text()
    except FileNotFoundError:
        return ""


def wait_for(condition):
    for _ in range(300):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("it did not happen")


def goes_on(world, stage):
    before = count_in(world, stage)
    wait_for(lambda: count_in(world, stage) not in ("", before))


def stands_still(world, stage):
    before = count_in(world, stage)
    time.sleep(0.5)
    return count_in(world, stage) == before


@pytest.fixture(name="other")
def fixture_other(own_world):
    """The stage of a command that counts until the test ends."""
    with own_world.started("sh", "-c", COUNT, options=["--keep"]) as running:
        wait_for(own_world.stages)
        stage = own_world.stages()[0]["id"]
        goes_on(own_world, stage)
        yield stage
        running.terminate()
        running.communicate(timeout=30)


def state_of(world, stage):
    return {found["id"]: found["state"] for found in world.stages()}[stage]


def test_other_stages_pause_while_a_command_works_alone(own_world, other):
    with own_world.started("sh", "-c", "echo 1 > f; echo ready; cat", options=["--apply"]) as alone:
        assert alone.stdout.readline() == "ready\n"
        assert stands_still(own_world, other) and state_of(own_world, other) == "paused"
        said = alone.communicate(timeout=30)[1]
    assert f"note: stage {other} is paused while this command works on the project" in said
    assert (own_world.project / "f").read_text() == "1\n"
    goes_on(own_world, other)
    wait_for(lambda: state_of(own_world, other) == "running")


@pytest.mark.parametrize("options", [["--keep"], ["--discard"], ["--apply", "--agent"], []])
def test_other_stages_go_on_beside_a_command_that_applies_nothing(own_world, other, options):
    with own_world.started("sh", "-c", "echo ready; cat", options=options) as beside:
        assert beside.stdout.readline() == "ready\n"
        goes_on(own_world, other)
        said = beside.communicate(timeout=30)[1]
    assert "paused" not in said


def test_stages_of_other_projects_go_on(own_world, other):
    elsewhere = own_world.base / "elsewhere"
    elsewhere.mkdir()
    own_world.give(elsewhere)
    with own_world.started("sh", "-c", "echo ready; cat", options=["--apply"], cwd=elsewhere) as alone:
        assert alone.stdout.readline() == "ready\n"
        goes_on(own_world, other)
        alone.communicate(timeout=30)


def test_a_killed_command_leaves_nothing_paused(own_world, other):
    with own_world.started("sh", "-c", "echo ready; cat", options=["--apply"]) as alone:
        assert alone.stdout.readline() == "ready\n"
        assert stands_still(own_world, other)
        alone.send_signal(signal.SIGKILL)
        alone.wait(30)
    goes_on(own_world, other)


def test_a_stage_that_starts_meanwhile_pauses_too(own_world):
    with own_world.started("sh", "-c", "echo ready; cat", options=["--apply"]) as alone:
        assert alone.stdout.readline() == "ready\n"
        with own_world.started("sh", "-c", COUNT, options=["--keep"]) as late:
            wait_for(lambda: "paused" in [found["state"] for found in own_world.stages()])
            stage = [found["id"] for found in own_world.stages() if found["state"] == "paused"][0]
            assert stands_still(own_world, stage)
            alone.communicate(timeout=30)
            goes_on(own_world, stage)
            late.terminate()
            late.communicate(timeout=30)


def test_nothing_is_applied_meanwhile(own_world):
    kept = own_world.stage("echo 1 > g")
    with own_world.started("sh", "-c", "echo ready; cat", options=["--apply"]) as alone:
        assert alone.stdout.readline() == "ready\n"
        done = own_world.call("stage", "apply", kept)
        assert done.returncode == 2 and " works alone there; nothing was changed" in done.stderr, done
        assert not (own_world.project / "g").exists()
        alone.communicate(timeout=30)
    remedy = done.stderr.partition("then: ringfence ")[2].split()
    own_world.good(*remedy)
    assert (own_world.project / "g").read_text() == "1\n"


def test_a_second_command_waits_for_the_first(own_world):
    with own_world.started("sh", "-c", "echo 1 >> f; echo ready; cat", options=["--apply"]) as one:
        assert one.stdout.readline() == "ready\n"
        with own_world.started("sh", "-c", "cat f; echo 2 >> f", options=["--apply"]) as two:
            assert two.stderr.readline().startswith("ringfence: waiting until the command of stage ")
            one.communicate(timeout=30)
            assert two.communicate(timeout=30)[0].startswith("1\n")
    assert (own_world.project / "f").read_text() == "1\n2\n"


def test_a_wait_can_be_interrupted(own_world):
    with own_world.started("sh", "-c", "echo ready; cat", options=["--apply"]) as one:
        assert one.stdout.readline() == "ready\n"
        with own_world.started("sh", "-c", "echo 2 > f", options=["--apply"]) as two:
            two.stderr.readline()
            two.send_signal(signal.SIGINT)
            assert two.wait(30) == -signal.SIGINT
        one.communicate(timeout=30)
    assert not own_world.stages()


def paused_beside(world, terminal):
    """A command that works alone, once the stage on the terminal has paused."""
    alone = world.started("sh", "-c", "echo ready; cat", options=["--apply"])
    assert alone.stdout.readline() == "ready\n", terminal.seen
    assert state_of(world, world.stages()[0]["id"]) == "paused"
    return alone


def test_a_shell_with_jobs_survives_a_pause(own_world, run_on_terminal):
    """The shell does not take its job in the foreground for one that the user suspended."""
    terminal = run_on_terminal("bash", "--norc", "-i", options=["--keep"])
    prompt = "\x1b[?2004h> "  # the shell reads the next line from here on
    terminal.say("PS1='> '; set -m\n", prompt)
    terminal.say("sh -c 'echo be\"\"gun; cat'\n", "begun")
    terminal.say("one\n", "one\r\none")
    for text in ("two", "three"):
        with paused_beside(own_world, terminal) as alone:
            terminal.say(text + "\n")
            time.sleep(0.3)
            assert "Stopped" not in terminal.seen
            alone.communicate(timeout=30)
        terminal.wait(text + "\r\n" + text)
        assert "Stopped" not in terminal.seen
    terminal.say("\x04", prompt)
    terminal.say("sleep 60\n", "\x1b[?2004l")
    terminal.press("\x1a", "Stopped")
    terminal.wait(prompt)
    terminal.say("exec true\n")
    assert terminal.status() == 0


def test_keys_and_interrupts_arrive_after_the_pause(own_world, run_on_terminal):
    terminal = run_on_terminal("sh", "-c", "trap 'echo interrupted; exit 0' INT; echo ready; "
                       "while :; do sleep 0.1; done", options=["--keep"])
    terminal.wait("ready")
    with paused_beside(own_world, terminal) as alone:
        terminal.say("\x03")
        time.sleep(0.3)
        assert "interrupted" not in terminal.seen
        alone.communicate(timeout=30)
    terminal.wait("interrupted")
    assert terminal.status() == 0


def test_a_suspended_stage_is_continued_after_the_pause(own_world, run_on_terminal):
    """The user suspends the stage in a shell, and brings it back while it has to pause."""
    own_world.environment["PS1"] = "$ "
    terminal = TerminalSession(["/bin/bash", "--norc", "--noprofile"], own_world)
    try:
        terminal.wait("$ ")
        terminal.say(f"{own_world.programs.ringfence} stage run --keep -- sh -c "
                     "'echo ready; while read x; do echo got $x; done'\n", "ready")
        terminal.say("\x1a", "Stopped")
        with own_world.started("sh", "-c", "echo ready; cat", options=["--apply"]) as alone:
            assert alone.stdout.readline() == "ready\n"
            terminal.say("fg\n")
            wait_for(lambda: own_world.stages()[0]["state"] == "paused")
            terminal.say("text\n")
            time.sleep(0.3)
            assert "got" not in terminal.seen
            alone.communicate(timeout=30)
        terminal.wait("got text")
        terminal.say("\x04", "$ ")
    finally:
        terminal.__exit__()


def test_a_killed_launcher_ends_its_paused_processes(own_world):
    with own_world.started("sh", "-c", COUNT, options=["--keep"]) as running:
        wait_for(own_world.stages)
        stage = own_world.stages()[0]["id"]
        goes_on(own_world, stage)
        with own_world.started("sh", "-c", "echo ready; cat", options=["--apply"]) as alone:
            assert alone.stdout.readline() == "ready\n"
            running.kill()
            running.wait(30)
            assert running.stdout.read() == ""  # ends when the last process has closed it
            alone.communicate(timeout=30)
    assert state_of(own_world, stage) == "interrupted"
