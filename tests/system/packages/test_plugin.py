"""The plugin for Claude Code, installed by the real client from an installed tree.

The model is a script (tests/system/client). The client's own commands install, disable and remove
the plugin, as users do.
"""

import dataclasses
import json
import os
import shutil
import subprocess

import pytest

import session as sessions
import world as worlds
from ordinary_user import ORDINARY_USER
from plugin_steps import (LOG, MARKETPLACE, PLUGIN, REMOVAL, claude, denied, doctor, has_row, inits, installs, log_of,
                          permitted, play)
from script import Call, Do, Together, absent, asked, blocked, runs
from tool import bash, read, write

pytestmark = pytest.mark.xdist_group("install")  # two installs at once would write the same completions

DISABLED = {"enabledPlugins": {PLUGIN: False}}
ONE_POLICY = {"version": 1, "read": {"allow": ["."]}, "write": {"allow": ["."], "ask": ["asked.txt"]},
              "bash": {"wrap": True}}
NOT_STARTED = "hooks/hooks.json does not start the hook for each event, and calls can run unchecked"


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
        claude(stage, *REMOVAL)
        assert doctor(stage)[0]["text"].startswith("registration: no settings file")
        left = [path for path in stage.world.path("$HOME/.claude").rglob("*")
                if path.suffix == ".json" and PLUGIN in path.read_text()]
        assert not left

    play(tools, checks, denied(), permitted(), prepare=(is_valid, installs()),
         when_ended=is_logged_and_removed)


@pytest.mark.parametrize("scope", ["project", "local"])
def test_every_scope_starts_the_installed_program(tools, checks, scope):
    def removed(stage):
        claude(stage, *REMOVAL)
        assert doctor(stage)[0]["text"].startswith("registration: no settings file")
        assert "No plugins installed" in claude(stage, "plugin", "list")

    play(tools, checks, denied(), prepare=(installs("--scope", scope),), when_ended=removed)


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

    def doctor_says_so(stage):
        environment = {"HOME": str(stage.world.home), "PATH": "/usr/bin:/bin"}
        done = subprocess.run([stage.tools.ringfence, "doctor"], env=environment, capture_output=True,
                              text=True, cwd=stage.world.project, timeout=60)
        assert done.returncode == 2 and "install ringfence again" in done.stderr, done

    try:
        play(tools, checks, stopped, prepare=(installs(), moves_away), when_ended=doctor_says_so)
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
        assert row["fix"] == " ".join(("claude", *REMOVAL))

    unchecked = Call("without a hook", read("$OUTSIDE/o.txt"), runs(worlds.SECRET))
    try:
        play(tools, checks, unchecked, prepare=(installs(), moves_away), when_ended=doctor_says_so,
             fenced=False)
    finally:
        aside.rename(marketplace)


def runs_unchecked(tools, checks, file, change, *rows):
    """With the file's text changed, or without the file, the client runs a call unchecked, and doctor says so."""
    whole = file.read_text()

    def changes(_):
        text = change(whole)
        file.unlink()
        if text is not None:
            file.write_text(text)

    def doctor_says_so(stage):
        for row in rows:
            has_row(stage, "missing", row)

    unchecked = Call("without a hook", read("$OUTSIDE/o.txt"), runs(worlds.SECRET))
    try:
        play(tools, checks, unchecked, prepare=(installs(), changes), when_ended=doctor_says_so, fenced=False)
    finally:
        file.write_text(whole)


@pytest.mark.parametrize("before, after", [("{", "["), ("./ringfence", "./other"), ('"plugins"', '"others"')])
def test_doctor_reads_the_marketplace(tools, checks, tree, before, after):
    """The client drops a plugin that its marketplace does not list."""
    runs_unchecked(tools, checks, tree / MARKETPLACE / ".claude-plugin/marketplace.json",
                   lambda text: text.replace(before, after, 1),
                   "which has no plugin: it starts no hook by it, and calls run unchecked")


@pytest.mark.parametrize("change", [
    lambda _: None, lambda text: text.replace('"block"', '"deny"'),
    lambda text: text.replace("PreToolUse", "PostToolBatch")], ids=["missing", "wrong value", "other event"])
def test_doctor_reads_the_hooks_of_the_plugin(tools, checks, tree, change):
    """The client drops the hooks without a word."""
    runs_unchecked(tools, checks, tree / MARKETPLACE / "ringfence/hooks/hooks.json", change, NOT_STARTED,
                   "no settings file registers the hook")


def test_doctor_names_another_marketplace_of_the_name(tools, checks):
    """The client replaces the one that the user has added."""
    def adds_another(stage):
        other = stage.world.write("$BASE/other/.claude-plugin/marketplace.json", {
            "name": "ringfence", "owner": {"name": "other"},
            "plugins": [{"name": "ringfence", "source": "./ringfence", "description": "other"}]}).parent.parent
        stage.world.write("$BASE/other/ringfence/.claude-plugin/plugin.json",
                          {"name": "ringfence", "version": "9.9.9", "description": "other"})
        claude(stage, "plugin", "marketplace", "add", str(other))

    def doctor_says_so(stage):
        has_row(stage, "missing", NOT_STARTED)
        installs()(stage)
        has_row(stage, "ok", "denied a Read")

    unchecked = Call("without a hook", read("$OUTSIDE/o.txt"), runs(worlds.SECRET))
    play(tools, checks, unchecked, prepare=(installs(), adds_another), when_ended=doctor_says_so, fenced=False)


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
        assert " ".join(("run: claude", *REMOVAL)) in removal

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
