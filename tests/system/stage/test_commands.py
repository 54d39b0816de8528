"""Commands of the user's in a stage: which changes are applied without a question, and how other
stages of the project pause meanwhile."""

import json
import os
import signal
import subprocess
import time

import pytest

from stage_world import tree_of
from terminal_session import TerminalSession

QUESTION = "Apply these changes? [a]pply [c]ancel [d]iff [f]ile by file "
TRUSTED = ["sh -c *", "make *"]


def policy(world, deny=(), **commands):
    write_policy(world, world.policy, commands, deny)


def project_policy(world, **commands):
    write_policy(world, world.project / ".ringfence/policy.json", commands, ())


def write_policy(world, file, commands, deny):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(
        {"version": 1, "write": {"deny": list(deny)}, "stage": {"commands": commands}}))
    world.give(world.base)


@pytest.fixture(name="session")
def fixture_session(own_world):
    sessions = []

    def start(*command, options=()):
        line = [own_world.programs.ringfence, "stage", "run", *options, "--", *command]
        sessions.append(TerminalSession(line, own_world))
        return sessions[-1]

    yield start
    for session in sessions:
        session.__exit__()


def run(world, *command, **options):
    return world.call("stage", "run", "--", *command, **options)


def test_a_trusted_command_is_applied_without_a_question(world):
    policy(world, trusted=TRUSTED)
    done = run(world, "sh", "-c", "echo 1 > f")
    assert done.returncode == 0 and "the policy trusts this command" in done.stderr, done
    assert (world.project / "f").read_text() == "1\n"
    done = run(world, "dash", "-c", "echo 2 > f")
    assert "the changes are kept as stage" in done.stderr, done
    assert (world.project / "f").read_text() == "1\n"


def test_trust_can_be_switched_off(world):
    policy(world, trusted=TRUSTED, auto_apply_trusted=False)
    assert "the changes are kept as stage" in run(world, "sh", "-c", "echo 1 > f").stderr


def test_all_commands_can_be_applied(world):
    policy(world, auto_apply=True)
    done = run(world, "dash", "-c", "echo 1 > f")
    assert done.returncode == 0 and "stage.commands.auto_apply" in done.stderr, done
    assert (world.project / "f").read_text() == "1\n"


def test_options_go_before_the_policy(world):
    policy(world, auto_apply=True)
    for option in ("--keep", "--discard"):
        done = world.call("stage", "run", option, "--", "dash", "-c", "echo 1 > f")
        assert done.returncode == 0 and not (world.project / "f").exists(), done


def test_agents_and_their_commands_are_not_trusted(world):
    policy(world, auto_apply=True)
    for options, start in ((["--agent"], ["sh"]), ([], ["env", "CLAUDECODE=1"])):
        line = [world.programs.ringfence, "stage", "run", *options, "--", "sh", "-c", "echo 1 > f"]
        if start[0] == "env":
            line = [*start, *line]
        done = world.start(line, env={"PATH": "/usr/bin:/bin", "HOME": str(world.home)})
        assert "the changes are kept as stage" in done.stderr, done
        assert not (world.project / "f").exists()


def test_an_untrusted_project_adds_no_trust(world):
    project_policy(world, trusted=["sh *"], auto_apply=True)
    done = run(world, "sh", "-c", "echo 1 > f")
    assert "the changes are kept as stage" in done.stderr, done
    policy(world, trusted=["sh -c *"])
    project_policy(world, trusted=[])
    assert "the changes are kept as stage" in run(world, "sh", "-c", "echo 1 > f").stderr
    project_policy(world, trusted=["sh -c *"], auto_apply_trusted=False)
    assert "the changes are kept as stage" in run(world, "sh", "-c", "echo 1 > f").stderr


def test_a_command_that_failed_is_kept(world):
    policy(world, trusted=TRUSTED)
    done = run(world, "sh", "-c", "echo 1 > f; exit 3")
    assert done.returncode == 3 and not (world.project / "f").exists()
    assert "not applied without a question: the command has failed (status 3)" in done.stderr


def test_changes_that_the_policy_holds_back_are_kept(world):
    policy(world, trusted=TRUSTED)
    with started(world, "sh", "-c", "echo 1 > f; echo 1 > g; echo ready; cat") as running:
        assert running.stdout.readline() == "ready\n"
        policy(world, trusted=TRUSTED, deny=["g"])
        said = running.communicate(timeout=30)[1]
    assert "not applied without a question: the policy holds back 1 change" in said, said
    assert not (world.project / "f").exists()


def test_a_conflict_is_kept(world):
    policy(world, trusted=TRUSTED)
    world.put("a", "1\n")
    with started(world, "sh", "-c", "echo 2 > a; echo ready; cat") as running:
        assert running.stdout.readline() == "ready\n"
        world.put("a", "3\n")
        said = running.communicate(timeout=30)[1]
    assert "not applied without a question: 1 conflict" in said, said
    assert (world.project / "a").read_text() == "3\n"


def started(world, *command, options=()):
    return subprocess.Popen(
        [world.programs.ringfence, "stage", "run", *options, "--", *command], cwd=world.project,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(world.home)}, **world.as_user)


@pytest.mark.parametrize("place", ["front", "link"])
def test_a_program_of_the_project_is_not_trusted(world, place):
    policy(world, trusted=["make *"])
    fake = world.put("bin/make", "#!/bin/sh\necho 1 > f\n")
    fake.chmod(0o755)
    path = world.project / "bin"
    if place == "link":
        outside = world.home / "tools"
        outside.mkdir()
        (outside / "make").symlink_to(fake)
        path = outside
    line = [world.programs.ringfence, "stage", "run", "--", "make", "it"]
    done = world.start(line, env={"PATH": f"{path}:/usr/bin:/bin", "HOME": str(world.home)})
    assert "note: the command is not trusted: " in done.stderr, done
    assert f"{path}/make" in done.stderr and "the changes are kept as stage" in done.stderr
    assert not (world.project / "f").exists()


def test_a_trusted_command_that_fails_asks(own_world, session):
    policy(own_world, trusted=TRUSTED)
    terminal = session("sh", "-c", "echo 1 > f; false")
    terminal.wait(QUESTION)
    assert "not applied without a question: the command has failed (status 1)" in terminal.seen
    terminal.say("a\n", "applied 1 change")
    assert terminal.status() == 1


def test_a_trusted_command_asks_nothing_on_a_terminal(own_world, session):
    policy(own_world, trusted=TRUSTED)
    terminal = session("sh", "-c", "echo 1 > f")
    terminal.wait("applied 1 change")
    assert terminal.status() == 0 and "[a]pply" not in terminal.seen


def test_the_diff_of_many_changes_is_shown_first(own_world, session):
    policy(own_world, show_diff_threshold=1)
    terminal = session("sh", "-c", "echo text of f > f")
    terminal.wait(QUESTION)
    assert "+text of f" not in terminal.seen
    terminal.say("c\n", "[y/N] ")
    terminal.say("y\n")
    terminal.status()
    terminal = session("sh", "-c", "echo text of f > f; echo text of g > g")
    terminal.wait(QUESTION)
    assert "+text of f" in terminal.seen and "+text of g" in terminal.seen
    terminal.say("a\n", "applied 2 changes")
    assert terminal.status() == 0


# Two stages at once.

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
    with started(own_world, "sh", "-c", COUNT, options=["--keep"]) as running:
        wait_for(own_world.stages)
        stage = own_world.stages()[0]["id"]
        goes_on(own_world, stage)
        yield stage
        running.terminate()
        running.communicate(timeout=30)


def state_of(world, stage):
    return {found["id"]: found["state"] for found in world.stages()}[stage]


def test_other_stages_pause_while_a_command_works_alone(own_world, other):
    with started(own_world, "sh", "-c", "echo 1 > f; echo ready; cat", options=["--apply"]) as alone:
        assert alone.stdout.readline() == "ready\n"
        assert stands_still(own_world, other) and state_of(own_world, other) == "paused"
        said = alone.communicate(timeout=30)[1]
    assert f"note: stage {other} is paused while this command works on the project" in said
    assert (own_world.project / "f").read_text() == "1\n"
    goes_on(own_world, other)
    wait_for(lambda: state_of(own_world, other) == "running")


@pytest.mark.parametrize("options", [["--keep"], ["--discard"], ["--apply", "--agent"], []])
def test_other_stages_go_on_beside_a_command_that_applies_nothing(own_world, other, options):
    with started(own_world, "sh", "-c", "echo ready; cat", options=options) as beside:
        assert beside.stdout.readline() == "ready\n"
        goes_on(own_world, other)
        said = beside.communicate(timeout=30)[1]
    assert "paused" not in said


def test_stages_of_other_projects_go_on(own_world, other):
    elsewhere = own_world.base / "elsewhere"
    elsewhere.mkdir()
    own_world.give(elsewhere)
    with subprocess.Popen(
            [own_world.programs.ringfence, "stage", "run", "--apply", "--", "sh", "-c",
             "echo ready; cat"], cwd=elsewhere, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, env={"PATH": "/usr/bin:/bin", "HOME": str(own_world.home)},
            **own_world.as_user) as alone:
        assert alone.stdout.readline() == "ready\n"
        goes_on(own_world, other)
        alone.communicate(timeout=30)


def test_a_killed_command_leaves_nothing_paused(own_world, other):
    with started(own_world, "sh", "-c", "echo ready; cat", options=["--apply"]) as alone:
        assert alone.stdout.readline() == "ready\n"
        assert stands_still(own_world, other)
        alone.send_signal(signal.SIGKILL)
        alone.wait(30)
    goes_on(own_world, other)


def test_a_stage_that_starts_meanwhile_pauses_too(own_world):
    with started(own_world, "sh", "-c", "echo ready; cat", options=["--apply"]) as alone:
        assert alone.stdout.readline() == "ready\n"
        with started(own_world, "sh", "-c", COUNT, options=["--keep"]) as late:
            wait_for(lambda: "paused" in [found["state"] for found in own_world.stages()])
            stage = [found["id"] for found in own_world.stages() if found["state"] == "paused"][0]
            assert stands_still(own_world, stage)
            alone.communicate(timeout=30)
            goes_on(own_world, stage)
            late.terminate()
            late.communicate(timeout=30)


def test_nothing_is_applied_meanwhile(own_world):
    kept = own_world.stage("echo 1 > g")
    with started(own_world, "sh", "-c", "echo ready; cat", options=["--apply"]) as alone:
        assert alone.stdout.readline() == "ready\n"
        done = own_world.call("stage", "apply", kept)
        assert done.returncode == 2 and " works alone there; nothing was changed" in done.stderr, done
        assert not (own_world.project / "g").exists()
        alone.communicate(timeout=30)
    remedy = done.stderr.partition("then: ringfence ")[2].split()
    own_world.good(*remedy)
    assert (own_world.project / "g").read_text() == "1\n"


def test_a_second_command_waits_for_the_first(own_world):
    with started(own_world, "sh", "-c", "echo 1 >> f; echo ready; cat", options=["--apply"]) as one:
        assert one.stdout.readline() == "ready\n"
        with started(own_world, "sh", "-c", "cat f; echo 2 >> f", options=["--apply"]) as two:
            assert two.stderr.readline().startswith("ringfence: waiting until the command of stage ")
            one.communicate(timeout=30)
            assert two.communicate(timeout=30)[0].startswith("1\n")
    assert (own_world.project / "f").read_text() == "1\n2\n"


def test_a_wait_can_be_interrupted(own_world):
    with started(own_world, "sh", "-c", "echo ready; cat", options=["--apply"]) as one:
        assert one.stdout.readline() == "ready\n"
        with started(own_world, "sh", "-c", "echo 2 > f", options=["--apply"]) as two:
            two.stderr.readline()
            two.send_signal(signal.SIGINT)
            assert two.wait(30) == -signal.SIGINT
        one.communicate(timeout=30)
    assert not own_world.stages()


def paused_beside(world, terminal):
    """A command that works alone, once the stage on the terminal has paused."""
    alone = started(world, "sh", "-c", "echo ready; cat", options=["--apply"])
    assert alone.stdout.readline() == "ready\n", terminal.seen
    assert state_of(world, world.stages()[0]["id"]) == "paused"
    return alone


def test_a_shell_with_jobs_survives_a_pause(own_world, session):
    """The shell does not take its job in the foreground for one that the user suspended."""
    terminal = session("bash", "--norc", "-i", options=["--keep"])
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
    terminal.say("kill -9 %1\n", prompt)
    terminal.say("exit\n")
    terminal.status()


def test_keys_and_interrupts_arrive_after_the_pause(own_world, session):
    terminal = session("sh", "-c", "trap 'echo interrupted; exit 0' INT; echo ready; "
                       "while :; do sleep 0.1; done", options=["--keep"])
    terminal.wait("ready")
    with paused_beside(own_world, terminal) as alone:
        terminal.say("\x03")
        time.sleep(0.3)
        assert "interrupted" not in terminal.seen
        alone.communicate(timeout=30)
    terminal.wait("interrupted")
    assert terminal.status() == 0


def test_a_suspended_stage_is_continued_after_the_pause(own_world, session):
    """The user suspends the stage in a shell, and brings it back while it has to pause."""
    own_world.environment["PS1"] = "$ "
    terminal = TerminalSession(["/bin/bash", "--norc", "--noprofile"], own_world)
    try:
        terminal.wait("$ ")
        terminal.say(f"{own_world.programs.ringfence} stage run --keep -- sh -c "
                     "'echo ready; while read x; do echo got $x; done'\n", "ready")
        terminal.say("\x1a", "Stopped")
        with started(own_world, "sh", "-c", "echo ready; cat", options=["--apply"]) as alone:
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
    with started(own_world, "sh", "-c", COUNT, options=["--keep"]) as running:
        wait_for(own_world.stages)
        stage = own_world.stages()[0]["id"]
        goes_on(own_world, stage)
        with started(own_world, "sh", "-c", "echo ready; cat", options=["--apply"]) as alone:
            assert alone.stdout.readline() == "ready\n"
            running.kill()
            running.wait(30)
            assert running.stdout.read() == ""  # ends when the last process has closed it
            alone.communicate(timeout=30)
    assert state_of(own_world, stage) == "interrupted"


@pytest.mark.parametrize("script,status", [("kill -INT $$", -signal.SIGINT), ("exit 130", 130)])
def test_the_end_by_an_interrupt_is_passed_on(own_world, script, status):
    """A loop of a shell around the command ends as well."""
    done = own_world.start([own_world.programs.ringfence, "stage", "run", "--", "sh", "-c",
                            f"echo 1 > f; {script}"],
                           env={"PATH": "/usr/bin:/bin", "HOME": str(own_world.home)})
    assert done.returncode == status, done
    assert "the changes are kept as stage" in done.stderr and len(own_world.stages()) == 1
    assert tree_of(own_world.project).keys() == set()
    assert os.listdir(own_world.project) == []
