"""The commands of the plugin for Claude Code, which the hook answers."""

import json
import shutil
import subprocess

import pytest

import client
import director
import fake_api
import session as sessions
import world as worlds
from plugin_steps import installs

pytestmark = pytest.mark.xdist_group("install")  # two installs at once would write the same completions


@pytest.fixture(name="stage")
def fixture_stage(tools):
    stage = sessions.Stage(worlds.ClientWorld(), tools)
    yield stage
    stage.world.remove()


def typed(stage, prompt):
    """The text that the user sees after a command. The model must see nothing."""
    model = director.Director({"main": []}, stage)
    with fake_api.FakeApi(model) as api:
        with client.Client(stage.tools.claude, stage.world, api.url, stage.world.project, prompt, ()) as one:
            assert one.wait(), one.diagnosis()
            result = one.result()
    assert not model.was_asked()
    return result


def test_the_hook_answers_the_plugins_commands(stage):
    installs()(stage)
    said = typed(stage, "/ringfence:explain Read $OUTSIDE/o.txt".replace("$OUTSIDE", str(stage.world.outside)))
    assert f'read of "{stage.world.outside}/o.txt": ' in said and "rule: built-in policy" in said
    said = typed(stage, "/ringfence:explain --event /etc/passwd")
    assert "without options" in said and "root:" not in said
    said = typed(stage, "/ringfence:allow --read '~/my notes' ; touch x")
    assert "ringfence allow --read '~/my notes' ';' touch x" in said
    assert not stage.world.path("$PROJECT/x").exists()
    assert not stage.world.path(worlds.USER_POLICY).exists()
    said = typed(stage, "/ringfence:doctor")
    assert "only the plugin registers the hook" in said and "denied a Read" in said
    assert "Claude Code" in said  # it found the client that runs it


def test_a_command_of_another_plugin_reaches_the_model(stage):
    installs()(stage)
    stage.world.write("$PROJECT/.claude/commands/hello.md", "<<play main>>")
    model = director.Director({"main": []}, stage)
    with fake_api.FakeApi(model) as api:
        with client.Client(stage.tools.claude, stage.world, api.url, stage.world.project, "/hello", ()) as one:
            assert one.wait(), one.diagnosis()
            assert one.result() == "done"
    assert model.was_asked()


def test_a_project_cannot_define_the_plugins_commands(stage):
    """The client prefers the project's commands and skills."""
    installs()(stage)
    stage.world.write("$PROJECT/.claude/commands/ringfence/explain.md", "<<play main>>")
    stage.world.write("$PROJECT/.claude/commands/ringfence:allow.md", "<<play main>>")
    stage.world.write("$PROJECT/.claude/skills/ringfence:doctor/SKILL.md",
                      "---\nname: ringfence:doctor\ndescription: other\n---\n<<play main>>")
    assert "deny" in typed(stage, "/ringfence:explain Read /etc/shadow")
    assert "ringfence allow x" in typed(stage, "/ringfence:allow x")
    assert "only the plugin registers the hook" in typed(stage, "/ringfence:doctor")


def test_answers_are_bounded(world, tree):
    """Without the client: what the hook's program prints."""
    def answer(*words):
        done = subprocess.run([tree / "bin/ringfence", "answer", "--", *words], capture_output=True,
                              text=True, env={"HOME": str(world.home), "PATH": "/usr/bin:/bin"})
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        assert said["decision"] == "block"
        return said["reason"]

    project = str(world.project)
    assert "takes no arguments" in answer("doctor", project, "--client /bin/sh")
    for text in ("", "--event x", "a b c", "Read --policy"):
        assert "without options" in answer("explain", project, text)
    assert "denied" in answer("explain", project, "Read /etc/shadow")
    assert "deny" in answer("explain", project, 'Read {"file_path": "/etc/shadow"}')
    assert answer("allow", project) == "Name what to allow: /ringfence:allow PATH, HOST or TOOL"
    assert "cannot be repeated" in answer("allow", project, "a `id`")
    assert "cannot be repeated" in answer("allow", project, " ".join("a" * 20))
    assert "ringfence allow '$(id)' x" in answer("allow", project, "\"$(id)\" x")
    assert r"ringfence allow 'it'\''s.txt'" in answer("allow", project, "it's.txt")
    assert "it's.txt" in answer("explain", project, "Read it's.txt")
    assert len(answer("explain", project, f"Read /etc/{'a/' * 1900}").encode()) == 16 * 1024


def test_an_interpreter_is_not_the_client(world, tree):
    shell = world.base / "claude/node"
    shell.parent.mkdir()
    shutil.copy("/bin/dash", shell)
    done = subprocess.run([shell, "-c", '"$@"; exit', "node", tree / "bin/ringfence", "answer", "--", "doctor",
                           world.project, ""], capture_output=True, text=True, timeout=60,
                          env={"HOME": str(world.home), "PATH": "/usr/bin:/bin"})
    assert done.returncode == 0 and "claude/node" not in json.loads(done.stdout)["reason"], done.stdout
