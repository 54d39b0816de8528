"""`ringfence explain`: the decision about a call, in words."""

import json
import shutil

from command_world import error_of


def registered_hook(world, event, start):
    """The answer of the hook as registered by the settings there."""
    for file in (world.user, start / ".claude/settings.local.json"):
        if file.exists():
            entry = json.loads(file.read_text())["hooks"]["PreToolUse"][0]["hooks"][0]
    return world.start([entry["command"], *entry["args"]], stdin=json.dumps(event),
                       env={"HOME": str(world.home), "CLAUDE_PROJECT_DIR": str(start)}).stdout


def test_explain_protects_the_audit_log_that_the_policy_names(world):
    log = world.home / "log/audit.jsonl"
    world.write(world.policy, json.dumps({
        "version": 1, "write": {"allow": ["~/log"]}, "audit": {"file": str(log)}}))
    out = world.run("explain", "Write", log).stdout
    assert "audit log" in out, out


def test_explain_and_allow_follow_the_registration(world):
    """Decides like the hook: with its --root, --profile and --policy, wherever the command is
    typed."""
    src, shop = world.home / "src", world.home / "src/shop"
    (shop / "part").mkdir(parents=True)
    own = world.write(world.base / "own.json", '{"version": 1, "read": {"allow": [".", "~/own"]}}')
    profiles = {"version": 1, "profiles": {"worker": {"write": {"allow": ["out"]}}}}
    world.write(world.policy, json.dumps(profiles))
    paths = [("Read", src / "lib/a.c"), ("Write", shop / "a.txt"), ("Write", shop / "out/x"),
             ("Read", world.home / "own/x"), ("Read", "/etc/hosts"), ("Write", shop / "part/b")]
    for options in ((), ("--root", src), ("--profile", "worker"), ("--policy", own), ("--local", shop)):
        world.init("--no-client-sandbox", *options, cwd=shop)
        for tool, path in paths:
            event = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(shop),
                     "tool_name": tool, "tool_input": {"file_path": str(path), "content": "x"}}
            denied = '"deny"' in registered_hook(world, event, shop)
            starts = [shop] if "--local" not in options else [shop, shop / "part"]
            for start in starts:
                done = world.run("explain", "--json", tool, path, cwd=start)
                assert (json.loads(done.stdout)["verdict"] == "deny") == denied, (options, tool, path, start)
        world.run("uninstall", *(("--local",) if "--local" in options else ()), cwd=shop)
    shutil.rmtree(shop / ".ringfence")  # which init --local wrote
    # allow changes the registered policy, and reports what does not count.
    world.init("--no-client-sandbox", "--policy", own)
    assert f"of {own}" in world.run("allow", "--read", "/srv/x").stdout
    assert world.run("explain", "Read", "/srv/x").returncode == 0
    world.run("uninstall")
    world.init("--no-client-sandbox", "--profile", "worker", cwd=shop)
    error_of(world.run("allow", "/srv/x", cwd=shop), 1, "does not lift this denial", "/profiles/worker/write/allow")
    world.run("uninstall")
    # In the home, outside any project, the registered root counts.
    world.init("--no-client-sandbox", "--root", src)
    assert world.run("explain", "Read", src / "lib/a.c", cwd=world.home).returncode == 0
    assert f'"{src}"' in world.run("prompt", cwd=world.home).stdout


def test_explain_names_a_session_that_has_access(world):
    world.run("allow", "--session-id", "s-1", "/srv/x")
    done = world.run("explain", "Read", "/srv/x")
    assert done.returncode == 1 and "the session s-1 may, by ringfence allow --session" in done.stdout, done
    assert world.run("explain", "Read", "/srv/x", "--session-id", "s-1").returncode == 0
    assert "the session" not in world.run("explain", "Read", "/srv/y").stdout


def test_explain_accepts_a_shell_command(world):
    world.write(world.policy, '{"version": 1, "network": {"allow": ["@agent-hosts"]}}')
    for tool in ("Bash", "Monitor", "PowerShell"):
        assert world.run("explain", tool, "npm test").returncode == 0, tool


def test_explain_of_a_denied_path_names_its_target(world):
    key = world.home / ".ssh/id_rsa"
    out = world.run("explain", "Read", key).stdout
    assert 'denied by "@secrets"' in out and f'ends at "{key}"' in out, out


def test_explain_of_a_misspelt_tool_suggests_the_right_one(world):
    done = world.run("explain", "Raed", "/etc/hosts")
    assert done.returncode == 1 and 'did you mean "Read"?' in done.stdout, done
    assert "ringfence allow" not in done.stdout, done
    done = world.run("explain", "Frobnicate", "/etc/hosts")
    assert "did you mean" not in done.stdout and "ringfence allow" in done.stdout, done


def test_explain_suggests_no_client_fix_if_the_policy_denies_too(world):
    world.run("init", "--no-client-sandbox")
    secret = world.home / ".ssh/id_rsa"
    done = world.run("explain", "Read", secret)
    assert "the client itself refuses it" in done.stdout and "lift" not in done.stdout, done
    assert "fix" not in json.loads(world.run("explain", "Read", secret, "--json").stdout)["client"]


def test_explain_accepts_a_bare_path_or_host(world):
    (world.project / "notes.md").write_text("x")
    done = world.run("explain", "/etc/hosts")
    assert done.returncode == 1 and 'deny  "Read"' in done.stdout and 'deny  "Write"' in done.stdout
    done = world.run("explain", "notes.md")
    assert done.returncode == 0 and 'permit  "Read"' in done.stdout, done
    (world.project / "sub").mkdir()
    done = world.run("explain", "../notes.md", "--root", world.project, cwd=world.project / "sub")
    assert done.returncode == 0, done
    calls = json.loads(world.run("explain", "~/.ssh/id_rsa", "--json").stdout)["calls"]
    assert [call["tool"] for call in calls] == ["Read", "Write"]
    assert {call["verdict"] for call in calls} == {"deny"}
    assert 'permit  "WebFetch"' in world.run("explain", "crates.io").stdout
    world.write(world.policy, '{"version": 1, "network": {"allow": ["a.example"]}}')
    assert world.run("explain", "https://a.example/x").returncode == 0
    assert world.run("explain", "b.example").returncode == 1
    error_of(world.run("explain"), 2, "name a path")


def test_explain_accepts_a_worktree_name(world):
    out = json.loads(world.run("explain", "EnterWorktree", "x", "--json").stdout)
    assert "/path" not in json.dumps(out), out
    assert world.run("explain", "EnterWorktree", "../x").returncode == 1


def test_an_argument_needs_a_tool(world):
    for word in ("/etc/hosts", "./x", "~/x"):
        error_of(world.run("explain", word, "extra"), 2, "is not a tool", "ringfence explain Read /etc/hosts")
