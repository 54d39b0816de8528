"""Runs `ringfence settings` of the built program in a separate home."""

import json

from command_world import EVENTS, error_of, registered, settings_of


def derive(world, *arguments, policy=None, status=0):
    if policy is not None:
        world.write(world.policy, json.dumps({"version": 1, **policy}))
    done = world.run("settings", "--hook", world.programs.hook, *arguments)
    assert done.returncode == status, f"{done.returncode}: {done.stdout}{done.stderr}"
    return done


def local_settings(world, text):
    return world.write(world.project / ".claude/settings.local.json", text)


def test_settings_go_to_stdout_and_notes_to_stderr(world):
    done = derive(world, policy={"read": {"deny": ["**/.env", "a[0-9]"]}})
    settings = json.loads(done.stdout)
    assert set(settings["hooks"]) == set(EVENTS), settings["hooks"]
    assert "Read(//**/.env)" in settings["permissions"]["deny"], settings
    assert f"Read(/{world.project}/**/.env)" in settings["permissions"]["deny"], settings
    assert settings["sandbox"]["enabled"] is True and settings["disableAllHooks"] is False
    assert '"a[0-9]"' in done.stderr and "note: " in done.stderr, done.stderr


def test_the_registration_matches_init(world):
    world.write(world.policy, '{"version": 1, "profiles": {"p": {}}}')
    world.init("--profile", "p")
    derived = json.loads(derive(world, "--profile", "p").stdout)
    assert derived["hooks"] == settings_of(world.user)["hooks"], derived["hooks"]


def test_a_profile_has_its_own_settings(world):
    policy = {"profiles": {"main": {"client": {"permission_mode": "bypassPermissions"}}}}
    plain = json.loads(derive(world, policy=policy).stdout)
    main = json.loads(derive(world, "--profile", "main").stdout)
    assert "defaultMode" not in plain["permissions"], plain
    assert main["permissions"]["defaultMode"] == "bypassPermissions", main
    assert main["hooks"]["PreToolUse"][0]["hooks"][0]["args"][-2:] == ["--profile", "main"], main
    error_of(derive(world, "--profile", "nobody", status=2), 2, "--profile", "nobody")


def test_an_existing_bypass_mode_is_kept_and_reported(world):
    bypass = '{"permissions": {"defaultMode": "bypassPermissions"}}\n'
    file = local_settings(world, bypass)
    done = derive(world, "--merge", file, policy={})
    assert "permissions.defaultMode" in done.stderr and "is kept" in done.stderr, done.stderr
    done = derive(world, "--merge", file, "--in-place", policy={"bash": {"unsandboxed": "ask"}}, status=1)
    assert "/bash/unsandboxed" in done.stderr and "settings.local.json" in done.stderr, done.stderr
    assert file.read_text() == bypass


def test_sdk_options_contain_the_registration(world):
    out = derive(world, "--for", "sdk", policy={"tools": {"allow": ["Read", "mcp__team__*"]}}).stdout
    options = json.loads(out)
    assert options["tools"] == ["Read", "mcp__team__*"] and options["allowedTools"] == [], options
    assert options["settings"]["hooks"].keys() == set(EVENTS), options
    assert options["settingSources"] == ["project"] and options["permissionMode"] == "default"
    python = json.loads(derive(world, "--for", "sdk", "--language", "python").stdout)
    assert json.loads(python["settings"]) == options["settings"], python


def test_additional_directories_must_be_directories(world):
    (world.home / "there").mkdir()
    world.write(world.home / "file", "")
    lists = {"allow": [".", "~/there", "~/file", "~/missing"]}
    options = json.loads(derive(world, "--for", "sdk", policy={"read": lists, "write": lists}).stdout)
    assert options["additionalDirectories"] == [str(world.home / "there")], options


def test_bypass_mode_with_unsandboxed_commands_is_refused(world):
    unsafe = {"client": {"permission_mode": "bypassPermissions"}, "bash": {"unsandboxed": "ask"}}
    done = derive(world, policy=unsafe, status=1)
    error_of(done, 1, "~/.config/ringfence/policy.json:1", "/bash/unsandboxed", "Hint:")
    assert done.stdout == "", done.stdout
    profile = {"bash": {"unsandboxed": "ask"},
               "profiles": {"p": {"client": {"permission_mode": "bypassPermissions"}}}}
    derive(world, "--profile", "p", policy=profile)


def test_another_registration_in_the_project_is_reported(world):
    world.init("--project", ".")
    policy = {"profiles": {"p": {}}}
    done = derive(world, "--for", "sdk", "--profile", "p", policy=policy)
    assert "registers the hook with other arguments" in done.stderr, done.stderr


def test_merge_prints_without_changing_the_file(world):
    text = '{\n  "model" : "opus",\n  "permissions": { "allow": ["Bash(ls)"] }\n}\n'
    path = local_settings(world, text)
    before = world.snapshot()
    out = derive(world, "--merge", path).stdout
    assert out.startswith('{\n  "model" : "opus",\n  "permissions": { "allow": ["Bash(ls)"], '), out
    assert json.loads(out)["sandbox"]["enabled"] is True
    assert world.snapshot() == before


def test_merge_in_place_is_idempotent(world):
    path = local_settings(world, '{"model": "opus"}\n')
    done = derive(world, "--merge", path, "--in-place")
    assert done.stdout == "", done.stdout
    assert settings_of(path)["model"] == "opus" and registered(path, world.programs.hook) == EVENTS
    approvals = json.loads((world.state / "approvals.json").read_text())
    assert [file["path"] for file in approvals["files"]] == [str(path)], approvals
    before = world.snapshot()
    derive(world, "--merge", path, "--in-place")
    assert world.snapshot() == before
    world.run("uninstall", "--local", world.project)
    assert "hooks" not in settings_of(path) and settings_of(path)["sandbox"]["enabled"]


def test_merge_creates_a_missing_file(world):
    path = world.project / ".claude/settings.local.json"
    derive(world, "--merge", path, "--in-place")
    assert registered(path, world.programs.hook) == EVENTS
    assert "--home" in settings_of(path)["hooks"]["PreToolUse"][0]["hooks"][0]["args"]


def test_shared_settings_do_not_name_a_home(world):
    path = world.write(world.project / ".claude/settings.json", "{}\n")
    derive(world, "--merge", ".claude/settings.json", "--in-place")
    assert settings_of(path)["hooks"]["PreToolUse"][0]["hooks"][0]["args"] == [], settings_of(path)


def test_merge_reports_settings_that_the_client_reads_only_elsewhere(world):
    path = local_settings(world, "{}")
    done = derive(world, "--merge", path, policy={"network": {"allow": ["a.example"]}})
    assert "strictAllowlist" in done.stderr, done.stderr


def test_a_conflict_changes_nothing(world):
    text = '{"sandbox": {"enabled": false}, "disableAllHooks": true}'
    path = local_settings(world, text)
    for more in ((), ("--in-place",)):
        done = derive(world, "--merge", path, *more, status=1)
        assert done.stdout == "", done.stdout
        for line in (f"{path}:1:25: sandbox.enabled is false, and the policy wants true",
                     "disableAllHooks is true, and the policy wants false", "--replace"):
            assert line in done.stderr, done.stderr
    assert path.read_text() == text
    done = derive(world, "--merge", path, "--in-place", "--replace")
    assert "it was replaced" in done.stderr, done.stderr
    assert settings_of(path)["sandbox"]["enabled"] is True
    assert settings_of(path)["disableAllHooks"] is False


def test_merge_reports_wider_existing_settings(world):
    path = local_settings(world, json.dumps({
        "sandbox": {"excludedCommands": ["git *"], "filesystem": {"allowWrite": ["/srv"]}},
        "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "other"}]}]}}))
    done = derive(world, "--merge", path)
    for part in ('"git *"', '"/srv"', '"other"'):
        assert part in done.stderr, done.stderr


def test_merge_does_not_touch_an_invalid_file(world):
    for text in ('{"model": 5}', "{", "// no\n{}", '{"a": 1, "a": 2}', "\0"):
        path = local_settings(world, text)
        done = derive(world, "--merge", path, "--in-place", status=2)
        error_of(done, 2, str(path))
        assert path.read_text() == text and len(done.stderr.splitlines()) <= 2, done.stderr


def test_a_link_stays_a_link(world):
    target = world.write(world.base / "elsewhere.json", "{}\n")
    path = world.project / "settings.json"
    path.symlink_to(target)
    derive(world, "--merge", path, "--in-place")
    assert path.is_symlink() and registered(target, world.programs.hook) == EVENTS


def test_a_failed_write_changes_nothing(world):
    path = local_settings(world, "{}\n")
    world.give_up_root()
    path.parent.chmod(0o555)
    before = world.snapshot()
    done = derive(world, "--merge", path, "--in-place", status=2)
    assert done.stderr.startswith("ringfence: "), done.stderr
    path.parent.chmod(0o755)
    assert world.snapshot() == before


def test_a_second_sandbox_is_not_enabled(world):
    off = {"enabled": False}
    assert json.loads(derive(world, "--under-run").stdout)["sandbox"] == off
    wrapped = json.loads(derive(world, policy={"bash": {"wrap": True}}).stdout)
    assert wrapped["sandbox"] == off, wrapped
    assert any(" enter *)" in rule for rule in wrapped["permissions"]["allow"]), wrapped


def test_wrong_usage_is_status_2(world):
    for arguments in (("--in-place",), ("--replace",), ("--language", "python"),
                      ("--for", "sdk", "--merge", "x"), ("--for", "me"), ("--root", "/nowhere"),
                      ("--policy", "/nowhere.json"), ("--merge", world.project)):
        done = derive(world, *arguments, status=2)
        assert done.stdout == "" and done.stderr.startswith("ringfence: "), (arguments, done)


def test_an_invalid_policy_is_status_2(world):
    world.write(world.policy, '{"version": 1, "reed": {}}')
    error_of(derive(world, status=2), 2, "policy.json:1:16", "read")


def test_notes_are_printed_once_and_not_on_a_refusal(world):
    path = world.write(world.project / ".claude/settings.local.json",
                       '{"sandbox": {"excludedCommands": ["git *"]}}')
    unattended = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ATTENDED": "0"}
    line = ("settings", "--merge", str(path), "--hook", world.programs.hook)
    done = world.run(*line, "--in-place", env=unattended)
    assert done.returncode == 1 and "only a person" in done.stderr, done
    assert "note:" not in done.stderr, done.stderr
    for more in ((), ("--in-place",)):
        notes = [said for said in world.run(*line, *more).stderr.splitlines() if "note:" in said]
        assert notes and len(notes) == len(set(notes)), notes
