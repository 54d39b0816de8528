"""Commands of the user's in a stage: which changes are applied without a question."""

import json
import os
import signal

import pytest

from stage_world import tree_of

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
    with world.started("sh", "-c", "echo 1 > f; echo 1 > g; echo ready; cat") as running:
        assert running.stdout.readline() == "ready\n"
        policy(world, trusted=TRUSTED, deny=["g"])
        said = running.communicate(timeout=30)[1]
    assert "not applied without a question: the policy holds back 1 change" in said, said
    assert not (world.project / "f").exists()


def test_changes_that_are_never_applied_are_kept(world):
    policy(world, trusted=TRUSTED)
    done = run(world, "sh", "-c", "echo 1 > f; mkfifo g")
    assert "not applied without a question: 1 change cannot be applied" in done.stderr, done
    assert not (world.project / "f").exists()


def test_a_conflict_is_kept(world):
    policy(world, trusted=TRUSTED)
    world.put("a", "1\n")
    with world.started("sh", "-c", "echo 2 > a; echo ready; cat") as running:
        assert running.stdout.readline() == "ready\n"
        world.put("a", "3\n")
        said = running.communicate(timeout=30)[1]
    assert "not applied without a question: 1 conflict" in said, said
    assert (world.project / "a").read_text() == "3\n"


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


@pytest.mark.parametrize("line,is_trusted", [
    ("#!/bin/sh", True), ("#!/usr/bin/env sh", True), ("#!/usr/bin/env tool", False),
    ("#!{project}/bin/tool", False), ("#!/usr/bin/env -S sh", False)])
def test_the_interpreter_of_a_trusted_script_is_out_of_reach(world, line, is_trusted):
    policy(world, trusted=["script"])
    tools = world.home / "tools"
    tools.mkdir()
    script = tools / "script"
    script.write_text(line.format(project=world.project) + "\necho 1 > f\n")
    script.chmod(0o755)
    (world.put("bin/x").parent / "tool").symlink_to("/bin/sh")
    world.give(world.home)
    search = f"{tools}:/usr/bin:/bin:{world.project}/bin"
    done = world.start([world.programs.ringfence, "stage", "run", "--", "script"],
                       env={"PATH": search, "HOME": str(world.home)})
    assert done.returncode == 0, done
    assert ("the command is not trusted" in done.stderr) != is_trusted, done
    assert (world.project / "f").exists() == is_trusted


def test_a_trusted_command_that_fails_asks(own_world, run_on_terminal):
    policy(own_world, trusted=TRUSTED)
    terminal = run_on_terminal("sh", "-c", "echo 1 > f; false")
    terminal.wait(QUESTION)
    assert "not applied without a question: the command has failed (status 1)" in terminal.seen
    terminal.say("a\n", "applied 1 change")
    assert terminal.status() == 1


def test_a_trusted_command_asks_nothing_on_a_terminal(own_world, run_on_terminal):
    policy(own_world, trusted=TRUSTED)
    terminal = run_on_terminal("sh", "-c", "echo 1 > f")
    terminal.wait("applied 1 change")
    assert terminal.status() == 0 and "[a]pply" not in terminal.seen


def test_the_diff_of_many_changes_is_shown_first(own_world, run_on_terminal):
    policy(own_world, show_diff_threshold=1)
    terminal = run_on_terminal("sh", "-c", "echo text of f > f")
    terminal.wait(QUESTION)
    assert "+text of f" not in terminal.seen
    terminal.say("c\n", "[y/N] ")
    terminal.say("y\n")
    terminal.status()
    terminal = run_on_terminal("sh", "-c", "echo text of f > f; echo text of g > g")
    terminal.wait(QUESTION)
    assert "+text of f" in terminal.seen and "+text of g" in terminal.seen
    terminal.say("a\n", "applied 2 changes")
    assert terminal.status() == 0


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
