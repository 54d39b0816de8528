"""Runs `ringfence doctor` in separate homes: sound ones, and ones with one fault each."""

import copy
import json
import os


def client(world, version):
    path = world.write(world.base / "claude", f'#!/bin/sh\necho "{version} (Claude Code)"\n')
    path.chmod(0o755)
    return path


def examined(world, *arguments, status=None, version="2.1.330", cwd=None):
    done = world.run("doctor", "--json", "--hook", world.programs.hook, "--client",
                     client(world, version), *arguments, cwd=cwd)
    assert status is None or done.returncode == status, f"{done.returncode}: {done.stdout}{done.stderr}"
    out = json.loads(done.stdout)
    assert out["well"] == (done.returncode == 0), out
    return out["rows"]


def missing(rows):
    # A build directory can have any owner; installed programs cannot.
    return [row for row in rows if row["health"] == "missing"
            and not (row["about"] == "check" and "ringfence" in row["text"] and "/tmp" not in row["text"]
                     and ("belongs to user" in row["text"] or "can be written by" in row["text"]))]


def test_a_fresh_init_is_healthy(world):
    world.init("--no-client-sandbox")
    rows = examined(world)
    assert not missing(rows), missing(rows)
    told = {row["about"]: row for row in rows}
    assert "denied a Read of" in told["registration"]["text"]
    assert "2.1.330" in told["client"]["text"]
    for layers in ("full", "landlock"):
        assert any(f'layers "{layers}": works' in row["text"] for row in rows), rows
    assert not list(world.state.glob("doctor-probe*"))


def test_the_registered_root_is_tested_from_the_home(world):
    project = world.home / "src"
    project.mkdir()
    world.init("--no-client-sandbox", "--root", project, cwd=world.home)
    rows = examined(world, cwd=world.home)
    assert not missing(rows), missing(rows)
    assert sum('": works' in row["text"] for row in rows) == 2, rows


def test_mods_and_code_mode_are_reported(world):
    """Mods, and Code Mode if a settings file turns it on."""
    world.init("--no-client-sandbox")
    about = {row["about"] for row in examined(world)}
    assert not about & {"mods", "code"}, about
    world.write(world.home / ".claude/dev-mods/spy/mod.js", "")
    settings = json.loads(world.user.read_text())
    settings.setdefault("env", {})["CLAUDE_CODE_EXPERIMENTAL_CODE_MODE"] = "1"
    world.user.write_text(json.dumps(settings))
    told = {row["about"]: row for row in examined(world)}
    assert '"spy"' in told["mods"]["text"] and "dev-mods" in told["mods"]["text"], told["mods"]
    assert "Code Mode is on" in told["code"]["text"], told["code"]
    assert told["mods"]["health"] == told["code"]["health"] == "weak"


def test_a_missing_registration_is_reported(world):
    rows = examined(world, status=1)
    assert any("no settings file registers the hook" in row["text"] for row in missing(rows))


def test_a_live_event_reveals_a_hook_that_does_not_decide(world):
    world.init("--no-client-sandbox")
    mute = world.write(world.base / "bin/ringfence-hook", "#!/bin/sh\nexit 0\n")
    mute.chmod(0o755)
    world.user.write_text(world.user.read_text().replace(world.programs.hook, str(mute)))
    world.programs = copy.copy(world.programs)
    world.programs.hook = str(mute)  # installed, and wrong
    rows = examined(world, status=1)
    assert any("did not deny a Read" in row["text"] for row in missing(rows)), missing(rows)
    # A hook that denies every call.
    mute.write_text("""#!/bin/sh
cat > /dev/null
echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
       "permissionDecisionReason": "x"}}'
""")
    assert any("did not permit a Read" in row["text"] for row in missing(examined(world, status=1)))


def test_a_program_that_is_not_the_installed_hook_is_not_run(world):
    """The registration may have come with the project."""
    world.init("--no-client-sandbox")
    mark = world.base / "mark"
    other = world.write(world.project / "ringfence-hook", f"#!/bin/sh\ntouch {mark}\n")
    other.chmod(0o755)
    world.write(world.project / ".claude/settings.json",
                world.user.read_text().replace(world.programs.hook, str(other)))
    rows = examined(world, status=1)
    assert any("is not the installed hook" in row["text"] for row in missing(rows)), missing(rows)
    assert any("denied a Read" in row["text"] for row in rows), rows
    assert not mark.exists()


def test_endless_client_output_is_cut_off(world):
    world.init("--no-client-sandbox")
    client = world.write(world.base / "endless", "#!/bin/sh\nexec yes\n")
    client.chmod(0o755)
    done = world.run("doctor", "--hook", world.programs.hook, "--client", client)
    assert "produced more than 4 MiB of output" in done.stdout, done


def test_disabled_hooks_are_reported(world):
    world.init("--no-client-sandbox")
    world.write(world.project / ".claude/settings.local.json", '{\n"disableAllHooks": true}\n')
    rows = examined(world, status=1)
    assert any("settings.local.json:2:20: disableAllHooks is true" in row["text"] for row in missing(rows)), rows
    assert not any("denied a Read" in row["text"] for row in rows), rows


def test_the_network_of_commands_is_named(world):
    world.init("--no-client-sandbox")
    for network, text in ((None, "no network"), ({"allow": ["a.example"]}, "the hosts that it lists"),
                          ({"unlisted": "allow"}, "the host's network")):
        policy = {"version": 1, **({"network": network} if network else {})}
        world.write(world.policy, json.dumps(policy))
        rows = examined(world)
        assert not missing(rows), missing(rows)
        assert any(f", {text}" in row["text"] for row in rows), rows


def test_the_registered_policy_is_the_one_in_force(world):
    world.init("--no-client-sandbox")
    other = world.write(world.home / "other.json", '{"version": 1, "profiles": {"a": {}}}\n')
    settings = json.loads(world.user.read_text())
    for groups in settings["hooks"].values():
        groups[0]["hooks"][0]["args"] += ["--policy", str(other), "--profile", "a"]
    world.write(world.user, json.dumps(settings))
    told = [row["text"] for row in examined(world) if row["about"] == "policy"]
    assert any("other.json is in force" in text for text in told), told
    assert any('profile "a"' in text for text in told), told
    assert not any("ringfence/policy.json" in text for text in told), told


def test_a_policy_that_permits_every_read_is_tested_with_a_write(world):
    world.init("--no-client-sandbox")
    world.write(world.policy, '{"version": 1, "read": {"allow": ["/"], "deny": []}}\n')
    told = {row["about"]: row for row in examined(world)}
    assert told["registration"]["health"] == "ok" and "denied a " in told["registration"]["text"], told


def test_log_and_inbox_paths_are_tested(world):
    world.init("--no-client-sandbox")
    world.write(world.policy, json.dumps({
        "version": 1, "audit": {"file": "/proc/nope/a.jsonl", "required": True}}))
    assert any("cannot be created" in row["text"] for row in missing(examined(world, status=1)))
    elsewhere = world.base / "elsewhere"
    elsewhere.mkdir()
    (world.home / "inbox").symlink_to(elsewhere)
    for inbox, well in (("~/inbox/a", False), ("/proc/nope", False), ("~/alerts", True)):
        world.write(world.policy, json.dumps({"version": 1, "alerts": {"inbox": inbox}}))
        rows = [row for row in examined(world) if row["about"] == "alerts"]
        assert [row["health"] for row in rows] == ["ok" if well else "missing"], (inbox, rows)


def test_an_old_client_without_on_failure_is_reported(world):
    world.init("--no-client-sandbox")
    rows = examined(world, status=1, version="2.1.197")
    assert any("2.1.197" in row["text"] and "onFailure" in row["text"] for row in missing(rows))
    assert not missing(examined(world, version="2.1.400"))
    assert any("does not report its version" in row["text"] for row in examined(world, version="x"))


def test_an_unwritable_required_log_is_reported(world):
    world.init("--no-client-sandbox")
    for required in (False, True):
        world.write(world.policy, json.dumps({
            "version": 1, "audit": {"file": str(world.home / "log"), "required": required}}))
        (world.home / "log").mkdir(exist_ok=True)
        assert bool(missing(examined(world))) == required


def test_the_mode_of_the_state_directory_is_checked(world):
    world.init("--no-client-sandbox")
    os.chmod(world.state, 0o755)
    rows = missing(examined(world, status=1))
    assert any("has mode 0755" in row["text"] and row["fix"].startswith("chmod 0700") for row in rows), rows


def test_a_proxy_that_cannot_start_is_reported(world):
    world.init("--no-client-sandbox")
    world.write(world.policy, '{"version": 1, "network": {"allow": ["a.example"]}}')
    assert not [row for row in missing(examined(world)) if row["about"] == "proxy"]
    folder = world.state / "proxy"
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o755)
    (row,) = [row for row in missing(examined(world, status=1)) if row["about"] == "proxy"]
    assert "other users have access to it" in row["text"] and "chmod 700" in row["fix"], row
    folder.chmod(0o700)
    assert not [row for row in missing(examined(world)) if row["about"] == "proxy"]


def test_an_invalid_policy_is_reported(world):
    world.init("--no-client-sandbox")
    world.write(world.policy, '{"version": 1, "wirte": {}}\n')
    rows = missing(examined(world, status=1))
    assert any("/wirte is not a known key" in row["text"] for row in rows), rows


def test_unenforceable_limits_are_reported(world):
    world.init("--no-client-sandbox")
    world.write(world.policy, '{"version": 1, "sandbox": {"io": "1M"}}\n')
    rows = examined(world)
    assert any(row["about"] == "sandbox" and row["health"] != "good" and "io" in row["text"]
               for row in rows), rows


def test_the_text_output_is_plain(world):
    world.init("--no-client-sandbox")
    done = world.run("doctor", "--hook", world.programs.hook, "--client", client(world, "2.1.330"))
    assert "ok      sandbox: " in done.stdout and "\033" not in done.stdout, done.stdout


def test_each_cause_is_reported_once(world):
    world.init()
    done = world.run("doctor", "--hook", world.programs.hook, cwd=world.home)
    assert done.returncode == 1, done.stdout
    assert done.stdout.count("is the home directory") == 1, done.stdout
