"""The plugin for Claude Code, installed by the real client from an installed tree.

The model is a script (tests/system/client). The client's own commands install, disable and remove
the plugin, as users do.
"""

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess

import pytest

import client
import director
import fake_api
import session as sessions
import world as worlds
from ordinary_user import ORDINARY_USER
from script import Call, Do, Together, absent, asked, blocked, refused, runs
from tool import bash, read, write

pytestmark = pytest.mark.xdist_group("install")  # two installs at once would write the same completions

PLUGIN = "ringfence@ringfence"
MARKETPLACE = "share/ringfence/claude-plugin"
DISABLED = {"enabledPlugins": {PLUGIN: False}}
LOG = "$HOME/.local/state/ringfence/audit.jsonl"
ONE_POLICY = {"version": 1, "read": {"allow": ["."]}, "write": {"allow": ["."], "ask": ["asked.txt"]},
              "bash": {"wrap": True}}


# -- the installed tree ---------------------------------------------------------------------------

@pytest.fixture(name="tree", scope="module")
def fixture_tree(pytestconfig, tmp_path_factory):
    """The prefix of an installation. The tests leave it as it is."""
    build = pathlib.Path(pytestconfig.option.hook).parent
    prefix = tmp_path_factory.mktemp("plugin") / "usr"
    done = subprocess.run(["cmake", "--install", build, "--prefix", prefix], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        pytest.fail(done.stderr[-600:], pytrace=False)
    return prefix.resolve()


@pytest.fixture(name="tools")
def fixture_tools(tree):
    try:
        claude = client.find()
    except client.Unavailable as reason:
        pytest.skip(str(reason))
    return sessions.Tools(claude, tree / "bin/ringfence-hook", tree / "bin/ringfence")


def claude(stage, *words, where="$PROJECT"):
    """Runs a command of the client in the world; returns what it prints."""
    environment = {"HOME": str(stage.world.home), "PATH": client.search_path(),
                   "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
    done = subprocess.run([stage.tools.claude, *words], env=environment, capture_output=True, text=True,
                          cwd=stage.world.path(where), stdin=subprocess.DEVNULL, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def installs(*scope):
    def act(stage):
        marketplace = stage.tools.hook.parent.parent / MARKETPLACE
        claude(stage, "plugin", "marketplace", "add", str(marketplace))
        claude(stage, "plugin", "install", PLUGIN, *scope)
    return act


def inits(stage):
    sessions.run_program(stage, [stage.tools.ringfence, "init", "--no-client-sandbox"])


def doctor(stage, program=None):
    """The rows of doctor about the plugin and the registration."""
    environment = {"HOME": str(stage.world.home), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([program or stage.tools.ringfence, "doctor", "--json"], env=environment,
                          capture_output=True, text=True, cwd=stage.world.project, timeout=60)
    rows = json.loads(done.stdout)["rows"]
    return [row for row in rows if row["about"] == "plugin" or "registers the hook" in row["text"]]


def has_row(stage, health, text, program=None):
    rows = doctor(stage, program)
    found = [row for row in rows if row["health"] == health and text in row["text"]]
    assert found, rows
    return found[0]


def play(tools, checks, *steps, prepare=(installs(),), when_ended=None, **fields):
    """Plays the steps in a session whose settings only `prepare` has written."""
    ended = []

    def at_end(stage):
        if when_ended:
            when_ended(stage)
        ended.append(True)

    told = sessions.Session("plugin", play=list(steps), prepare=prepare, register=lambda _: None,
                            when_ended=at_end, **fields)
    try:
        outcomes = sessions.perform(told, tools)
    except sessions.Skip as reason:
        pytest.skip(str(reason))
    for outcome in outcomes:
        checks.check(outcome.name, "; ".join(outcome.problems))
    assert ended


def log_of(stage):
    return [json.loads(line) for line in (stage.world.read(LOG) or "").splitlines()]


def denied(name="outside"):
    return Call(name, read("$OUTSIDE/o.txt"), refused('"$OUTSIDE/o.txt"'))


def permitted(name="inside"):
    return Call(name, read("in.txt"), runs(worlds.INSIDE))


# -- what is installed ----------------------------------------------------------------------------

def test_the_events_are_those_that_init_registers(world, tree):
    """And one more, for the plugin's commands."""
    done = world.run("init", "--no-client-sandbox")
    assert done.returncode == 0, done.stderr
    registered = json.loads((world.home / ".claude/settings.json").read_text())["hooks"]
    hooks = json.loads((tree / MARKETPLACE / "ringfence/hooks/hooks.json").read_text())["hooks"]
    assert set(hooks) == {*registered, "UserPromptExpansion"}
    for event, groups in hooks.items():
        (entry,) = groups[0]["hooks"]
        (own,) = registered[event if event in registered else "PreToolUse"][0]["hooks"]
        assert len(groups) == 1 and set(groups[0]) == {"hooks"}  # no matcher
        assert set(entry) == set(own)
        assert {key: entry[key] for key in ("type", "timeout", "onFailure")} == \
            {key: own[key] for key in ("type", "timeout", "onFailure")}
        assert entry["args"] == ["--plugin"]
        folder = str(tree / MARKETPLACE / "ringfence")
        program = entry["command"].replace("${CLAUDE_PLUGIN_ROOT}", folder)
        assert os.path.normpath(program) == str(tree / "bin/ringfence-hook")


def test_the_plugin_installs_decides_and_leaves_nothing(tools, checks, tree):
    def is_valid(stage):
        for folder in (tree / MARKETPLACE, tree / MARKETPLACE / "ringfence"):
            said = claude(stage, "plugin", "validate", str(folder))
            assert "Validation passed" in said and "arnings:" not in said, said

    def is_logged_and_removed(stage):
        assert [(line["verdict"], line["via"]) for line in log_of(stage)] == \
            [("deny", "plugin"), ("permit", "plugin")]
        has_row(stage, "ok", "denied a Read")
        has_row(stage, "weak", "only the plugin registers the hook")
        claude(stage, "plugin", "uninstall", PLUGIN)
        claude(stage, "plugin", "marketplace", "remove", "ringfence")
        assert doctor(stage)[0]["text"].startswith("registration: no settings file")
        left = [path for path in stage.world.path("$HOME/.claude").rglob("*")
                if path.suffix == ".json" and PLUGIN in path.read_text()]
        assert not left

    play(tools, checks, denied(), permitted(), prepare=(is_valid, installs()),
         when_ended=is_logged_and_removed)


@pytest.mark.parametrize("scope", ["project", "local"])
def test_every_scope_starts_the_installed_program(tools, checks, scope):
    play(tools, checks, denied(), prepare=(installs("--scope", scope),))


# -- what switches the plugin off -----------------------------------------------------------------

def test_a_project_can_disable_the_plugin_but_not_the_settings(tools, checks):
    """Doctor says that calls run unchecked, and its fix works."""
    def what_holds(stage):
        row = has_row(stage, "missing", "disables it, so calls in this project run unchecked")
        assert row["fix"].endswith("ringfence init")
        inits(stage)
        has_row(stage, "weak", "the registration in the settings decides instead")

    unchecked = Call("without a hook", read("$OUTSIDE/o.txt"), runs(worlds.SECRET))
    disables = sessions.writes(worlds.LOCAL_SETTINGS, DISABLED)
    play(tools, checks, unchecked, prepare=(installs(), disables), when_ended=what_holds, fenced=False)
    play(tools, checks, denied(), permitted(), prepare=(installs(), disables, inits))


def test_a_running_session_keeps_the_plugin(tools, checks):
    def refusal_is_logged(stage):
        (line,) = [line for line in log_of(stage) if line["event"] == "ConfigChange"]
        assert line["verdict"] == "deny" and "disables the plugin" in line["why"]

    def disabled_and_noticed(stage):
        sessions.writes(worlds.PROJECT_SETTINGS, DISABLED)(stage)
        sessions.wait_until(lambda: "ConfigChange" in (stage.world.read(LOG) or ""),
                            "the client noticed no change of settings")

    play(tools, checks, denied("before"), Do("disable the plugin", disabled_and_noticed),
         denied("after"), when_ended=refusal_is_logged)


def test_a_missing_program_blocks_every_call(tools, checks, tree):
    program = tree / "bin/ringfence-hook"
    aside = program.with_name("aside")

    def moves_away(_):
        program.rename(aside)

    stopped = Call("no program", read("in.txt"),
                   blocked('blocking because onFailure is "block"', "no such file", "bin/ringfence-hook"))
    try:
        play(tools, checks, stopped, prepare=(installs(), moves_away))
    finally:
        aside.rename(program)


def test_a_removed_tree_opens_the_plugin_but_not_the_settings(tools, checks, tree, programs):
    """The client drops a plugin whose directory is missing. The other program's doctor says so."""
    marketplace = tree / MARKETPLACE
    aside = marketplace.with_name("aside")

    def moves_away(_):
        marketplace.rename(aside)

    def doctor_says_so(stage):
        has_row(stage, "missing", "which has no plugin: it starts no hook by it, and calls run unchecked",
                programs.ringfence)
        sessions.run_program(stage, [programs.ringfence, "init", "--no-client-sandbox"])
        row = has_row(stage, "weak", "it starts no hook by it", programs.ringfence)
        assert row["fix"] == f"claude plugin uninstall {PLUGIN}"

    unchecked = Call("without a hook", read("$OUTSIDE/o.txt"), runs(worlds.SECRET))
    try:
        play(tools, checks, unchecked, prepare=(installs(), moves_away), when_ended=doctor_says_so,
             fenced=False)
    finally:
        aside.rename(marketplace)


# -- two registrations ----------------------------------------------------------------------------

def test_two_registrations_decide_once(tools, checks):
    """For the log, the model and the user."""
    def once(stage):
        lines = [(line["event"], line["verdict"], line.get("tool")) for line in log_of(stage)]
        assert sorted(lines, key=str) == sorted([
            ("PreToolUse", "deny", "Read"), ("PreToolUse", "permit", "Read"),
            ("PreToolUse", "permit", "Read"), ("PreToolUse", "permit", "Read"),
            ("PreToolUse", "ask", "Write"), ("PreToolUse", "permit", "Bash"),
            ("SandboxStart", "permit", None)], key=str), lines  # and no alert about a rewritten call
        said = [answer for answer in stage.client.hook_answers() if answer["hook_event"] == "SessionStart"]
        assert len(said) == 2 and len([answer for answer in said if answer["stdout"]]) == 1
        removal = sessions.run_program(stage, [stage.tools.ringfence, "uninstall", "--all"])
        assert f"run: claude plugin uninstall {PLUGIN}" in removal

    def forgets_the_proof(stage):
        stage.world.path(LOG).unlink(missing_ok=True)

    question = Call("a question", write("asked.txt"), asked("asked.txt"), absent("$PROJECT/asked.txt"))
    play(tools, checks, denied(), permitted(), Together(permitted("twice"), permitted("thrice")), question,
         Call("a wrapped command", bash("echo wrapped"), runs("wrapped")),
         prepare=(installs(), inits, forgets_the_proof), policy=ONE_POLICY, mode="default",
         when_ended=once, may_allow=True)


@pytest.mark.parametrize("registers", [(), (inits,)], ids=["only-the-plugin", "both"])
def test_the_plugin_works_in_a_client_that_is_confined(tools, checks, tree, registers):
    """The client creates a directory for the plugin before the first call; the launcher has made it.
    Here the tree is in the home, since the sandbox has a /tmp of its own."""
    def in_the_home(stage):
        shutil.copytree(tree, stage.world.path("$HOME/.local"), dirs_exist_ok=True)
        programs = stage.world.path("$HOME/.local/bin")
        stage.tools = dataclasses.replace(stage.tools, hook=programs / "ringfence-hook",
                                          ringfence=programs / "ringfence")

    def once(stage):
        calls = [line["verdict"] for line in log_of(stage) if "inside" in line]
        assert calls == ["deny", "permit"]
        told = [answer for answer in stage.client.hook_answers()
                if answer["hook_event"] == "SessionStart" and answer["stdout"]]
        assert len(told) == 1

    play(tools, checks, denied(), permitted(), prepare=(in_the_home, installs(), *registers), when_ended=once,
         confined=(), user=ORDINARY_USER, policy={"version": 1, "network": {"unlisted": "allow"}})


# -- the plugin's commands ------------------------------------------------------------------------

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
    assert len(answer("explain", project, f"Read /etc/{'a/' * 1900}").encode()) == 16 * 1024


def test_an_interpreter_is_not_the_client(world, tree):
    shell = world.base / "claude/node"
    shell.parent.mkdir()
    shutil.copy("/bin/dash", shell)
    done = subprocess.run([shell, "-c", '"$@"; exit', "node", tree / "bin/ringfence", "answer", "--", "doctor",
                           world.project, ""], capture_output=True, text=True, timeout=60,
                          env={"HOME": str(world.home), "PATH": "/usr/bin:/bin"})
    assert done.returncode == 0 and "claude/node" not in json.loads(done.stdout)["reason"], done.stdout
