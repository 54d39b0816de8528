"""Limits that `ringfence init` sets in the client itself, and how other commands take them into
account: the client's own fence, its deny rules, and the home directory as a project.
"""

import json
import re
import shlex

from command_world import error_of, settings_of

READS = "blockReadsOutsideWorkingDirectories"
WRITES = "blockWritesOutsideWorkingDirectories"


def test_init_does_not_set_the_client_fence(world):
    world.init()
    permissions = settings_of(world.user)["permissions"]
    assert READS not in permissions and WRITES not in permissions, permissions


def test_client_fence_lists_its_costs(world):
    world.write(world.policy, '{"version": 1, "read": {"allow": [".", "~/src"]}}')
    for before in ("{}\n", '{"permissions": {"%s": false, "allow": ["Read"]}}' % READS):
        world.write(world.user, before)
        out = world.init("--client-fence")
        permissions = settings_of(world.user)["permissions"]
        assert permissions[READS] is True and permissions[WRITES] is True, permissions
        assert 'read.allow has "~/src", which the client now refuses' in out, out
        assert "17 of 31" in out and "EnterWorktree" in out, out
        assert "nothing was changed" in world.init("--client-fence")
        world.run("uninstall")
        assert world.user.read_text() == before


def test_a_second_init_removes_only_its_own_fence(world):
    for before, left in (("{}\n", {}), ('{"permissions": {"%s": true}}' % READS, {READS: True}),
                         ('{"permissions": {"%s": false}}' % READS, {READS: False})):
        world.write(world.user, before)
        world.init("--client-fence")
        out = world.init()
        permissions = settings_of(world.user)["permissions"]
        assert {key: value for key, value in permissions.items() if key in (READS, WRITES)} == left
        assert f"remove permissions.{WRITES}" in out, out
        assert "nothing was changed" in world.init()
        world.run("uninstall")
        assert world.user.read_text() == before
    # A value that the user has changed since belongs to the user.
    world.write(world.user, "{}\n")
    world.init("--client-fence")
    world.user.write_text(world.user.read_text().replace(f'"{READS}": true', f'"{READS}": false'))
    world.init()
    assert settings_of(world.user)["permissions"][READS] is False


def test_a_fence_of_an_older_init_is_removed(world):
    """The older init set the keys without being asked, and kept the same record."""
    world.init("--client-fence")
    record = json.loads((world.state / "registrations.json").read_text())["files"][0]
    assert {value["pointer"] for value in record["values"]} >= {
        "/permissions/" + READS, "/permissions/" + WRITES}, record
    world.init()
    assert READS not in settings_of(world.user)["permissions"]
    weakened = json.loads(world.run("check", "--json", "--hook", world.programs.hook).stdout)
    assert not [f for f in weakened["findings"] if f["code"] == "weakened"], weakened


def test_allow_explain_check_and_doctor_report_the_fence(world):
    world.write(world.home / "notes.txt", "x")
    look = ["--hook", world.programs.hook]

    def findings():
        found = json.loads(world.run("check", "--json", *look).stdout)["findings"]
        return [(f["severity"], f["where"]) for f in found if f["code"] == "client-fence"]

    def explained(*words):
        done = world.run("explain", "--json", *words)
        return done.returncode, json.loads(done.stdout)

    world.init("--no-client-sandbox")
    assert findings() == []
    out = world.run("allow", "--read", "~/notes.txt").stdout
    assert "client" not in out.replace("client's sandbox", ""), out
    assert explained("Read", "~/notes.txt")[0] == 0
    world.init("--no-client-sandbox", "--client-fence")
    world.write(world.home / "data/x", "x")
    for words in (("--read", "~/data/x"), ("/srv/data/new",)):
        out = world.run("allow", *words).stdout
        assert f"permissions.{READS} is true in ~/.claude/settings.json" in out, out
        assert "to lift that, run: ringfence init, and start the client again; or" in out, out
        assert "to permissions.additionalDirectories in ~/.claude/settings.json." in out, out
    # Commands could write to any directory added there.
    for path in ("~/notes.txt", "/etc/hosts", "/tmp/foo.txt", "/srv/new"):
        out = world.run("allow", "--read", path).stdout
        assert "to lift that, run: ringfence init, and start the client again." in out, out
        assert "additionalDirectories" not in out, out
    status, said = explained("Read", "~/notes.txt")
    assert status == 1 and said["verdict"] == "permit", said
    assert said["client"]["fix"].startswith("run: ringfence init, and start"), said
    text = world.run("explain", "Read", "/etc/hosts").stdout
    assert "the client itself refuses it: permissions." in text, text
    assert "client" not in explained("Read", "in.txt")[1]
    assert "cannot analyze" in world.run("explain", "Bash", "ls").stdout
    assert ("warning", "~/.claude/settings.json") in findings(), findings()
    doctor = world.run("doctor", *look).stdout
    assert f"permissions.{READS} is true" in doctor, doctor
    # The setting applies in any file, no matter who made it.
    world.init("--no-client-sandbox")
    assert findings() == [] and explained("Read", "~/notes.txt")[0] == 0
    for name in ("settings.json", "settings.local.json"):
        path = world.write(world.project / ".claude" / name,
                           json.dumps({"permissions": {READS: True}}))
        status, said = explained("Read", "~/notes.txt")
        assert status == 1 and said["client"]["file"] == str(path), said
        assert said["client"]["fix"].startswith(f"take it out of {path}, and start"), said
        assert str(path) in world.run("allow", "--read", "/etc/hosts").stdout
        assert findings() == [("warning", str(path))], findings()
        world.write(path, json.dumps({"permissions": {
            READS: True, "additionalDirectories": [str(world.home)]}}))
        assert explained("Read", "~/notes.txt")[0] == 0
        path.unlink()


# Files that the client reads for @path in a prompt, without a hook.

def rules_of(path):
    return settings_of(path).get("permissions", {}).get("deny", [])


def test_init_denies_mentions_of_secrets(world):
    own = '{"permissions": {"deny": ["WebSearch", "Read(~/.ssh)"], "ask": []}}'
    for before in ("{}\n", own, '{ "model" : "x" }'):
        world.policy.unlink(missing_ok=True)
        world.write(world.user, before)
        world.init()
        rules = rules_of(world.user)
        for rule in ("Read(~/.ssh)", "Read(~/.aws)", "Read(//etc/shadow)", "Read(~/.netrc)"):
            assert rules.count(rule) == 1, (rule, rules)
        assert not [rule for rule in rules if ".claude/projects" in rule], rules
        assert "nothing was changed" in world.init()
        world.run("uninstall")
        assert world.user.read_text() == before, world.user.read_text()


def test_the_rules_follow_the_policy(world):
    system = ["Read(//etc/ssl/private)", "Read(//etc/ssh/ssh_host_*_key)", "Read(//var/lib/private)"]
    written = ("Read(~/private)", "Read(//**/.env)", "Read(//srv/closed)", "k/*.key", "inside")

    def own():
        # The built-in policy's rules are added, unless the list is empty.
        return [rule for rule in rules_of(world.user)
                if rule in system or any(text in rule for text in written)]

    world.init()
    assert own() == system, own()
    for deny, rules in ((["~/private", "**/.env", "k/*.key", "inside"],
                         ["Read(~/private)", "Read(//**/.env)"]),
                        (["/srv/closed"], ["Read(//srv/closed)"]), ([], [])):
        world.write(world.policy, json.dumps({"version": 1, "read": {"deny": deny}}))
        world.init()
        assert sorted(own()) == sorted(rules + (system if deny else [])), (deny, own())


def test_a_stale_rule_is_explained(world):
    world.write(world.home / "private/x", "x")
    world.write(world.policy, '{"version": 1, "read": {"allow": [".", "~/private"], "deny": ["~/private"]}}')
    world.init()
    world.write(world.policy, '{"version": 1, "read": {"allow": [".", "~/private"]}}')
    done = world.run("explain", "Read", "~/private/x")
    assert done.returncode == 1 and 'permissions.deny has "Read(~/private)"' in done.stdout, done
    assert "run: ringfence init" in done.stdout, done
    world.init()
    assert world.run("explain", "Read", "~/private/x").returncode == 0


def test_shared_settings_do_not_name_a_custom_configuration_directory(world):
    folder = world.base / "config"
    env = {"CLAUDE_CONFIG_DIR": str(folder)}
    world.init(env=env)
    deny = settings_of(folder / "settings.json")["permissions"]["deny"]
    assert f"Read(/{folder}/.credentials.json)" in deny, deny
    world.init("--project", env=env)
    shared = settings_of(world.project / ".claude/settings.json")["permissions"]["deny"]
    assert "Read(~/.ssh)" in shared and str(folder) not in json.dumps(shared), shared


def test_removing_a_rule_of_init_is_a_weakening(world):
    world.write(world.user, '{"permissions": {"deny": ["WebSearch"]}}')
    world.init()
    text = world.user.read_text()

    def weakened():
        found = json.loads(world.run("check", "--json", "--hook", world.programs.hook).stdout)
        return [f["what"] for f in found["findings"] if f["code"] == "weakened"]

    world.user.write_text(text.replace('"WebSearch",', "").replace('"WebSearch"', '"X"'))
    assert weakened() == [], weakened()
    world.user.write_text(text.replace('"Read(~/.ssh)"', '"Read(~/.other)"'))
    assert 'no longer has "Read(~/.ssh)"' in weakened()[0], weakened()


def test_the_proof_of_init_works_with_any_policy(world):
    """The proof asks for a path that this policy permits, and for nothing if it permits no read."""
    world.write(world.project / ".ringfence/policy.json", '{"version": 1, "read": {"allow": ["src"]}}')
    assert "pass" in world.init()
    world.write(world.policy, '{"version": 1, "tools": {"allow": ["Bash"]}}')
    assert "Proof: the registered command denied" in world.init()


# The home directory as a project.

def decided(world, start, path):
    event = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(start),
             "tool_name": "Write", "tool_input": {"file_path": str(path), "content": ""}}
    entry = settings_of(world.user)["hooks"]["PreToolUse"][0]["hooks"][0]
    return world.start([entry["command"], *entry["args"]], stdin=json.dumps(event),
                       env={"HOME": str(world.home), "CLAUDE_PROJECT_DIR": str(start)})


def test_root_makes_the_home_a_project(world):
    project = world.home / "dev/project"
    project.mkdir(parents=True)
    world.init(cwd=world.home)
    done = decided(world, world.home, world.home / "new.txt")
    assert done.returncode == 2 and f"ringfence init --root {world.home}" in done.stderr, done
    out = world.init("--root", world.home, cwd=world.home)
    assert "refuses every call" not in out, out
    entry = settings_of(world.user)["hooks"]["PreToolUse"][0]["hooks"][0]
    assert entry["args"] == ["--home", str(world.home), "--root", str(world.home)], entry
    done = decided(world, world.home, world.home / "new.txt")
    assert done.returncode == 0 and "deny" not in done.stdout, done
    for name in (".ssh/id", ".claude/settings.json", ".config/ringfence/policy.json"):
        assert '"deny"' in decided(world, world.home, world.home / name).stdout, name
    # The other project gets no wider.
    assert '"deny"' in decided(world, project, world.home / "new.txt").stdout
    assert "deny" not in decided(world, project, project / "new.txt").stdout
    look = ["--hook", world.programs.hook]
    for folder, told in ((world.home, world.home), (project, project)):
        rows = json.loads(world.run("doctor", "--json", *look, cwd=folder).stdout)["rows"]
        assert any(f'project "{told}"' in row["text"] for row in rows), (folder, rows)
    assert "nothing was changed" in world.init("--root", world.home, cwd=project)
    assert world.init(cwd=project) and len(settings_of(world.user)["hooks"]["PreToolUse"]) == 1


def test_a_registered_root_replaces_the_project(world):
    other = world.base / "other"
    other.mkdir()
    world.init("--root", other)
    assert '"deny"' in decided(world, world.project, world.project / "x").stdout
    assert "deny" not in decided(world, world.project, other / "x").stdout
    error_of(world.run("init", "--root", world.base / "none"), 2, "does not exist")


# Hints of check, doctor and the hook about a registration.

def codes_of(world):
    found = json.loads(world.run("check", "--json", "--hook", world.programs.hook).stdout)
    return {f["code"] for f in found["findings"] if f["severity"] == "error"}


def test_init_repairs_a_wrong_registration(world):
    world.init("--no-client-sandbox")
    sound = codes_of(world)
    text = world.user.read_text()
    for old, new, code in (('"onFailure": "block"', '"onFailure": "continue"', "on-failure"),
                           ('"--home"', '"--hoem"', "wrong-options"),
                           ('"args": [', '"args": ["--trial", ', "wrong-options"),
                           ('"args": [', '"args": ["--plugin", ', "wrong-options")):
        assert old in text, text
        world.user.write_text(text.replace(old, new))
        assert code in codes_of(world), (new, codes_of(world))
        world.init("--no-client-sandbox")
        assert codes_of(world) == sound, (new, codes_of(world))
        assert world.user.read_text() == text


def hints_to_register(world, *_):
    """The commands that check and doctor suggest; both suggest the same."""
    look = ("--json", "--hook", world.programs.hook)
    found = json.loads(world.run("check", *look).stdout)["findings"]
    rows = json.loads(world.run("doctor", *look).stdout)["rows"]
    hints = [{match[1] for text in texts for match in [re.match(r"register it(?: again)?: (.*)", text)]
              if match} for texts in ([f.get("hint", "") for f in found], [row.get("fix", "") for row in rows])]
    assert hints[0] == hints[1], hints
    return hints[0]


def test_the_suggested_init_registers_in_the_same_file(world):
    project = shlex.quote(str(world.project))
    for layer, file in (((), world.user), (("--project",), world.project / ".claude/settings.json"),
                        (("--local",), world.project / ".claude/settings.local.json")):
        options = ("--profile", "p q")
        world.write(world.policy, '{"version": 1, "profiles": {"p q": {}}}')
        init = (*layer, *((".",) if layer else ()))
        place = f" {layer[0]} {project}" if layer else ""
        world.init("--no-client-sandbox", *init, *options)
        assert hints_to_register(world) == set(), layer
        whole = file.read_text()
        settings = settings_of(file)
        for entry in [entry for group in settings["hooks"]["PreToolUse"] for entry in group["hooks"]]:
            entry["timeout"] = 999
        del settings["hooks"]["ConfigChange"]
        file.write_text(json.dumps(settings))
        assert hints_to_register(world) == {f"ringfence init{place} --profile 'p q'"}, layer
        file.write_text("{}")  # the options are gone with the registration
        assert hints_to_register(world) == {f"ringfence init{place}"}, layer
        for command in (f"ringfence init{place}", f"ringfence init{place} --profile 'p q'"):
            words = shlex.split(command)[1:] + ["--no-client-sandbox"]
            assert world.run(*words).returncode == 0, words
            assert hints_to_register(world) == set(), (layer, command)
        assert settings_of(file) == json.loads(whole), layer
        world.run("uninstall", "--all")


def test_check_of_one_file_suggests_its_layer(world):
    world.init("--local", ".", "--no-client-sandbox")
    file = world.project / ".claude/settings.local.json"
    file.write_text(file.read_text().replace('"onFailure": "block"', '"onFailure": "continue"'))
    done = world.run("check", file, "--hook", world.programs.hook, cwd=world.home)
    assert f"register it again: ringfence init --local {world.project}\n" in done.stdout, done


def test_init_recreates_a_missing_policy(world):
    policy = world.base / "own.json"
    world.init("--policy", policy)
    policy.unlink()
    assert "no-policy" in codes_of(world), codes_of(world)
    done = decided(world, world.project, world.project / "x")
    assert done.returncode == 2 and "ringfence init" in done.stderr, done
    world.init()
    assert "no-policy" not in codes_of(world), codes_of(world)
    assert decided(world, world.project, world.project / "x").returncode == 0


def test_init_disables_the_second_sandbox(world):
    world.write(world.user, '{"sandbox": {"enabled": true}}')
    world.write(world.policy, '{"version": 1, "bash": {"wrap": true}}')
    world.run("init", "--dry-run")
    before = world.user.read_text()
    world.init()
    assert settings_of(world.user)["sandbox"]["enabled"] is False, world.user.read_text()
    assert "two-sandboxes" not in codes_of(world)
    world.user.write_text(world.user.read_text().replace('"enabled": false', '"enabled": true'))
    assert "two-sandboxes" in codes_of(world)
    world.init()
    assert "two-sandboxes" not in codes_of(world)
    world.run("uninstall")
    assert world.user.read_text() == before
