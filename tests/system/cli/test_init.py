"""Runs `ringfence init` and `uninstall` on settings files of every kind, in a separate home."""

import json
import shutil
import stat

import pytest

from command_world import EVENTS, error_of, registered, settings_of


def test_init_on_an_empty_home(world):
    out = world.init()
    hook = world.programs.hook
    assert registered(world.user, hook) == EVENTS
    entry = settings_of(world.user)["hooks"]["PreToolUse"][0]["hooks"][0]
    assert entry == {"type": "command", "command": hook, "args": ["--home", str(world.home)],
                     "timeout": 10, "onFailure": "block"}, entry
    assert "matcher" not in settings_of(world.user)["hooks"]["PreToolUse"][0]
    assert world.policy.exists()
    assert "/.ssh/ringfence-proof-" in out and "refused" in out, out
    assert "Bash is" in out.splitlines()[-1], out
    assert stat.S_IMODE(world.state.stat().st_mode) == 0o700
    for name in ("approvals.json", "registrations.json"):
        assert stat.S_IMODE((world.state / name).stat().st_mode) == 0o600


def test_a_second_init_changes_nothing(world):
    world.init()
    before = world.snapshot()
    assert "nothing was changed" in world.init()
    assert world.snapshot() == before


def test_other_keys_stay_byte_for_byte(world):
    text = ('\ufeff{\r\n\t"model" : "x",\r\n\t"env": {"A":"\\u00e9"},\r\n'
            '\t"hooks": {"Stop": [{"hooks": [ {"type":"command","command":"true"} ]}]}\r\n}')
    world.write(world.user, text)
    world.init()
    now = world.user.read_bytes().decode()
    start = text[:text.index('{"hooks": [')]
    assert now.startswith(start), now
    assert now.replace("\r\n", "").count("\n") == 0, "a line end is of another kind"
    assert not now.endswith("\n")
    assert json.loads(now[1:])["hooks"]["Stop"][0]["hooks"][0]["command"] == "true"


def test_an_invalid_settings_file_is_not_touched(world):
    for text, place in (('{\n "model": 5\n}', "settings.json:2:11: /model must be a string"),
                        ('{"hooks": {"PreToolUse": [{"hooks": [{"type": "x"}]}]}}', "not a type of hook"),
                        ('// hi\n{}', "settings.json:1:1"), ('{"a": 1, "a": 2}', "settings.json:1:10")):
        world.write(world.user, text)
        before = world.snapshot()
        error_of(world.run("init"), 2, place)
        assert world.snapshot() == before, text


def test_a_failed_proof_restores_all_files(world):
    world.write(world.user, '{"model": "x"}')
    for script, told in (("exit 0", "did not deny"), ("exit 2", "did not deny"),
                         ("echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\","
                          "\"permissionDecision\": \"deny\", \"permissionDecisionReason\": \"r\"}}'",
                          "pass"), ("kill -9 $$", "status 137")):
        stub = world.stub(script)
        stub.chmod(0o755)
        before = world.snapshot()
        error_of(world.run("init", "--hook", stub, hook=False), 1, told, "as it was before")
        assert world.snapshot() == before, script


def test_a_dry_run_writes_nothing(world):
    out = world.init("--dry-run")
    assert "Would change" in out and "Proof" not in out, out
    assert world.snapshot() == {}


def test_init_registers_in_project_and_local_files(world):
    world.init("--project", ".")
    project = world.project / ".claude/settings.json"
    assert registered(project, world.programs.hook) == EVENTS
    # Shared settings name no user's home.
    assert settings_of(project)["hooks"]["PreToolUse"][0]["hooks"][0]["args"] == []
    assert (world.project / ".ringfence/policy.json").exists()
    assert json.loads((world.state / "trust.json").read_text())["projects"][0]["root"] == str(world.project)
    world.init("--local", world.project, cwd="/")
    assert registered(world.project / ".claude/settings.local.json", world.programs.hook) == EVENTS
    assert not world.user.exists()


def test_init_warns_if_shared_settings_name_a_program_in_a_home(world):
    hook = world.home / "bin/ringfence-hook"
    hook.parent.mkdir()
    shutil.copy(world.programs.hook, hook)
    out = world.init("--project", "--hook", hook, hook=False)
    assert "--local" in out and "colleague" in out, out


def test_a_registration_from_elsewhere_is_updated(world):
    old = world.base / "old/ringfence-hook"
    old.parent.mkdir()
    shutil.copy(world.programs.hook, old)
    world.init("--hook", old, hook=False)
    world.init()
    text = world.user.read_text()
    assert str(old) not in text
    assert registered(world.user, world.programs.hook) == EVENTS


def test_profile_and_policy_are_registered_and_checked(world):
    policy = world.write(world.base / "own.json",
                         '{"version": 1, "profiles": {"worker": {"write": {"deny": ["docs"]}}}}')
    world.init("--policy", policy, "--profile", "worker")
    args = settings_of(world.user)["hooks"]["PreToolUse"][0]["hooks"][0]["args"]
    assert args == ["--home", str(world.home), "--profile", "worker", "--policy", str(policy)], args
    before = world.snapshot()
    error_of(world.run("init", "--policy", policy, "--profile", "no"), 2, "no")
    error_of(world.run("init", "--policy", world.write(world.base / "bad.json", "{}")), 2, "version")
    assert world.snapshot() == before


def test_a_policy_file_that_is_missing_is_written(world):
    policy = world.base / "team/policy.json"
    world.init("--policy", policy)
    assert '"version": 1' in policy.read_text()


def test_a_setting_that_the_user_disabled_stays_off(world):
    world.write(world.user, '{"disableSkillShellExecution": false}')
    out = world.init()
    assert settings_of(world.user)["disableSkillShellExecution"] is False
    assert "disableSkillShellExecution is off" in out, out


def test_disabled_hooks_are_an_error(world):
    world.write(world.user, '{"disableAllHooks": true}')
    for more in ((), ("--dry-run",)):
        done = world.run("init", *more)
        error_of(done, 1, "~/.claude/settings.json", "disableAllHooks", "nothing is enforced")
        assert "NOT in force" in done.stdout and "Proof" not in done.stdout, done.stdout
    assert registered(world.user, world.programs.hook) == EVENTS
    world.write(world.user, "{}")
    for name in ("settings.json", "settings.local.json"):
        path = world.write(world.project / ".claude" / name, '{"disableAllHooks": true}')
        done = world.run("init", "--json")
        error_of(done, 1, str(path))
        report = json.loads(done.stdout)
        assert "proof" not in report and report["switched_off"][0]["file"] == str(path), report
        error_of(world.run("init", "--user", cwd=path.parent.parent), 1, str(path))
        path.unlink()
    assert json.loads(world.init("--json"))["switched_off"] == []


def test_a_narrower_policy_narrows_the_sandbox(world):
    own = {"sandbox": {"filesystem": {"allowWrite": ["/srv/mine"]}}}
    for before in ({}, own):
        text = world.write(world.user, json.dumps(before)).read_bytes()
        world.write(world.policy, '{"version": 1, "write": {"allow": [".", "/srv/x"]}, '
                                  '"network": {"allow": ["a.example"]}}')
        world.init()
        sandbox = settings_of(world.user).get("sandbox", {})
        if "enabled" not in sandbox:
            pytest.skip("no bwrap or socat that works here")
        assert "/srv/x" in sandbox["filesystem"]["allowWrite"], sandbox
        assert sandbox["network"]["allowedDomains"] == ["a.example"], sandbox
        world.write(world.policy, '{"version": 1}')
        assert "/srv/x" in world.init()
        sandbox = settings_of(world.user)["sandbox"]
        assert sandbox["filesystem"].get("allowWrite", []) == (["/srv/mine"] if before else [])
        assert "allowedDomains" not in sandbox.get("network", {}), sandbox
        assert "nothing was changed" in world.init()
        world.run("uninstall")
        assert world.user.read_bytes() == text


def test_a_revoked_path_stays_in_the_sandbox_until_init(world):
    world.init()
    if "enabled" not in settings_of(world.user).get("sandbox", {}):
        pytest.skip("no bwrap or socat that works here")
    done = world.run("allow", "/srv/x")
    assert "ringfence init carries" in done.stdout, done
    world.init()
    out = world.run("revoke", "/srv/x").stdout
    assert "keep it until ringfence init takes it out" in out, out
    assert settings_of(world.user)["sandbox"]["filesystem"]["allowWrite"] == ["/srv/x"]
    assert "/srv/x" in world.init()
    assert "allowWrite" not in settings_of(world.user)["sandbox"]["filesystem"]
    world.run("allow", "--read", "/srv/x")
    out = world.run("revoke", "/srv/x").stdout
    assert "Removed" in out and "ringfence init" not in out, out


def test_the_client_sandbox_denies_writes_to_ringfences_files(world):
    target = world.write(world.base / "dotfiles/policy.json", json.dumps(
        {"version": 1, "audit": {"file": "~/logs/a.jsonl"}, "write": {"allow": [".", "~/logs"]}}))
    world.policy.parent.mkdir(parents=True)
    world.policy.symlink_to(target)
    out = world.init()
    if "NOT confined" in out:
        pytest.skip("no bwrap or socat that works here")
    own = ["~/.config/ringfence", "~/.local/state/ringfence", world.programs.hook,
           world.programs.ringfence]

    def denied():
        return settings_of(world.user)["sandbox"]["filesystem"]["denyWrite"]
    for path in [*own, "~/logs/a.jsonl", str(target)]:
        assert path in denied(), (path, denied())
    assert "nothing was changed" in world.init()
    policy = world.write(world.base / "other.json",
                         '{"version": 1, "audit": {"file": "/srv/log/b.jsonl"}}')
    world.init("--policy", policy)
    for path in [*own, "/srv/log/b.jsonl", str(policy)]:
        assert path in denied(), (path, denied())
    assert "~/logs/a.jsonl" not in denied(), denied()
    # The project's policy is above the directory of its settings.
    (world.project / ".git").mkdir()
    world.write(target, '{"version": 1, "root": "git"}')
    sub = world.project / "sub"
    sub.mkdir()
    world.init("--local", sub)
    denied = settings_of(sub / ".claude/settings.local.json")["sandbox"]["filesystem"]["denyWrite"]
    assert str(world.project / ".ringfence/policy.json") in denied, denied


def test_commands_in_a_subdirectory_may_write_the_repository(world):
    part, local = subdirectory_of_a_repository(world)
    out = world.init(part)
    if "NOT confined" in out:
        pytest.skip("no bwrap or socat that works here")
    assert "may write the whole repository" in out and "write only in" not in out, out
    root = str(world.project)
    files = settings_of(local)["sandbox"]["filesystem"]
    assert files["allowWrite"] == [root], files
    assert root + "/.vscode" in files["denyWrite"], files
    assert "allowWrite" not in settings_of(world.user)["sandbox"]["filesystem"]
    done = world.run("check", cwd=part)
    assert done.returncode == 0 and "sound" in done.stdout, done
    assert "write only in" not in world.run("prompt", cwd=part).stdout
    assert "nothing was changed" in world.init(part) and "whole repository" not in world.init(part)
    # Without the "root", the opened directory is closed again.
    world.write(world.policy, '{"version": 1}')
    assert "no longer write the whole repository" in world.init(part)
    assert settings_of(local) == {}
    done = json.loads(world.run("uninstall", "--json").stdout)
    assert [entry["entries"] for entry in done["removed"]] == [0, 7], done
    assert not local.parent.exists() and not world.user.exists()


def test_existing_settings_of_a_subdirectory_are_kept(world):
    part, local = subdirectory_of_a_repository(world)
    text = '{"model": "x", "sandbox": {"filesystem": {"allowWrite": ["/srv/mine"]}}}'
    world.write(local, text)
    if "NOT confined" in world.init("--dry-run", part):
        pytest.skip("no bwrap or socat that works here")
    assert local.read_text() == text
    world.init(part)
    files = settings_of(local)["sandbox"]["filesystem"]
    assert files["allowWrite"] == ["/srv/mine", str(world.project)], files
    assert "Removed what init had set" in world.run("uninstall").stdout
    assert local.read_text() == text


def test_invalid_settings_of_a_subdirectory_are_reported(world):
    part, local = subdirectory_of_a_repository(world)
    world.write(local, '{"model": 5}')  # the client drops the file as a whole
    out = world.init(part)
    if "NOT confined" in out:
        pytest.skip("no bwrap or socat that works here")
    assert local.read_text() == '{"model": 5}'
    assert f'To commit, start it in "{world.project}"' in out, out
    assert "write only in" in world.run("prompt", cwd=part).stdout
    local.unlink()
    out = world.init("--local", part)
    files = settings_of(local)["sandbox"]["filesystem"]
    assert files["allowWrite"] == [str(world.project)] and "write only in" not in out, (files, out)
    # The registration there covers it; another one leaves the file alone.
    text = local.read_text()
    assert "whole repository" not in world.init(part)
    assert local.read_text() == text


def subdirectory_of_a_repository(world):
    (world.project / ".git").mkdir()
    world.write(world.policy, '{"version": 1, "root": "git"}')
    part = world.project / "part"
    part.mkdir()
    return part, part / ".claude/settings.local.json"


def test_an_allowed_cache_is_writable(world):
    (world.home / ".npm").mkdir()
    (world.home / ".cache/ccache").mkdir(parents=True)
    out = world.init()
    if "NOT confined" in out:
        pytest.skip("no bwrap or socat that works here")
    assert "~/.npm, ~/.cache/ccache. To permit one, run: ringfence allow ~/.npm," in out, out
    assert world.run("allow", str(world.home / ".npm")).returncode == 0
    out = world.init()
    assert "~/.cache/ccache. To permit" in out and "fail: ~/.npm" not in out, out
    assert "~/.npm" in settings_of(world.user)["sandbox"]["filesystem"]["allowWrite"]


def test_init_and_prompt_agree_about_the_sandbox(world):
    if "NOT confined" in world.init():
        pytest.skip("no bwrap or socat that works here")
    for settings in ({"enabled": False}, {"enabled": True, "excludedCommands": ["*"]}):
        for name in ("settings.json", "settings.local.json"):
            path = world.write(world.project / ".claude" / name, json.dumps({"sandbox": settings}))
            out = world.init()
            assert "NOT confined" in out and str(path) in out, out
            assert "No sandbox confines Bash commands here" in world.run("prompt").stdout
            path.unlink()
    assert "Bash is confined" in world.init()
    assert "are confined by the client's sandbox" in world.run("prompt").stdout
    world.run("uninstall")
    env = {"CLAUDE_CONFIG_DIR": str(world.base / "config")}
    assert "Bash is confined" in world.init(env=env)
    assert "are confined by the client's sandbox" in world.run("prompt", env=env).stdout


def test_no_client_sandbox_leaves_the_sandbox_settings_alone(world):
    out = world.init("--no-client-sandbox")
    assert "sandbox" not in settings_of(world.user)
    assert "NOT confined" in out, out


def test_the_client_sandbox_is_enabled_where_it_works(world):
    out = world.init()
    if "NOT confined" in out:
        assert "sandbox" not in settings_of(world.user)
        assert "was not switched on" in out, out
        pytest.skip("no bwrap or socat that works here")
    sandbox = settings_of(world.user)["sandbox"]
    assert sandbox["enabled"] and sandbox["failIfUnavailable"]
    assert sandbox["allowUnsandboxedCommands"] is False
    assert "~/.ssh" in sandbox["filesystem"]["denyRead"]
    assert "Bash is confined" in out, out


def test_the_starter_policy_lists_mcp_servers(world):
    world.write(world.project / ".mcp.json", '{"mcpServers": {"my server": {}}}')
    world.init()
    assert '// "mcp__my_server__*",' in world.policy.read_text()


def test_init_uses_the_clients_configuration_directory(world):
    folder = world.base / "config"
    world.init(env={"CLAUDE_CONFIG_DIR": str(folder)})
    assert registered(folder / "settings.json", world.programs.hook) == EVENTS
    assert not world.user.exists()


def test_a_link_to_the_settings_stays_a_link(world):
    real = world.write(world.home / "dotfiles/settings.json", "{}\n")
    world.user.parent.mkdir()
    world.user.symlink_to(real)
    world.init()
    assert world.user.is_symlink() and registered(real, world.programs.hook) == EVENTS
    world.run("uninstall")
    assert world.user.is_symlink() and real.read_text() == "{}\n"


def test_a_link_in_a_project_is_refused(world):
    world.write(world.user, "{}")
    (world.project / ".claude").mkdir()
    (world.project / ".claude/settings.json").symlink_to(world.user)
    error_of(world.run("init", "--project"), 2, "is a link")
    assert world.user.read_text() == "{}"


def test_init_from_the_home_directory_works_for_the_user_only(world):
    out = world.init(cwd=world.home)
    assert "refuses every call" in out and "is the home directory" in out, out
    assert f"run: ringfence init --root {world.home}" in out, out
    assert "refuses every call" not in world.init()
    error_of(world.run("init", "--local", cwd=world.home), 2, "home")
    error_of(world.run("explain", "Read", "x", cwd=world.home), 2, "is the home directory")
    assert world.run("explain", "@secrets", cwd=world.home).returncode == 0
    assert world.run("explain", "Read", "x").returncode == 0


def config_changed(world, project, root=None):
    """The hook's answer to a change of the user's settings file, in a session of the project."""
    event = {"hook_event_name": "ConfigChange", "session_id": "s", "cwd": str(project),
             "source": "user_settings", "file_path": str(world.user)}
    done = world.start([world.programs.hook, "--home", world.home,
                        *(("--root", root) if root else ())],
                       json.dumps(event), {"CLAUDE_PROJECT_DIR": str(project)})
    return done.returncode, done.stdout + done.stderr


def test_init_in_the_home_keeps_its_own_approval(world):
    (world.home / "src").mkdir()
    for arguments in ((), ("--root", world.home), ("--root", world.home / "src"), ()):
        world.init(*arguments, cwd=world.home)
        folder = world.home if world.home in arguments else world.home / "src"
        root = arguments[1] if arguments else None
        checked = world.run("check", "--json", "--hook", world.programs.hook, cwd=folder)
        report = json.loads(checked.stdout)
        assert report["errors"] == 0, report
        names = [subject for subject in report["checked"] if "settings.json" in subject]
        assert names == ["~/.claude/settings.json"], report
        assert config_changed(world, folder, root) == (0, ""), config_changed(world, folder, root)
        assert "nothing was changed" in world.init(*arguments, cwd=world.home)


def test_variables_that_load_code_are_refused_during_a_session(world):
    world.init()
    settings = settings_of(world.user)
    for name, value, refused in (("NPM_CONFIG_SCRIPT_SHELL", "/tmp/x", True),
                                 ("GOFLAGS", "-toolexec=/tmp/x", True), ("GOFLAGS", "-v", False),
                                 ("KUBECONFIG", "/tmp/x", True), ("AWS_PROFILE", "dev", False),
                                 ("PYTEST_ADDOPTS", "--color=yes\t-pevil", True),
                                 ("PYTEST_ADDOPTS", "--color=yes", False),
                                 ("CFLAGS", "-D$(shell\ttouch\tp1)", True),
                                 ("PYENV_HOOK_PATH", "/tmp/x", True),
                                 ("EDITOR", "/usr/bin/vim", False), ("EDITOR", "/tmp/vim", True),
                                 ("ANTHROPIC_BASE_URL", "https://x.example", True)):
        world.write(world.user, json.dumps({**settings, "env": {name: value}}))
        status, said = config_changed(world, world.project)
        assert ((status, said) != (0, "")) == refused and (name in said) == refused, (name, said)


def test_init_in_a_home_that_is_a_link_approves_both_names(world):
    real, world.home = world.home, world.base / "link"
    world.home.symlink_to(real)
    world.user = world.home / ".claude/settings.json"
    world.write(world.home / ".config/ringfence/policy.json",
                '{"version": 1, "write": {"allow": [".", "/srv/x"]}}')
    for arguments in ((), ("--root", world.home), ("--root", real)):
        world.init(*arguments, cwd=real)
        assert config_changed(world, world.project) == (0, ""), arguments
        report = json.loads(
            world.run("check", "--json", "--hook", world.programs.hook).stdout)
        assert report["errors"] == 0, report


def test_the_hint_to_register_again_keeps_the_options(world):
    world.init("--root", world.home, cwd=world.home)
    settings = settings_of(world.user)
    del settings["hooks"]["PostToolUse"]
    world.write(world.user, json.dumps(settings))
    checked = world.run("check", "--hook", world.programs.hook, cwd=world.home)
    hint = f"Hint: register it again: ringfence init --root {world.home}"
    assert checked.returncode == 1 and hint in checked.stdout, checked.stdout
    world.init("--root", world.home, cwd=world.home)
    assert world.run("check", "--hook", world.programs.hook, cwd=world.home).returncode == 0


def test_init_in_the_root_directory_suggests_no_root(world):
    out = world.init(cwd="/")
    assert "refuses every call" in out and "--root" not in out, out


def test_an_unwritable_home_is_an_error(world):
    world.give_up_root()
    world.home.chmod(0o500)
    init = [world.programs.ringfence, "init", "--hook", world.programs.hook, "--home", world.home]
    done = world.start(init)
    error_of(done, 2, "permission denied", "writable")
    assert "EACCES" not in done.stderr and "mkdir(" not in done.stderr, done.stderr
    world.home.chmod(0o700)
    assert world.start(init).returncode == 0


def test_a_dangling_link_is_an_error_with_a_hint(world):
    for name in (".config", ".claude"):
        target = world.base / "away" / name
        (world.home / name).symlink_to(target)
        error_of(world.run("init"), 2, name, "dangling symbolic link", str(target),
                 "create that directory")
        target.mkdir(parents=True)
    policy = world.home / ".config/ringfence/policy.json"
    policy.parent.mkdir(parents=True)
    policy.symlink_to(world.base / "away/policy.json")
    error_of(world.run("init"), 2, "policy.json", "dangling symbolic link", "remove the link")
    assert policy.is_symlink()
    policy.unlink()
    world.init()
    assert (world.base / "away/.config/ringfence/policy.json").exists()
    assert (world.base / "away/.claude/settings.json").exists()


def test_init_reports_as_json(world):
    report = json.loads(world.init("--json"))
    assert report["layer"] == "user" and report["changes"] and report["proof"]["reason"], report
    assert isinstance(report["bash"]["is_confined"], bool)
    assert json.loads(world.init("--json"))["changes"] == []


# -- uninstall ------------------------------------------------------------------------------------

LAYOUTS = [
    b"{}", b"{ }\n", b"{\n}\n", b"\n", b"", b'{"a":1}', b'{\n  "a": 1\n}\n', b'{\n\t"a": [ 1 ]\n}',
    b'{\r\n    "a": 1\r\n}\r\n', b'\xef\xbb\xbf{\n "a": 1\n}',
    b'{"hooks": { }, "sandbox": {"enabled": false, "filesystem": {"denyRead": [ ]}}}',
    b'{\n  "hooks": {\n    "PreToolUse": [\n      {\n        "matcher": "Bash",\n'
    b'        "hooks": [{"type": "command", "command": "true"}]\n      }\n    ],\n    "Stop": []\n  }\n}\n',
    b'{\n  "permissions": {"allow": ["Read"]},\n  "sandbox": {\n    "enabled": true,\n'
    b'    "filesystem": {"denyRead": ["~/.ssh", "x"]}\n  }\n}\n',
    b'{"disableSkillShellExecution": false, "permissions": {}}',
]


def test_uninstall_restores_the_exact_bytes(world):
    for text in LAYOUTS:
        world.write(world.user, text)
        world.init()
        assert world.user.read_bytes() != text
        assert world.run("uninstall").returncode == 0
        assert world.user.read_bytes() == text, f"{text!r} became {world.user.read_bytes()!r}"


def test_uninstall_removes_a_file_that_init_made(world):
    world.init()
    world.run("uninstall")
    assert not world.user.exists() and not world.user.parent.exists()
    assert world.policy.exists()


def test_uninstall_keeps_later_changes(world):
    world.write(world.user, "{}")
    world.init()
    settings = settings_of(world.user)
    settings["model"] = "x"
    world.user.write_text(json.dumps(settings, indent=2))
    world.run("uninstall")
    assert settings_of(world.user) == {"model": "x"}


def test_uninstall_all_finds_every_file(world):
    world.init()
    world.init("--local")
    done = world.run("uninstall", "--all", "--json", cwd="/")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["removed"]) == 2
    assert not world.user.exists() and not (world.project / ".claude").exists()
    assert "was not registered in ~/.claude/settings.json;" in world.run("uninstall").stdout
    assert "was not registered;" in world.run("uninstall", "--all").stdout


def test_uninstall_all_follows_links(world):
    """A settings file that is a link is one of the files with a record."""
    for later in (False, True):
        dotfiles = world.home / "dotfiles"
        dotfiles.mkdir()
        kept = dotfiles / "settings.json"
        if later:
            world.write(world.user, '{"model": "x"}')
            world.init()
            world.user.rename(kept)
        else:
            world.write(kept, '{"model": "x"}')
            world.user.parent.mkdir()
        world.user.symlink_to(kept)
        if not later:
            world.init()
        done = world.run("uninstall", "--all")
        assert done.returncode == 0, done
        assert kept.read_text() == '{"model": "x"}' and world.user.is_symlink()
        world.user.unlink()
        world.user.parent.rmdir()
        kept.unlink()
        dotfiles.rmdir()


def test_uninstall_leaves_no_dangling_link(world):
    for all_files in ((), ("--all",)):
        world.init()
        kept = world.home / "kept.json"
        world.user.rename(kept)
        world.user.symlink_to(kept)
        assert world.run("uninstall", *all_files).returncode == 0
        assert settings_of(kept) == {} and world.user.is_symlink()
        world.user.unlink()
        kept.unlink()


def test_uninstall_without_a_record_removes_the_entries(world):
    world.write(world.user, '{"model": "x"}')
    world.init()
    (world.state / "registrations.json").unlink()
    out = world.run("uninstall").stdout
    assert "were left as they are" in out, out
    assert "hooks" not in settings_of(world.user)


def test_uninstall_leaves_a_broken_file_alone(world):
    world.init()
    world.user.write_text("{")
    error_of(world.run("uninstall"), 2, "settings.json:1:2")
    assert world.user.read_text() == "{"


def test_uninstall_of_one_file_reads_no_other(world):
    world.init("--local")
    world.user.mkdir(parents=True)  # cannot be read as a file
    done = world.run("uninstall", "--local")
    assert done.returncode == 0 and not (world.project / ".claude").exists(), done


def test_uninstall_forgets_a_file_that_is_gone(world):
    world.init()
    world.init("--local")
    (world.project / ".claude/settings.local.json").unlink()
    assert "Forgot .claude/settings.local.json" in world.run("uninstall", "--local").stdout.replace(f"{world.project}/", "")
    checked = world.run("check").stdout
    assert "settings.local.json" not in checked, checked
    # The approval of an earlier version's uninstall is cleared, too.
    world.init("--local")
    (world.project / ".claude/settings.local.json").unlink()
    (world.state / "registrations.json").unlink()
    assert "Forgot" in world.run("uninstall", "--local").stdout
    assert "nothing was changed" in world.run("uninstall", "--local").stdout


def test_uninstall_restores_a_file_that_was_moved_behind_a_link(world):
    world.write(world.user, '{"model": "x"}')
    world.init()
    moved = world.home / "dotfiles/settings.json"
    moved.parent.mkdir()
    world.user.rename(moved)
    world.user.symlink_to(moved)
    assert "Already registered" in world.init()
    out = world.run("uninstall").stdout
    assert "were left as they are" not in out, out
    assert world.user.is_symlink() and moved.read_text() == '{"model": "x"}'
    assert json.loads((world.state / "registrations.json").read_text())["files"] == []


def test_a_damaged_state_file_can_be_moved_away(world):
    for name, remedy in (("registrations.json", ("uninstall",)), ("approvals.json", ("init",))):
        for text in ("{", "", '{"version": 1, "files": [5]}'):
            world.init()
            damaged = world.state / name
            damaged.write_text(text)
            error_of(world.run("init"), 2, name, "Hint: move it away, and then")
            damaged.unlink()
            done = world.run(*remedy)
            assert done.returncode == 0, done
            world.init()
            assert "weakened" not in world.run("check").stdout
