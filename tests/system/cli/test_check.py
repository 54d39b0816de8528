"""Runs `ringfence check`."""

import copy
import json
import os
import pathlib
import shlex
import shutil
import subprocess

import pytest

from command_world import error_of, settings_of

EVERYDAY = '{"version": 1, "write": {"allow": ["."], "deny": ["docs"]}}\n'


def findings(world, *arguments, status):
    done = world.run("check", "--json", "--hook", world.programs.hook, *arguments)
    assert done.returncode == status, f"status {done.returncode}: {done.stdout}{done.stderr}"
    return json.loads(done.stdout)["findings"]


def codes(found):
    return sorted({finding["code"] for finding in found if finding["severity"] != "note"})


def test_a_fresh_init_is_sound(world):
    world.init("--no-client-sandbox")
    # A build directory can have any owner; installed programs cannot.
    found = [one for one in findings_of_any_status(world) if "-folder" not in one["code"]
             and one["code"] not in ("foreign-owner", "dynamic-program", "writable-program")]
    assert not found, found


def findings_of_any_status(world):
    done = world.run("check", "--json", "--hook", world.programs.hook)
    return json.loads(done.stdout)["findings"]


def test_a_missing_registration_is_an_error(world):
    assert "not-registered" in codes(findings(world, status=1))


def test_all_errors_in_a_policy_are_reported_together(world):
    world.write(world.project / "p.json",
                '{"version": 1,\n "reed": {},\n "write": {"allow": []},\n "bash": {"unsandboxed": "x"}}\n')
    done = world.run("check", "p.json")
    assert done.returncode == 1, done
    for part in ("p.json:2:2: error: /reed is not a known key; did you mean", "p.json:3:21: error:",
                 "p.json:4:26: error:", "3 errors"):
        assert part in done.stdout, (part, done.stdout)


def test_a_missing_file_is_wrong_usage(world):
    error_of(world.run("check", "nowhere.json"), 2, "nowhere.json", "does not exist")


def test_a_missing_file_does_not_hide_other_errors(world):
    wrong = world.write(world.project / "wrong.json", '{"version": 1, "reed": {}}\n')
    done = world.run("check", wrong, "nothing.json")
    assert done.returncode == 2 and "/reed" in done.stdout and '"nothing.json": does not exist' in done.stderr, done


def test_a_duplicate_key_does_not_hide_other_errors(world):
    world.write(world.policy, '{"version": 1,\n "a": 1, "a": 2,\n "b": 1, "b": 3,\n "read": {"deny": ["[q"]}}\n')
    found = [one for one in findings(world, status=1) if one["code"] == "unusable"]
    told = [one["where"].rsplit("policy.json:", 1)[-1] + " " + one["what"] for one in found]
    for text in ('2:10 duplicate key "a"', '3:10 duplicate key "b"', "4:20 /read/deny/0"):
        assert any(one.startswith(text) for one in told), (text, told)


def test_allow_managed_hooks_only_disables_the_users_hook(world):
    """Runs with a separate /etc."""
    if os.geteuid() != 0:
        pytest.skip("needs root for a separate /etc")
    world.init("--no-client-sandbox")
    etc = world.base / "etc"
    etc.mkdir()
    for name in ("passwd", "group"):
        shutil.copy(f"/etc/{name}", etc)
    world.write(etc / "claude-code/managed-settings.json", '{"allowManagedHooksOnly": true}')
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", 'mount --bind "$1" /etc && shift && exec "$@"', "sh", etc,
         world.programs.ringfence, "check", "--json", "--hook", world.programs.hook],
        cwd=world.project, env={"HOME": str(world.home), "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "hooks-disabled" in codes(json.loads(done.stdout)["findings"]), done


def test_settings_that_widen_the_client_sandbox_are_reported(world):
    settings = {"sandbox": {"enabled": True},
                "permissions": {"additionalDirectories": ["/srv/x"], "allow": ["Edit(~/**)"]}}
    world.write(world.user, json.dumps(settings, indent=1))
    world.init("--no-client-sandbox")

    def opened():
        done = world.run("check", "--json", "--hook", world.programs.hook)
        doctor = world.run("doctor", "--json", "--hook", world.programs.hook)
        found = [one for one in json.loads(done.stdout)["findings"]
                 if one["code"] == "sandbox-opened"]
        rows = [row["text"] for row in json.loads(doctor.stdout)["rows"]
                if row["health"] == "weak" and "may also write" in row["text"]]
        assert len(rows) == len(found), (rows, found)
        return [one["where"] + " " + one["what"] for one in found]
    first, second = opened()
    assert first.startswith("~/.claude/settings.json:") and "/srv/x" in first, first
    assert "Edit(~/**)" in second, second
    now = settings_of(world.user)
    del now["permissions"]["additionalDirectories"], now["permissions"]["allow"]
    world.write(world.user, json.dumps(now))
    assert opened() == []


def test_a_policy_that_cannot_be_used_adds_no_warnings_about_the_sandbox(world):
    world.write(world.policy, '{"version": 1, "network": {"allow": ["x.example"]}}')
    world.init("--no-client-sandbox")
    settings = settings_of(world.user)
    settings["sandbox"] = {"enabled": True, "network": {"allowedDomains": ["x.example"]}}
    world.write(world.user, json.dumps(settings))
    for text in ("{", '{"version": 1, "reed": {}}'):
        world.write(world.policy, text)
        assert "sandbox-opened" not in codes(findings(world, status=1)), text


def test_revoked_entries_in_the_client_sandbox_are_reported(world):
    """Reported by check and doctor, until the command of the hint has run."""
    def opened():
        done = world.run("check", "--json", "--hook", world.programs.hook)
        doctor = world.run("doctor", "--json", "--hook", world.programs.hook)
        found = [one for one in json.loads(done.stdout)["findings"]
                 if one["code"] == "sandbox-opened"]
        rows = [row for row in json.loads(doctor.stdout)["rows"] if "may also" in row["text"]]
        assert len(rows) == len(found), (rows, found)
        return found

    def entries(section, key):
        return settings_of(world.user)["sandbox"].get(section, {}).get(key, [])

    def leave(init, hint):
        world.init(*init)
        if not entries("filesystem", "allowWrite"):
            pytest.skip("the client's sandbox cannot work here")
        assert world.run("revoke", "~/.npm").returncode == 0
        assert world.run("revoke", "a.example").returncode == 0
        found = opened()
        assert [one["severity"] for one in found] == ["warning", "warning"], found
        assert 'write "~/.npm"' in found[0]["what"], found
        assert 'sandbox.filesystem.allowWrite has "~/.npm"' in found[0]["what"], found
        assert 'reach "a.example"' in found[1]["what"], found
        assert 'sandbox.network.allowedDomains has "a.example"' in found[1]["what"], found
        for one in found:
            assert one["hint"] == "take it out again: " + hint, (one, hint)
        done = world.run(*shlex.split(hint)[1:], "--hook", world.programs.hook, hook=False)
        assert done.returncode == 0 and opened() == [], (done, opened())

    world.init()
    world.write(world.policy, json.dumps({
        "version": 1, "profiles": {"p q": {}}, "write": {"allow": ["."]},
        "network": {"allow": ["b.example"]}}))
    for init, hint in (((), "ringfence init"), (("--profile", "p q"), "ringfence init --profile 'p q'")):
        for what in ("~/.npm", "a.example"):
            assert world.run("allow", what).returncode == 0, what
        world.init(*init)
        assert opened() == [], opened()
        leave(init, hint)


def test_the_hint_for_a_users_sandbox_entry_is_to_remove_it(world):
    world.write(world.user, json.dumps({"sandbox": {
        "enabled": True, "filesystem": {"allowWrite": ["~/mine", str(world.project / "x"), "/srv/x"]}}}))
    world.init("--no-client-sandbox")
    done = world.run("check", "--json", "--hook", world.programs.hook)
    found = [one for one in json.loads(done.stdout)["findings"] if one["code"] == "sandbox-opened"]
    assert ["~/mine" in found[0]["what"], "/srv/x" in found[1]["what"], len(found)] == [True, True, 2], found
    assert found[0]["hint"] == "remove that entry if commands should not write there", found


def test_sandbox_entries_inside_the_repository_are_not_reported(world):
    part = world.project / "part"
    part.mkdir()
    (world.project / ".git").mkdir()
    world.write(world.project / ".git/HEAD", "ref: refs/heads/main\n")
    world.write(world.policy, '{"version": 1, "root": "git", "write": {"allow": ["."]}}')
    world.write(world.user, json.dumps({"sandbox": {
        "enabled": True, "filesystem": {"allowWrite": [str(world.project / "other"), str(world.base)]}}}))
    world.init("--no-client-sandbox", cwd=part)
    done = world.run("check", "--json", "--hook", world.programs.hook, cwd=part)
    found = [one["what"] for one in json.loads(done.stdout)["findings"] if one["code"] == "sandbox-opened"]
    assert len(found) == 1 and f'has "{world.base}"' in found[0], found


def test_a_full_output_device_is_an_error(world):
    """Partial output on a full disk exits with 2, so that a shell stops at "&&"."""
    world.init("--no-client-sandbox")
    for words in (["check"], ["check", "--json"], ["settings"], ["settings", "--for", "sdk"], ["explain", "@secrets"],
                  ["doctor"], ["prompt"], ["completion", "bash"], ["manual", "log"], ["--help"], ["log", "--help"],
                  ["run", "--dry-run", "--", "true"], ["audit", "--record"]):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([world.programs.ringfence, *words], cwd=world.project, stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=60,
                                  env={"HOME": str(world.home), "PATH": "/usr/bin:/bin"})
        assert done.returncode == 2 and "could not be written" in done.stderr, (words, done)


def test_a_rule_without_effect_is_a_warning(world):
    world.write(world.project / "p.json",
                '{"version": 1, "read": {"allow": [".", "~/.ssh"], "deny": ["a", "a/b"]}}\n')
    found = findings(world, "p.json", status=0)
    assert codes(found) == ["dead-rule", "shadowed-rule"], found
    assert world.run("check", "p.json", "--strict").returncode == 1
    world.write(world.project / "p.json",
                '{"version": 1, "network": {"allow": ["@agent-hosts", "api.anthropic.com"]}}\n')
    found = findings(world, "p.json", status=0)
    assert codes(found) == ["shadowed-rule"], found


def test_the_home_as_working_directory_shadows_no_rule(world):
    """In the home, "." would cover every rule about the home."""
    world.init("--no-client-sandbox")
    assert world.run("allow", "~/other", "--as", "path").returncode == 0
    for arguments in ((), (str(world.policy),)):
        for folder in (world.project, world.home):
            done = world.run("check", *arguments, cwd=folder)
            assert "changes nothing" not in done.stdout, (folder, arguments, done.stdout)
    world.write(world.project / "p.json", '{"version": 1, "read": {"allow": [".", "/tmp", "~/x"]}}\n')
    done = world.run("check", str(world.project / "p.json"), cwd=world.home)
    assert '"." changes nothing' not in done.stdout, done
    world.write(world.home / ".ringfence/policy.json", '{"version": 1, "write": {"allow": [".", "x"]}}\n')
    done = world.run("check", str(world.home / ".ringfence/policy.json"))
    assert "changes nothing" in done.stdout, done


def test_the_local_settings_are_checked(world):
    world.init("--no-client-sandbox")
    local = world.project / ".claude/settings.local.json"
    for text, code in (('{"disableAllHooks": true}', "hooks-disabled"), ('{"model": 5}', "dropped-file"),
                       ('{"sandbox": {"excludedCommands": ["git"]}}', "weakened")):
        world.write(local, text)
        assert code in codes(findings(world, status=1)), (text, findings_of_any_status(world))
    # Checks one file on its own, as an editor does.
    world.write(local, '{"permissions": 5}')
    found = findings(world, ".claude/settings.local.json", status=1)
    assert codes(found) == ["dropped-file"] and "settings.local.json:1:17" in found[0]["where"], found


def test_a_weakened_registration_is_reported_with_its_position(world):
    world.init("--no-client-sandbox")
    text = world.user.read_text()
    world.user.write_text(text.replace('"timeout": 10', '"timeout": 900', 1)
                          .replace('"onFailure": "block"', '"onFailure": "continue"', 1))
    found = findings(world, status=1)
    assert {"on-failure", "timeout", "weakened"} <= set(codes(found)), found
    place = next(one["where"] for one in found if one["code"] == "on-failure")
    assert place.startswith("~/.claude/settings.json:"), place


def registered_with(world, *words):
    """The user's registration, with these words added to each entry."""
    settings = json.loads(world.user.read_text())
    for groups in settings["hooks"].values():
        for group in groups:
            for entry in group["hooks"]:
                entry["args"] += list(map(str, words))
    world.write(world.user, json.dumps(settings))


def test_the_registered_policy_and_profile_are_checked(world):
    world.init("--no-client-sandbox")
    before = world.user.read_text()
    other = world.write(world.home / "other.json", '{"version": 1, "profiles": {"a": {}}, "reed": {}}\n')
    registered_with(world, "--policy", other)
    found = findings(world, status=1)
    assert any(one["code"] == "unusable" and "/reed" in one["what"] for one in found), found
    other.write_text('{"version": 1, "profiles": {"a": {}}}\n')
    for words, told in ((("--profile", "nosuch"), "nosuch"), (("--root", "/"), "--root")):
        world.user.write_text(before)
        registered_with(world, "--policy", other, *words)
        found = [one for one in findings(world, status=1) if one["code"] == "unusable"]
        assert found and told in json.dumps(found), found
        assert found[0]["where"].startswith("~/.claude/settings.json:"), found
    other.chmod(0o666)
    assert "unusable" in codes(findings(world, status=1))


def test_bypass_mode_with_unsandboxed_commands_is_an_error(world):
    """The two are set in different files."""
    world.init("--no-client-sandbox")
    asks = '{"version": 1, "bash": {"unsandboxed": "ask"}}\n'
    world.write(world.policy, '{"version": 1, "client": {"permission_mode": "bypassPermissions"}}\n')
    assert "unsafe-bypass" not in codes(findings_of_any_status(world))
    world.write(world.policy, asks)
    assert "unsafe-bypass" not in codes(findings_of_any_status(world))
    world.write(world.project / ".claude/settings.local.json",
                '{"permissions": {"defaultMode": "bypassPermissions"}}\n')
    assert "unsafe-bypass" in codes(findings(world, status=1))
    (world.project / ".claude/settings.local.json").unlink()
    world.write(world.policy, '{"version": 1, "client": {"permission_mode": "bypassPermissions"}}\n')
    world.write(world.project / ".ringfence/policy.json", asks)
    assert world.trust().returncode == 0
    assert "unsafe-bypass" in codes(findings(world, status=1))


def test_project_settings_that_disable_the_hook_are_errors(world):
    local = world.project / ".claude/settings.json"
    for settings, code in (({"disableAllHooks": True}, "hooks-disabled"),
                           ({"sandbox": {"excludedCommands": ["*"]}}, "everything-excluded"),
                           ({"hooks": {"PreToolUse": [{"hooks": [{
                               "type": "command", "command": "/bin/sh",
                               "args": ["-c", world.programs.hook]}]}]}}, "shell-form")):
        world.write(local, json.dumps(settings))
        assert codes(findings(world, ".claude/settings.json", status=1)) == [code], settings


def test_settings_files_are_recognized_by_name(world):
    for name in ("cc/settings.json", "managed-settings.json", "managed-settings.d/10-hooks.json"):
        file = world.write(world.project / name, '{"disableAllHooks": true}')
        assert codes(findings(world, file, status=1)) == ["hooks-disabled"], name


def test_programs_of_other_machines_are_not_looked_for(world):
    """A project's registration is also checked where ringfence is elsewhere or not registered."""
    local = world.project / ".claude/settings.json"
    world.init("--no-client-sandbox", "--project")
    registered = local.read_text().replace(world.programs.hook, "/home/other/.local/bin/ringfence-hook")
    world.write(local, registered)
    assert codes(findings(world, ".claude/settings.json", status=1)) == ["no-program"]
    assert findings(world, "--elsewhere", ".claude/settings.json", status=0) == []
    settings = json.loads(registered)
    entry = settings["hooks"]["PreToolUse"][0]["hooks"][0]
    entry["args"] = ["--policy", "/home/other/policy.json"]
    world.write(local, json.dumps(settings))
    assert codes(findings(world, ".claude/settings.json", status=1)) == ["no-policy", "no-program"]
    assert findings(world, "--elsewhere", ".claude/settings.json", status=0) == []
    entry["args"], entry["timeout"] = ["--polciy", "x"], 900
    world.write(local, json.dumps(settings))
    assert codes(findings(world, "--elsewhere", ".claude/settings.json", status=1)) == ["timeout", "wrong-options"]
    error_of(world.run("check", "--elsewhere"), 2, "--elsewhere needs files")


def test_another_program_with_the_hooks_name_is_an_error(world):
    world.init("--no-client-sandbox")
    mute = world.write(world.base / "bin/ringfence-hook", "#!/bin/sh\nexit 0\n")
    mute.chmod(0o755)
    world.user.write_text(world.user.read_text().replace(world.programs.hook, str(mute)))
    assert "other-program" in codes(findings(world, status=1))
    # A copy of the real program elsewhere is fine.
    shutil.copy(world.programs.hook, mute)
    assert "other-program" not in codes(findings_of_any_status(world))


def test_a_hook_link_in_a_writable_directory_is_an_error(world):
    world.init("--no-client-sandbox")
    folder = world.base / "shared"
    folder.mkdir()
    link = folder / "ringfence-hook"
    link.symlink_to(world.programs.hook)
    world.user.write_text(world.user.read_text().replace(world.programs.hook, str(link)))
    shared = [one for one in findings_of_any_status(world) if str(folder) in one["where"]]
    assert not shared, shared
    folder.chmod(0o777)
    assert "writable-folder" in [one["code"] for one in findings(world, status=1)
                                 if str(folder) in one["where"]]


def test_a_program_that_others_can_replace_is_an_error(world):
    folder = world.base / "bin"
    folder.mkdir()
    for name in ("ringfence-hook", "ringfence", "ringfence-cli"):
        source = pathlib.Path(world.programs.ringfence).parent / name
        shutil.copy(world.programs.hook if name == "ringfence-hook" else source, folder / name)
    os.chmod(folder / "ringfence-hook", 0o775)
    done = world.run("check", "--json", "--hook", folder / "ringfence-hook")
    assert "writable-program" in codes(json.loads(done.stdout)["findings"]), done.stdout
    os.chmod(folder, 0o777)
    done = world.run("check", "--json", "--hook", folder / "ringfence-hook")
    assert "writable-folder" in codes(json.loads(done.stdout)["findings"]), done.stdout
    # The other programs are there as well: reported once.
    world.programs = copy.copy(world.programs)
    world.programs.ringfence = str(folder / "ringfence")
    done = world.run("check", "--json", "--hook", folder / "ringfence-hook")
    said = [json.dumps(finding) for finding in json.loads(done.stdout)["findings"]]
    assert len(said) == len(set(said)), done.stdout


def test_a_project_policy_is_checked_from_any_directory(world):
    policy = world.write(world.project / ".ringfence/policy.json", EVERYDAY)
    assert findings(world, policy, status=0) == []
    done = world.run("check", policy, cwd="/")
    assert done.returncode == 0 and "sound" in done.stdout, done
