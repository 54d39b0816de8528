"""The hook's answers if commands are wrapped (`bash.wrap`). run/test_enter.py runs the answers."""

import json
import shutil
import subprocess

from wrapped_calls import SESSION, answer, environment, policy, wrapped


def test_a_hook_path_that_needs_quotes_is_denied(world):
    policy(world)
    folder = world.base / "my tools"
    folder.mkdir()
    hook = folder / "ringfence-hook"
    shutil.copy(world.programs.hook, hook)
    said = answer(world, "ls", hook=hook)["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny" and "updatedInput" not in said, said
    assert "quotes" in said["permissionDecisionReason"] and "install" in \
        said["permissionDecisionReason"], said
    assert "was not wrapped" in answer(world, "ls", hook=hook, event="PostToolUse")["systemMessage"]


def test_wrap_keeps_other_fields_and_other_tools(world):
    policy(world)
    more = {"timeout": 5, "run_in_background": True, "description": "d", "unknown": [1.5, None]}
    said = answer(world, "ls", **more)["hookSpecificOutput"]
    assert "permissionDecision" not in said, said
    assert {k: v for k, v in said["updatedInput"].items() if k != "command"} == more, said
    assert wrapped(world, "ls", tool="Monitor").endswith("; \\builtin exit\nls")
    assert answer(world, "ls", tool="PowerShell")["hookSpecificOutput"]["permissionDecision"] == \
        "deny"
    assert answer(world, "ls", tool="Workflow") == {}
    assert answer(world, "ls", dangerouslyDisableSandbox=True)["hookSpecificOutput"][
        "permissionDecision"] == "deny"
    said = answer(world, "x" * (2 << 20))["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny" and "too long" in said["permissionDecisionReason"]
    policy(world, bash={"wrap": True}, tools={"ask": ["Bash"]})
    said = answer(world, "ls")["hookSpecificOutput"]
    assert said["permissionDecision"] == "ask" and said["updatedInput"]["command"].endswith("\nls")
    policy(world, permitted="allow", tools={"ask": ["Bash"]})
    assert answer(world, "ls")["hookSpecificOutput"]["permissionDecision"] == "ask"
    policy(world, permitted="allow")
    assert answer(world, "ls")["hookSpecificOutput"]["permissionDecision"] == "allow"
    policy(world, bash={"wrap": False}, permitted="allow")
    assert answer(world, "ls") == {}


def test_a_wrapped_command_is_not_wrapped_again(world):
    policy(world)
    own = wrapped(world, "ls")
    assert answer(world, own) == {}
    again = answer(world, " " + own)["hookSpecificOutput"]["updatedInput"]["command"]
    assert again.endswith("\n " + own), again


def test_a_permission_request_is_not_wrapped(world):
    policy(world, permitted="allow")
    assert answer(world, "ls", event="PermissionRequest") == {}


def test_a_call_without_a_command_is_not_wrapped(world):
    policy(world)
    for event in ("PreToolUse", "PostToolUse"):
        for tool_input in (None, {}, {"command": 5}, {"description": "d"}):
            told = {"hook_event_name": event, "session_id": SESSION, "cwd": str(world.project),
                    "tool_name": "Bash", "tool_input": tool_input}
            if tool_input is None:
                del told["tool_input"]
            done = subprocess.run([world.programs.hook, "--root", str(world.project)],
                                  input=json.dumps(told), env=environment(world), text=True,
                                  capture_output=True, timeout=30)
            assert "updatedInput" not in done.stdout and "allow" not in done.stdout, done
            assert done.returncode in (0, 2), done
            if event == "PreToolUse" and tool_input == {"command": 5}:
                assert "it is not a string" in done.stdout and '"deny"' in done.stdout, done


def test_an_unwrapped_run_raises_an_alert(world):
    inbox = world.base / "inbox"
    inbox.mkdir()
    policy(world, alerts={"inbox": str(inbox)})
    assert answer(world, wrapped(world, "ls"), event="PostToolUse") == {}
    for event in ("PostToolUse", "PostToolUseFailure"):
        said = answer(world, "ls", event=event)
        assert "was not wrapped" in said["systemMessage"], said
        assert "was not wrapped" in said["hookSpecificOutput"]["additionalContext"], said
    alert, = inbox.iterdir()  # the same twice in a minute
    told = json.loads(alert.read_text())
    assert told["type"] == "ringfence-unwrapped" and told["tool"] == "Bash", told
    assert "another hook rewrote" in told["text"] and "held" not in told, told
    log = (world.state / "audit.jsonl").read_text()
    assert log.count('"verdict":"alert"') == 2 and "another hook rewrote" in log, log
    policy(world, bash={"wrap": False})
    assert answer(world, "ls", event="PostToolUse") == {}
