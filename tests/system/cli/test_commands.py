"""Runs the other commands of the built `ringfence`, in a separate home: allow, trust, explain,
and behaviour common to all commands.
"""

import hashlib
import json
import os
import pwd
import re
import shlex
import shutil
import stat
import subprocess
import tempfile

import pytest

from command_world import error_of
from repository import ROOT
from terminal_session import TerminalSession

# A command in a text, not the word in a sentence.
SUGGESTED = re.compile(r"(?:`|: |run:? |see |with |and |by |^  |\\n  )ringfence ([a-z]+)\b((?: --[a-z-]+)*)")


class Typed(TerminalSession):
    """Runs a command as an interactive user does."""

    def __init__(self, world, *arguments):
        world.environment = {"PATH": "/usr/bin:/bin", "TERM": "dumb", "HOME": str(world.home)}
        super().__init__([world.programs.ringfence, *arguments, "--home", str(world.home)], world)


def test_allow_adds_to_the_users_policy(world):
    (world.home / "src").mkdir()
    out = world.run("allow", world.home / "src", "--read").stdout
    assert out.startswith('Added "~/src" to read.allow of ~/.config/ringfence/policy.json'), out
    text = world.policy.read_text()
    assert '"allow": [".", "@claude-scratch", "@toolchains", "~/src"]' in text and "// " in text
    before = world.snapshot()
    assert "nothing was changed" in world.run("allow", world.home / "src", "--read").stdout
    assert world.snapshot() == before


def test_allow_says_that_a_missing_name_becomes_a_folder(world):
    (world.home / "src").mkdir()
    assert "creates a directory" in world.run("allow", "~/src/new").stdout
    for more in (("~/src",), ("~/src/other/",), ("~/src/read", "--read"), ("~/src/*.c",)):
        done = world.run("allow", *more)
        assert done.returncode == 0 and "creates a directory" not in done.stdout, (more, done)


def test_explain_protects_the_audit_log_that_the_policy_names(world):
    log = world.home / "log/audit.jsonl"
    world.write(world.policy, json.dumps({
        "version": 1, "write": {"allow": ["~/log"]}, "audit": {"file": str(log)}}))
    out = world.run("explain", "Write", log).stdout
    assert "audit log" in out, out


def test_allow_keeps_the_defaults_that_a_new_list_replaces(world):
    world.write(world.policy, '{ "version": 1 } // mine\n')
    world.run("allow", "/srv/data")
    assert world.policy.read_text() == (
        '{ "version": 1, "read": { "allow": [".", "@claude-scratch", "/srv/data"] }, '
        '"write": { "allow": [".", "@claude-scratch", "/srv/data"] } } // mine\n'), world.policy.read_text()


def test_allow_prefers_the_projects_policy_once_it_is_trusted(world):
    policy = world.write(world.project / ".ringfence/policy.json", '{"version": 1}\n')
    out = world.run("allow", "/srv/data").stdout
    assert "not trusted" in out and world.policy.exists(), out
    assert policy.read_text() == '{"version": 1}\n'
    world.trust()
    out = world.run("allow", "/opt/data", "--ask", cwd=world.project).stdout
    assert "trusted again" in out, out
    assert '"ask": ["/opt/data"]' in policy.read_text()
    assert json.loads(world.run("trust", "--list", "--json").stdout)["trusted"][0]["state"] == "trusted"


def test_allow_of_hosts_and_tools(world):
    # Without a "network" section no host is denied, and creating one would deny all others.
    out = world.run("allow", "registry.example").stdout
    assert "permitted already" in out and '"network"' in out and not world.policy.exists(), out
    assert world.run("explain", "other.example").returncode == 0
    world.write(world.policy, '{"version": 1, "network": {"deny": ["x.example"]}}')
    assert world.run("explain", "registry.example").returncode == 1
    world.run("allow", "registry.example")
    world.run("allow", "*.b.example:443")
    world.run("allow", "mcp__team__*")
    world.run("allow", "mcp__other__x", "--ask")
    text = world.policy.read_text()
    assert '"allow": ["@agent-hosts", "registry.example", "*.b.example:443"]' in text, text
    assert '"allow": ["@known-tools", "mcp__team__*"]' in text, text
    assert world.run("explain", "Bash", "ls").returncode == 0
    assert '"ask": ["mcp__other__x"]' in text
    assert "permitted already" in world.run("allow", "Read").stdout
    assert world.run("explain", "registry.example").returncode == 0


def test_a_name_that_may_be_a_file_is_not_taken_for_a_host(world):
    world.write(world.policy, '{"version": 1, "network": {"allow": ["@agent-hosts"]}}')
    before = world.policy.read_text()
    for name in ("notes.md", "main.rs", "foo.py", "setup.sh", "data.zip", "README.md", "x.test.ts"):
        error_of(world.run("allow", name), 2, "--as host", "--as path")
        error_of(world.run("revoke", name), 2, "--as host", "--as path")
    assert world.policy.read_text() == before
    (world.project / "notes.md").write_text("x")
    assert "permitted already" in world.run("allow", "notes.md").stdout
    assert 'Added "main.rs" to network.allow' in world.run("allow", "main.rs", "--as", "host").stdout
    assert 'Added "crates.io" to network.allow' in world.run("allow", "crates.io").stdout
    out = world.run("allow", "new.md", "--as", "path", cwd=world.home).stdout
    assert 'Added "~/new.md" to read.allow and write.allow' in out, out


def test_allow_asks_before_it_opens_the_home_or_more(world):
    for what in ("/", "~", "~/", "/*", "~/**", str(world.home.parent), "/tmp", "/[!x]*", "/h*/*", "/hom*"):
        error_of(world.run("allow", what), 1, "would open every file", "--yes")
    for what in ("~/.*", "~/[!s]*", "~/**/*.md"):
        error_of(world.run("allow", what), 1, "would open many files of the home directory", "--yes")
    for what in ("*", "**"):
        error_of(world.run("allow", what, "--as", "tool"), 1, "every tool", "--yes")
    error_of(world.run("allow", "/", "--json"), 1, "--yes")
    assert not world.policy.exists()
    with Typed(world, "allow", "~") as user:
        user.wait("Allow it? [y/N] ")
        user.say("\r", "Nothing was changed")
        assert user.status() == 1
    assert not world.policy.exists()
    with Typed(world, "allow", "~") as user:
        user.wait("every file of the home directory for reading and writing")
        user.wait("Allow it? [y/N] ")
        user.say("\x03", "Nothing was changed")
        assert user.status() == 1
    with Typed(world, "allow", "~", "--read") as user:
        user.wait("Allow it? [y/N] ")
        user.say("y\r", 'Added "~" to read.allow')
        assert user.status() == 0
    assert 'Added "/" to read.allow' in world.run("allow", "/", "--read", "--yes").stdout


def test_allow_asks_before_it_opens_what_the_machine_shares(world):
    for what in ("/usr", "/var", "/etc", "/opt", "/bin", "/usr/lib", "/us*"):
        error_of(world.run("allow", what), 1, "which all of this machine shares, for reading and writing", "--yes")
    error_of(world.run("allow", "@toolchains"), 1, "this would open every place of @toolchains", "--yes")
    own = pwd.getpwuid(os.geteuid()).pw_dir
    if own != str(world.home):
        error_of(world.run("allow", own), 1, "the home directory", "for reading and writing", "--yes")
    other = "/root" if own != "/root" else "/home/other"
    error_of(world.run("allow", other), 1, "another user's home, for reading and writing", "--yes")
    error_of(world.run("allow", other, "--read"), 1, "another user's home, for reading", "--yes")
    assert not world.policy.exists()
    for words in (("--read", "/var"), ("--read", "@tmp"), ("/opt/thing",), ("/usr/local/thing",), ("/home/other/shared",)):
        done = world.run("allow", *words)
        assert done.returncode == 0 and "Added " in done.stdout, (words, done)
    assert 'Added "/opt" to' in world.run("allow", "/opt", "--yes").stdout


def test_allow_writes_the_home_by_either_name(world):
    link = world.base / "link"
    link.symlink_to(world.home)
    (world.home / "lib").mkdir()

    def run(*words):
        return world.start([world.programs.ringfence, *words, "--home", link])
    for name in ("~/lib", str(link / "lib"), str(world.home / "lib")):
        out = run("allow", "--read", name).stdout
        assert 'Added "~/lib" to read.allow of' in out, (name, out)
        out = run("revoke", name).stdout
        assert 'Removed "~/lib"' in out, (name, out)
    for name in ("~", str(world.home)):
        error_of(run("allow", name), 1, "the home directory", "--yes")


def test_allow_says_what_works_beside_what_is_protected(world):
    (world.home / ".claude").mkdir()
    (world.home / ".claude/settings.json").write_text("{}")
    holds = "Hint: name what you need in it, or for reading alone, add --read; nothing was changed"
    for what, hint in (("~/.claude", holds), ("~/.local", holds),
                       ("/etc/ringfence", "Hint: for reading alone, add --read; nothing was changed")):
        error_of(world.run("allow", what), 1, "no policy can change that", hint)
        assert world.run("allow", what, "--read").returncode == 0, what
    assert world.run("allow", "~/.claude/other").returncode == 0
    for what in ("/dev/sda", "/proc/1"):
        assert "Hint" not in error_text(world, "allow", what), what
    assert "Hint" in error_text(world, "allow", "~/.ssh")


def error_text(world, *words):
    done = world.run(*words)
    assert done.returncode == 1, done
    return done.stderr


def test_revoke_is_the_inverse_of_allow(world):
    (world.home / "src").mkdir()
    world.run("allow", "~/first")
    world.write(world.policy, world.policy.read_text() + "// the end\n")
    before = world.policy.read_text()
    for arguments in (("~/src",), ("~/src", "--read"), ("~/src", "--ask"), ("mcp__team__*",),
                      ("~/src/*.c",), ("@tmp",)):
        assert world.run("allow", *arguments, "--yes").returncode == 0, arguments
        assert world.policy.read_text() != before, arguments
        done = world.run("revoke", *arguments)
        assert done.returncode == 0 and done.stdout.startswith("Removed "), (arguments, done)
        assert world.policy.read_text() == before, arguments
    world.write(world.policy, '{"version": 1, "network": {"allow": ["a.example"]}}\n')
    before = world.policy.read_text()
    world.run("allow", "https://b.example/x")
    assert 'Removed "b.example" from network.allow' in world.run("revoke", "b.example").stdout
    assert world.policy.read_text() == before


def test_revoke_leaves_what_could_be_read_by_default(world):
    world.run("allow", "~/first")  # which writes the starter policy
    before = world.policy.read_text()
    assert 'Added "@toolchains" to write.allow' in world.run("allow", "@toolchains", "--yes").stdout
    out = world.run("revoke", "@toolchains").stdout
    assert 'Removed "@toolchains" from write.allow of' in out and "revoke --read" in out, out
    assert world.policy.read_text() == before
    assert "from read.allow of" in world.run("revoke", "--read", "@toolchains").stdout


def test_allow_takes_the_clients_name_of_a_server_for_all_its_tools(world):
    out = world.run("allow", "mcp__fs").stdout
    assert 'Added "mcp__fs__*" to tools.allow' in out and '"mcp__fs" was taken as' in out, out
    assert world.run("explain", "mcp__fs__read_file", "{}").returncode == 0
    assert 'Removed "mcp__fs__*"' in world.run("revoke", "mcp__fs").stdout
    world.write(world.policy, '{"version": 1, "tools": {"allow": ["Read", "mcp__fs"]}}')
    out = world.run("check", "--policy", world.policy).stdout
    assert 'are "mcp__fs__*"' in out and "unknown-tool" in out, out
    assert 'Removed "mcp__fs" from' in world.run("revoke", "mcp__fs").stdout


def test_allow_asks_before_it_opens_the_folder_of_the_project(world):
    project = world.home / "src/shop"
    project.mkdir(parents=True)
    (world.home / "src/sibling").mkdir()
    error_of(world.run("allow", "..", cwd=project), 1, "which holds this project", "--yes")
    error_of(world.run("allow", "..", "--read", cwd=project), 1, "for reading", "--yes")
    assert not world.policy.exists()
    assert "Added " in world.run("allow", "../sibling", cwd=project).stdout
    assert "Added " in world.run("allow", "..", "--read", "--yes", cwd=project).stdout


def test_allow_names_init_only_for_what_init_carries_over(world):
    world.run("init", "--no-client-sandbox")
    for words, is_told in ((("~/a", "--read"), False), (("~/b", "--ask"), False), (("~/c",), True)):
        out = world.run("allow", *words).stdout
        assert ("ringfence init" in out) == is_told, (words, out)
    world.run("uninstall")
    world.run("init", "--no-client-sandbox", "--local", ".")
    init = f"ringfence init --local {world.project}"
    out = world.run("allow", "~/d").stdout
    assert f"; {init} carries the entry over" in out, out
    out = world.run("revoke", "~/d").stdout
    assert "Removed" in out and "keep it" not in out, out  # never carried over
    world.run("allow", "~/d")
    world.init("--local", ".")
    if '"~/d"' not in (world.project / ".claude/settings.local.json").read_text():
        pytest.skip("the client's sandbox cannot work here")
    out = world.run("revoke", "~/d").stdout
    assert f"keep it until {init} takes it out" in out, out


def test_allow_of_a_pattern_looks_at_what_it_matches(world):
    world.run("allow", "~/first")  # which writes the starter policy
    before = world.policy.read_text()
    for words, told in ((("src/*",), '"src/*" is permitted already'),
                        (("**/*.txt", "--read"), "is permitted already"),
                        (("--as", "path", "*.log"), "is permitted already")):
        assert told in world.run("allow", *words).stdout, words
    error_of(world.run("allow", "~/.ssh/*"), 1, "does not lift this denial", "@secrets")
    error_of(world.run("allow", "--read", "**/.env"), 1, "does not remove this question", "@dotenv",
             "change that rule instead")
    error_of(world.run("allow", "--read", ".env"), 1, "@dotenv", "change that rule instead")
    error_of(world.run("allow", "*.log"), 2, "could be a file or a host", "--as path or --as host")
    assert world.policy.read_text() == before
    for pattern in ("~/other/*", "~/other/[ab]?.txt"):
        assert "Added " in world.run("allow", pattern).stdout, pattern
        assert "Removed " in world.run("revoke", pattern).stdout, pattern
        assert world.policy.read_text() == before, pattern


def registered_hook(world, event, start):
    """The answer of the hook as registered by the settings there."""
    for file in (world.user, start / ".claude/settings.local.json"):
        if file.exists():
            entry = json.loads(file.read_text())["hooks"]["PreToolUse"][0]["hooks"][0]
    return world.start([entry["command"], *entry["args"]], stdin=json.dumps(event),
                       env={"HOME": str(world.home), "CLAUDE_PROJECT_DIR": str(start)}).stdout


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


def test_a_fix_for_a_trusted_project_works_in_any_directory(world):
    shop = world.home / "my src/shop"
    world.write(shop / ".ringfence/policy.json", '{"version": 1, "read": {"allow": ["."]}}')
    world.trust(shop)
    for name, options in (("~/notes.md", ["--read"]), ("mcp__team__send", [])):
        call = ["Read", name] if options else [name, "{}"]
        told = json.loads(world.run("explain", "--json", *call, cwd=shop).stdout)["reason"]
        words = shlex.split(re.search("`ringfence (.*?)`", told)[1])
        assert words[:3] == ["allow", "--project", "~/my src/shop"], told
        done = world.run(*words, cwd=world.home)
        assert done.returncode == 0 and "trusted again" in done.stdout, done
        assert world.run("explain", *call, cwd=shop).returncode == 0, call


def test_explain_names_the_session_that_may(world):
    world.run("allow", "--session-id", "s-1", "/srv/x")
    done = world.run("explain", "Read", "/srv/x")
    assert done.returncode == 1 and "the session s-1 may, by ringfence allow --session" in done.stdout, done
    assert world.run("explain", "Read", "/srv/x", "--session-id", "s-1").returncode == 0
    assert "the session" not in world.run("explain", "Read", "/srv/y").stdout


def test_explain_takes_the_command_of_a_shell(world):
    world.write(world.policy, '{"version": 1, "network": {"allow": ["@agent-hosts"]}}')
    for tool in ("Bash", "Monitor", "PowerShell"):
        assert world.run("explain", tool, "npm test").returncode == 0, tool


def test_explain_of_a_denied_name_ends_there(world):
    key = world.home / ".ssh/id_rsa"
    out = world.run("explain", "Read", key).stdout
    assert 'denied by "@secrets"' in out and f'ends at "{key}"' in out, out


def test_explain_of_a_misspelt_tool_names_the_one_that_was_meant(world):
    done = world.run("explain", "Raed", "/etc/hosts")
    assert done.returncode == 1 and 'did you mean "Read"?' in done.stdout, done
    assert "ringfence allow" not in done.stdout, done
    done = world.run("explain", "Frobnicate", "/etc/hosts")
    assert "did you mean" not in done.stdout and "ringfence allow" in done.stdout, done


def test_revoke_finds_a_name_that_says_nothing(world):
    world.run("allow", "~/first")
    before = world.policy.read_text()
    for kind, name in (("tool", "Frobnicate"), ("host", "intranet")):
        world.run("allow", "--as", kind, name)
        if kind == "host":  # without "network" no host is denied
            world.write(world.policy, before.replace(
                '"version": 1,', '"version": 1, "network": {"allow": ["@agent-hosts", "intranet"]},'))
        out = world.run("revoke", name).stdout
        assert f'Removed "{name}" from ' in out, out
    error_of(world.run("revoke", "Frobnicate"), 2, "neither a host nor a known tool")


def test_revoke_says_that_the_clients_tools_are_refused(world):
    world.write(world.policy, '{"version": 1, "tools": {"allow": ["@known-tools", "mcp__a__b"]}}')
    out = world.run("revoke", "@known-tools").stdout
    assert "own tools are refused now" in out, out
    assert world.run("explain", "Glob", '{"pattern": "*.c"}').returncode == 1
    world.run("allow", "@known-tools")
    assert world.run("explain", "Glob", '{"pattern": "*.c"}').returncode == 0


def test_revoke_says_that_a_question_is_gone(world):
    world.run("allow", "~/first")
    out = world.run("revoke", "@dotenv").stdout
    assert 'tools no longer ask about "@dotenv": what the policy allows there is permitted' in out, out
    world.run("allow", "--ask", "--as", "path", "notes")
    out = world.run("revoke", "--ask", "--as", "path", "notes").stdout
    assert "still permitted" in out and "no longer ask" not in out, out


def test_explain_suggests_nothing_against_a_rule_of_the_clients_that_is_not_alone(world):
    world.run("init", "--no-client-sandbox")
    secret = world.home / ".ssh/id_rsa"
    done = world.run("explain", "Read", secret)
    assert "the client itself refuses it" in done.stdout and "lift" not in done.stdout, done
    assert "fix" not in json.loads(world.run("explain", "Read", secret, "--json").stdout)["client"]


def test_revoke_says_what_still_permits_it(world):
    (world.home / "src/lib").mkdir(parents=True)
    world.run("allow", "~/src")
    world.run("allow", "~/src/lib")  # is permitted already
    error_of(world.run("revoke", "~/src/lib"), 1, "no entry of its own", '"~/src"', "/read/allow")
    text = world.policy.read_text().replace('"~/src"]', '"~/src", "~/src/lib"]')
    world.write(world.policy, text)
    out = world.run("revoke", "~/src/lib").stdout
    assert "Removed" in out and 'reading it is still permitted by "~/src"' in out, out
    assert "writing it is still permitted by" in out and "/write/allow" in out, out
    out = world.run("revoke", "~/src").stdout
    assert "still" not in out and read_of(world, world.home / "src/x", "one") == "deny", out
    assert "nothing was changed" in world.run("revoke", "~/src").stdout
    error_of(world.run("revoke", "WebFetch"), 1, "still permitted by default", '"deny"')
    error_of(world.run("revoke", world.project), 1, '"."')
    world.write(world.policy, '{"version": 1, "read": {"allow": ["~/src"]}}')
    error_of(world.run("revoke", "~/src"), 2, "only entry", "edit the file")
    assert json.loads(world.run("revoke", "~/other", "--json").stdout)["entries"] == []


def test_revoke_says_what_permits_the_project_and_what_is_built_in(world):
    done = world.run("revoke", ".")
    error_of(done, 1, '".": is the project itself', 'permitted by the built-in list, by "."',
             "counts in place of the built-in one; nothing was changed")
    assert "no entry of its own" not in done.stderr, done
    world.run("allow", "~/first")  # which writes the starter policy
    done = world.run("revoke", ".")
    error_of(done, 1, '".": is the project itself', "~/.config/ringfence/policy.json",
             "that rule is about every project: change that rule if you mean it")
    assert "built-in" not in done.stderr and "no entry of its own" not in done.stderr, done
    # The user's own list that the hint mentions.
    world.write(world.policy, '{"version": 1, "read": {"allow": ["src"]}, "write": {"allow": ["src"]}}')
    assert "nothing was changed" in world.run("revoke", ".").stdout


def test_notes_on_the_clients_sandbox_are_about_what_init_writes(world):
    world.write(world.policy, json.dumps({"version": 1, "write": {"allow": ["."]},
                                          "network": {"allow": ["b.example"]}}))
    world.init()
    for what in ("@claude-scratch", "~/src/*.c", "mcp__team__*"):
        out = world.run("allow", what).stdout
        assert "Added" in out and "client's sandbox" not in out, out
        out = world.run("revoke", what).stdout
        assert "Removed" in out and "client's sandbox" not in out, out
    for what in ("a.example", "~/.npm"):
        out = world.run("allow", what).stdout
        assert "ringfence init carries the entry over" in out, out
        out = world.run("revoke", what).stdout  # never carried over
        assert "Removed" in out and "client's sandbox" not in out, out
    for what in ("a.example", "~/.npm"):
        world.run("allow", what)
        world.init()
        if f'"{what}"' not in world.user.read_text():
            pytest.skip("the client's sandbox cannot work here")
        out = world.run("revoke", what).stdout
        assert "keep it until ringfence init takes it out of their list" in out, out
        world.init()
        assert f'"{what}"' not in world.user.read_text()


def test_revoke_changes_the_policy_that_has_it(world):
    world.run("allow", "/srv/user")
    policy = world.write(world.project / ".ringfence/policy.json", '{"version": 1} // ours\n')
    world.trust()
    before = policy.read_text()
    world.run("allow", "/srv/project", "--read")
    assert policy.read_text() != before
    out = world.run("revoke", "/srv/project").stdout
    assert "trusted again" in out and policy.read_text() == before, out
    assert world.run("trust", "--list").stdout.startswith("trusted")
    out = world.run("revoke", "/srv/user").stdout
    assert "~/.config/ringfence/policy.json" in out and "/srv" not in world.policy.read_text(), out
    other = world.write(world.base / "other.json", '{"version": 1}\n')
    world.run("allow", "/srv/x", "--policy", other)
    assert "/srv/x" in other.read_text()
    world.run("revoke", "/srv/x", "--policy", other)
    assert other.read_text() == '{"version": 1}\n'


def test_revoke_of_what_was_allowed_for_a_session(world):
    assert read_of(world, "/srv/s/x", "one") == "deny"
    world.run("allow", "/srv/s", "--read", "--session")
    assert read_of(world, "/srv/s/x", "one") == "permit"
    out = world.run("revoke", "/srv/s", "--session").stdout
    assert "sessions/one.json" in out, out
    assert read_of(world, "/srv/s/x", "one") == "deny"


def write_of(world, path, session):
    event = {"hook_event_name": "PreToolUse", "session_id": session, "cwd": str(world.project),
             "tool_name": "Write", "tool_input": {"file_path": str(path), "content": ""}}
    done = world.start([world.programs.hook], json.dumps(event),
                       env={"HOME": str(world.home), "CLAUDE_PROJECT_DIR": str(world.project)})
    return "deny" if '"deny"' in done.stdout else "permit"


def test_revoke_names_the_session_that_still_may(world):
    def suggested(text):
        return [shlex.split(found)[1:] for found in re.findall(r"(ringfence revoke .*?) takes that back", text)]

    world.run("allow", "~/first")
    odd = world.base / "it's [odd]"
    odd.mkdir()
    for allowed, named, path in (("/srv/tmp.AbC123", "/srv/tmp.AbC123", "/srv/tmp.AbC123/x"),
                                 ("/srv/wide", "/srv/wide/part", "/srv/wide/part/x"),
                                 (str(odd), str(odd), odd / "x")):
        assert world.run("allow", "--session-id", "s-1", allowed).returncode == 0
        assert write_of(world, path, "s-1") == "permit", path
        assert write_of(world, path, "s-2") == "deny", path
        done = world.run("revoke", named)
        error_of(done, 1, "has no entry of its own in ~/.config/ringfence/policy.json",
                 "the session s-1 still may, by ringfence allow --session", "nothing was changed")
        (words,) = suggested(done.stderr)
        done = world.run(*words)
        assert done.returncode == 0 and "sessions/s-1.json" in done.stdout, (words, done)
        assert write_of(world, path, "s-1") == "deny", words
        assert "nothing was changed" in world.run("revoke", named).stdout
    # The session may do more than the policy allows all sessions.
    assert world.run("allow", "--session-id", "s-1", "/etc/thing").returncode == 0
    world.run("allow", "--read", "/etc")
    done = world.run("revoke", "/etc/thing")
    error_of(done, 1, 'reading it is still permitted by "/etc"', "the session s-1 still may")
    (words,) = suggested(done.stderr)
    assert world.run(*words).returncode == 0 and write_of(world, "/etc/thing", "s-1") == "deny"
    # The same with an entry in the policy as well, for reading only, and for hosts and tools.
    world.run("allow", "/srv/both", "--session-id", "s-1")
    world.run("allow", "/srv/both", "--read")
    out = world.run("revoke", "/srv/both").stdout
    assert out.startswith("Removed ") and "Note: the session s-1 still may" in out, out
    (words,) = suggested(out)
    assert words[-1] == "/srv/both" and world.run(*words).returncode == 0, words
    world.run("allow", "mcp__team__*", "--session-id", "s-3")
    (words,) = suggested(world.run("revoke", "mcp__team").stderr)
    assert words == ["revoke", "--session-id", "s-3", "mcp__team__*"], words
    assert world.run(*words).returncode == 0
    world.run("allow", "@tmp", "--session-id", "s-3", "--yes")
    (words,) = suggested(world.run("revoke", "@tmp").stderr)
    assert world.run(*words).returncode == 0
    assert "nothing was changed" in world.run("revoke", "@tmp").stdout
    assert "still" not in world.run("revoke", "/srv/other").stdout


def test_explain_takes_a_path_or_a_host_alone(world):
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


def test_commands_that_widen_notice_an_agent(world):
    policy = world.write(world.project / ".ringfence/policy.json", '{"version": 1}')
    headless = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ATTENDED": "0"}
    older = {"CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}
    attended = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ATTENDED": "1", "CLAUDE_CODE_ENTRYPOINT": "cli"}
    before = world.snapshot()
    for environment in (headless, older):
        for arguments in (("allow", "/srv/x"), ("revoke", "/srv/x"), ("init",), ("uninstall",),
                          ("trust",), ("trust", "--remove")):
            error_of(world.run(*arguments, env=environment), 1, "terminal of your own")
    # A user who types "! ringfence allow ..." looks the same as the model there.
    for arguments in (("uninstall",), ("trust",), ("trust", "--remove")):
        error_of(world.run(*arguments, env=attended), 1, "terminal of your own")
    assert world.snapshot() == before and policy.exists()
    assert world.run("allow", "/srv/x", env=attended).returncode == 0
    assert world.run("revoke", "/srv/x", env=attended).returncode == 0
    # Commands that change nothing answer any caller.
    assert world.run("explain", "Read", "notes.md", env=headless).returncode == 0
    assert world.run("trust", "--list", env=headless).returncode == 0


def test_every_suggested_command_exists(world):
    """Each `ringfence COMMAND --option` in a text of the sources exists."""
    root = ROOT
    options = {}
    found = 0
    for folder in ("agents", "audit_log", "policy", "hook", "run", "cli", "sandbox", "library"):
        for file in sorted((root / folder).rglob("*.cc")):
            text = re.sub(r'"\s*\n\s*R?"\(?', "", file.read_text())  # a text in several literals
            for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text):
                for command, rest in SUGGESTED.findall(literal):
                    if command == "run":
                        continue
                    if command not in options:
                        done = subprocess.run([world.programs.ringfence, command, "--help"],
                                              capture_output=True, text=True, timeout=60)
                        assert done.returncode == 0, f"{file}: ringfence {command}: {literal}"
                        options[command] = done.stdout
                    found += 1
                    for option in rest.split():
                        assert option in options[command], f"{file}: {option}: {literal}"
    assert found > 20, found


def test_allow_lifts_no_denial(world):
    (world.home / ".ssh").mkdir()
    world.write(world.policy, '{"version": 1, "read": {"deny": ["/srv/x"]}, "tools": {"deny": ["WebFetch"]}}')
    before = world.snapshot()
    error_of(world.run("allow", "~/.ssh"), 1, "@secrets")
    error_of(world.run("allow", "/srv/x/y"), 1, "policy.json:1")
    error_of(world.run("allow", "WebFetch"), 1, "WebFetch")
    error_of(world.run("allow", ".git/hooks/pre-commit"), 1, "@runs-later")
    assert world.snapshot() == before


def with_lists(world, section, **lists):
    """The user's policy, with these lists in a section."""
    world.write(world.policy, json.dumps({"version": 1, section: lists}))


def test_allow_says_what_lifts_a_built_in_rule(world):
    world.write(world.home / ".npmrc", "x")
    world.run("allow", "~/first")  # which writes the starter policy
    npmrc = ("allow", "~/.npmrc", "--read")
    for _ in range(2):
        error_of(world.run(*npmrc), 1, '"deny": [] in "read" of ~/.config/ringfence/policy.json')
        with_lists(world, "read", deny=["/srv/x"])  # another list does not lift it
    with_lists(world, "read", deny=[])
    assert "Added" in world.run(*npmrc).stdout
    error_of(world.run("allow", "~/.npmrc"), 1, '"deny": [] in "read" and "write" of')
    hook = ("allow", ".git/hooks/pre-commit")
    error_of(world.run(*hook), 1, 'only an empty list, "ask": [] in "write" of')
    with_lists(world, "write", ask=[])
    assert "permitted already" in world.run(*hook).stdout


def test_revoke_says_that_the_built_in_question_remains(world):
    with_lists(world, "write", ask=["@runs-later"])
    out = world.run("revoke", "@runs-later").stdout
    assert "Removed" in out and "tools still ask" in out and "no longer" not in out, out
    assert 'write "ask": [] in "write" of ~/.config/ringfence/policy.json' in out, out
    assert world.run("explain", "Write", ".envrc").stdout.startswith("ask")
    with_lists(world, "write", ask=[])
    assert world.run("explain", "Write", ".envrc").returncode == 0


def test_allow_knows_that_the_programs_are_protected(world):
    for more in ((), ("--ask",)):
        error_of(world.run("allow", world.programs.ringfence, *more), 1, "are protected; no policy")
    assert not world.policy.exists()


def test_allow_has_no_note_on_a_sandbox_that_is_off(world):
    world.write(world.policy, '{"version": 1, "bash": {"wrap": true}}')
    world.init()
    for command in ("allow", "revoke"):
        out = world.run(command, "~/data").stdout
        assert "client's sandbox" not in out and out.startswith(("Added", "Removed")), out


def test_words_of_the_shell_and_of_the_client_are_no_names(world):
    for word, meant in (("$HOME/x", "~/x"), ("${HOME}", "~"), ("Read(~/x)", "~/x"), ("Edit(//srv/x)", "/srv/x"),
                        ("WebFetch(domain:x.example)", "x.example"), ("Bash(ls:*)", "Bash")):
        error_of(world.run("allow", word), 2, f'did you mean "{meant}"?')
    error_of(world.run("allow", "$DATA/x"), 2, "write its value")
    error_of(world.run("allow", "Read()"), 2, "name the path, host or tool")
    assert not world.policy.exists()
    world.write(world.project / "Read(x)", "x")
    assert "permitted already" in world.run("allow", "Read(x)").stdout


def test_the_name_of_a_server_is_not_that_of_a_tool(world):
    world.write(world.project / ".mcp.json", '{"mcpServers": {"git hub": {"command": "x"}}}')
    done = world.run("allow", "git hub")
    error_of(done, 2, "is the name of an MCP server (", "'mcp__git_hub__*'")
    assert "Added" in world.run("allow", "mcp__git_hub__*").stdout


def test_a_home_that_does_not_exist_is_not_made(world):
    home = world.base / "nope"
    for words in (("allow", "/srv/x"), ("init", "--hook", world.programs.hook), ("check",)):
        done = subprocess.run([world.programs.ringfence, *words, "--home", str(home)], text=True,
                              capture_output=True, cwd=world.project, timeout=60, env={})
        error_of(done, 2, "--home: ", "is not an existing directory")
    assert not home.exists()


def test_allow_refuses_what_it_cannot_read(world):
    world.write(world.policy, '{"version": 1, "raed": {}}')
    error_of(world.run("allow", "/srv"), 2, "policy.json:1:16", "raed")
    world.policy.unlink()
    error_of(world.run("allow", "/srv "), 2, "white space")
    error_of(world.run("allow", "~root/x"), 2, "whole path")
    error_of(world.run("allow", "registry.example", "--read"), 2, "--read")
    assert not world.policy.exists()


def test_allow_guesses_nothing(world):
    for arguments, parts in ((("nosuch",), ("--as tool",)), (("NoSuchTool",), ("--as tool",)),
                             (("",), ("no path, host or tool given",)), (("https://user@x.example/",), ("user name",)),
                             (("file:///etc/hosts",), ("without a host",)),
                             (("/srv", "--project", "/nonexistent"), ("does not exist",))):
        error_of(world.run("allow", *arguments), 2, *parts)
    assert not world.policy.exists()
    world.write(world.policy, '{"version": 1, "network": {"allow": ["a.example"]}}')
    out = world.run("allow", "https://x.example:8443/a").stdout
    assert 'Added "x.example:8443"' in out and "taken as its host" in out, out
    out = world.run("allow", "https://x.example:8443/b").stdout
    assert '"x.example:8443" is permitted already' in out and "taken as its host" in out, out
    assert 'Added "nosuch"' in world.run("allow", "nosuch", "--as", "tool").stdout


def test_a_folder_that_is_not_there_is_named(world):
    for arguments in (("init", "--local", "/nonexistent"), ("trust", "/nonexistent")):
        done = world.run(*arguments)
        error_of(done, 2, '"/nonexistent": does not exist')
        assert "CLAUDE_PROJECT_DIR" not in done.stderr, done.stderr
    assert world.run("trust", "--remove", "/nonexistent").returncode == 0
    assert "CLAUDE_PROJECT_DIR" not in world.run("init", "--local", cwd=world.home).stderr
    assert world.snapshot().keys() <= {str(world.state / "trust.json")}


def test_explain_knows_what_a_worktree_is_called_by(world):
    out = json.loads(world.run("explain", "EnterWorktree", "x", "--json").stdout)
    assert "/path" not in json.dumps(out), out
    assert world.run("explain", "EnterWorktree", "../x").returncode == 1


def read_of(world, path, session):
    """The hook's verdict: "permit" or "deny"."""
    return "deny" if denial_of(world, path, session) else "permit"


def denial_of(world, path, session, options=(), **more):
    """The reason, or "" if it is permitted."""
    event = json.dumps({**more, "session_id": session, "cwd": str(world.project), "tool_name": "Read",
                        "hook_event_name": "PreToolUse", "tool_input": {"file_path": str(path)}})
    done = subprocess.run([world.programs.hook, *options], input=event, capture_output=True, text=True,
                          timeout=60, env={"HOME": str(world.home),
                                           "CLAUDE_PROJECT_DIR": str(world.project)})
    assert done.returncode == 0, done.stderr
    if not done.stdout:
        return ""
    answer = json.loads(done.stdout)["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny", answer
    return answer["permissionDecisionReason"]


def test_an_unknown_word_is_named(world):
    error_of(world.run("exlain", hook=False), 2, '"exlain" is not a command', '"explain"')
    error_of(world.run("--nope", hook=False), 2, '"--nope" is not an option')
    error_of(world.run("surgeon", hook=False), 2, '"surgeon" is not a command')


def advice_of(reason):
    """The words after "ringfence" of the command that a reason suggests."""
    found = re.search("`ringfence ([^`]*)`", reason)
    assert found, reason
    return shlex.split(found.group(1))


def test_what_a_denial_advises_permits_that_and_no_more(world):
    for folder in ("out", "it's a folder", "-x"):
        (world.home / folder).mkdir()
        for name in ("o", "*", "a $(id)", "a b", "$x"):
            (world.home / folder / name).write_text("x")
    for path in ("out/*", "out/a $(id)", "it's a folder/a b", "-x/o"):
        reason = denial_of(world, world.home / path, "one")
        done = world.run(*advice_of(reason))
        assert done.returncode == 0, done.stderr
        assert read_of(world, world.home / path, "one") == "permit"
    assert read_of(world, world.home / "out/o", "one") == "deny"
    assert read_of(world, world.home / "it's a folder/o", "one") == "deny"
    # No policy can name it, so its directory must be permitted.
    assert advice_of(denial_of(world, world.home / "out/$x", "one"))[-1] == "~/out"


def test_advice_names_no_folder_that_all_share_and_no_name_that_never_comes_again(world):
    for path in ("/tmp", "/etc", "/", "/home", world.home):
        assert "ringfence allow" not in denial_of(world, path, "one"), path
    with tempfile.NamedTemporaryFile(dir="/tmp") as file:
        command = advice_of(denial_of(world, file.name, "one"))
        assert command == ["allow", "--read", "--session", file.name], command
        assert world.run(*command).returncode == 0
        assert read_of(world, file.name, "one") == "permit"
        assert read_of(world, file.name, "two") == "deny"
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        command = advice_of(denial_of(world, folder + "/tmpabc123xy", "one"))
        assert command[-2:] == ["--session", folder], command
        assert world.run(*command).returncode == 0
        assert read_of(world, folder + "/another", "one") == "permit"
    (world.home / "data").mkdir()
    command = advice_of(denial_of(world, world.home / "data/tmpab12cd34", "one"))
    assert command == ["allow", "--read", "~/data"], command


def test_advice_about_a_path_with_a_question_keeps_the_question(world):
    (world.home / "other/.git/hooks").mkdir(parents=True)
    for path in (".bashrc", ".config/nvim/init.lua", ".local/bin/x", "other/.git/hooks/post-merge"):
        reason = world.run("explain", "Write", world.home / path).stdout
        command = advice_of(reason)
        assert command == ["allow", "--ask", "~/" + path], (path, reason)
        error_of(world.run("allow", "~/" + path), 1, "add --ask")
        assert world.run(*command).returncode == 0
        reason = world.run("explain", "Write", world.home / path).stdout
        assert "needs the user's approval: it can run code later (@runs-later)" in reason, reason


def test_advice_about_names_says_what_they_are(world):
    world.write(world.policy, '{"version": 1, "network": {"allow": ["@agent-hosts"]}}')
    (world.project / "notes.md").write_text("x")
    for url in ("http://host/", "https://a_b.example.org/", "http://readme.md/", "http://notes.md/"):
        explained = world.run("explain", url)
        assert explained.returncode == 1, explained
        assert world.run(*advice_of(explained.stdout)).returncode == 0, explained.stdout
        assert world.run("explain", url).returncode == 0, url
    for tool in ("SlashCommand", "NewTool"):
        explained = world.run("explain", tool, "{}")
        assert advice_of(explained.stdout) == ["allow", "--as", "tool", tool], explained.stdout
        assert world.run("allow", "--as", "tool", tool).returncode == 0
        assert world.run("explain", tool, "{}").returncode == 0, tool


def test_a_missing_policy_is_named_and_no_other_command(world):
    for command in (("replay", "."), ("explain", "Bash"), ("allow", "~/x"), ("run", "--", "true")):
        done = world.run(*command, "--policy", "new.json") if command[0] != "run" else \
            world.run("run", "--policy", "new.json", "--", "true")
        error_of(done, 2, 'new.json" does not exist', "name a policy file that exists")
        assert "ringfence init" not in done.stderr, done


def test_a_policy_that_may_not_be_read_is_told(world):
    world.write(world.policy, '{"version": 1}')
    world.give_up_root()
    world.policy.chmod(0)
    home = {"HOME": str(world.home)}
    for command in (("explain", "Bash"), ("allow", "~/x"), ("run", "--", "true")):
        done = world.run(*command, env=home)
        error_of(done, 2, "policy.json: cannot be read: permission denied", "make it readable")
    world.policy.chmod(0o600)
    assert world.run("run", "--", "sh", "-c", ":", env=home).returncode == 0


def test_a_working_directory_that_is_gone_is_told(world):
    for command in (["explain", "Bash"], ["check"], ["doctor"], ["init"], ["prompt"], ["run", "--", "true"]):
        words = " ".join(map(shlex.quote, [world.programs.ringfence, *command]))
        done = subprocess.run(["sh", "-c", f'mkdir gone && cd gone && rmdir ../gone && exec {words}'],
                              cwd=world.project, capture_output=True, text=True, timeout=60,
                              env={"HOME": str(world.home), "PATH": "/usr/bin:/bin"})
        error_of(done, 2, "the current directory: it was removed, or you may not enter it", "Hint: go to ")


def test_a_full_disk_is_told_with_the_file(world):
    if os.geteuid() != 0:
        pytest.skip("needs root")
    script = ('mount -t tmpfs -o size=16k none "$1" && cd "$1" && mkdir -p .config/ringfence && shift && '
              '(cat /dev/zero > fill 2> /dev/null; exec "$@")')
    for words in (["allow", "~/x"], ["init"]):
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", world.home, world.programs.ringfence,
                               *words, "--home", world.home], cwd=world.project, capture_output=True, text=True,
                              timeout=60, env={"PATH": "/usr/bin:/bin"})
        error_of(done, 2, "policy.json: cannot be written: the disk is full", "nothing was changed")


def test_a_directory_for_write_that_does_not_exist_is_told(world):
    done = world.run("run", "--write", "/nonexistent", "--", "true")
    error_of(done, 2, '--write: "/nonexistent": does not exist', "name an existing directory")


def test_what_was_mistyped_is_guessed(world):
    for words, meant in ((("allow", "bash"), "Bash"), (("allow", "Bsah"), "Bash"),
                         (("completion", "fsh"), "fish"), (("audit", "--html"), "--format html")):
        done = subprocess.run([world.programs.ringfence, *words], capture_output=True, text=True,
                              cwd=world.project, env={"HOME": str(world.home)}, timeout=60)
        error_of(done, 2, f'did you mean "{meant}"?')


def test_advice_with_a_named_policy_changes_that_one(world):
    policy = world.write(world.base / "a policy.json", '{"version": 1}')
    (world.home / "data").mkdir()
    (world.home / "data/x").write_text("x")
    reason = denial_of(world, world.home / "data/x", "one", options=("--policy", str(policy)))
    assert world.run(*advice_of(reason)).returncode == 0
    assert not denial_of(world, world.home / "data/x", "one", options=("--policy", str(policy)))


def test_a_profiles_own_list_is_not_what_allow_changes(world):
    world.write(world.policy, '{"version": 1, "profiles": {"p": {"when": {"subagent": true}, '
                '"read": {"allow": ["src"]}}}}')
    reason = denial_of(world, world.project / "x", "one", agent_id="a", agent_type="b")
    assert "/profiles/p/read/allow" in reason and "ringfence allow" not in reason, reason


def test_allow_for_one_session_is_for_that_one(world):
    error_of(world.run("allow", "/srv/s", "--session"), 2, "no denial", "--session-id")
    assert read_of(world, "/srv/s/x", "one") == "deny"
    assert read_of(world, "/srv/t/x", "two") == "deny"
    out = world.run("allow", "/srv/s", "--read", "--session").stdout
    assert "sessions/one.json" in out and "alone" in out, out
    assert read_of(world, "/srv/s/x", "one") == "permit"
    assert read_of(world, "/srv/s/x", "two") == "deny"
    assert read_of(world, "/srv/t/x", "one") == "deny"
    assert not world.policy.exists()
    folder = world.state / "sessions"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "one.json").stat().st_mode) == 0o600
    assert "permitted already" in world.run("allow", "/srv/s", "--read", "--session-id", "one").stdout
    error_of(world.run("allow", "~/.ssh", "--session-id", "one"), 1, "@secrets")
    error_of(world.run("allow", "/srv/s", "--session-id", "../x"), 2, "is not a session id")
    error_of(world.run("allow", "/srv/s", "--ask", "--session"), 2, "--ask")
    # An unreadable file permits nothing, and the denial remains.
    (folder / "one.json").write_text("{")
    assert read_of(world, "/srv/s/x", "one") == "deny"


def test_allow_for_one_session_finds_what_was_refused(world):
    def refuse(session, tool, **tool_input):
        event = json.dumps({"session_id": session, "cwd": str(world.project), "tool_name": tool,
                            "hook_event_name": "PreToolUse", "tool_input": tool_input})
        done = world.start([world.programs.hook], event, env={"HOME": str(world.home),
                                                            "CLAUDE_PROJECT_DIR": str(world.project)})
        return json.loads(done.stdout)["hookSpecificOutput"]["permissionDecisionReason"]

    odd = world.write(world.home / "[a]/*.txt", "x")
    resource = {"server": "team", "uri": "team://notes"}
    refuse("one", "mcp__github__get_me")
    refuse("two", "ReadMcpResourceTool", **resource)
    refuse("three", "Read", file_path=str(odd))
    refuse("four", "ReadMcpResourceTool", server="other", uri="x://y")
    for session in ("ringfence-init", "ringfence-doctor"):
        refuse(session, "mcp__github__get_me")
    for session, arguments in (("one", ["mcp__github__*"]), ("one", ["mcp__github"]),
                               ("two", advice_of(refuse("two", "ListMcpResourcesTool", server="team"))[1:]),
                               ("three", ["--read", "~/\\[a]/\\*.txt"]), ("three", ["--read", "~/[[]a]/*"])):
        done = world.run("allow", "--session", *arguments)
        assert f"session {session} alone" in done.stdout or "already" in done.stdout, (arguments, done)
    assert read_of(world, odd, "three") == "permit" and read_of(world, odd, "one") == "deny"
    error_of(world.run("allow", "--session", "mcp__jira__*"), 2, "has no denial of")
    assert not world.policy.exists()


def test_trust_shows_asks_and_pins(world):
    error_of(world.run("trust"), 2, "does not exist")
    policy = world.write(world.project / ".ringfence/policy.json",
                         '{"version": 1, "permitted": "allow", "read": {"allow": [".", "/srv\\u202e"]},'
                         ' "write": {"allow": ["/"]}, "sandbox": {"mode": "rwx"}}')
    before = world.snapshot()
    with Typed(world, "trust") as user:
        user.wait("Use all of it for this project? [y/N] ")
        shown = user.seen
        user.say("\r", "Not trusted; nothing was changed")
        assert user.status() == 1
    for part in ('May be written: "/"', "not confined", "without the client's own question"):
        assert shown.index("gives away most") < shown.index(part) < shown.index("It permits more"), (part, shown)
    assert shown.index("It permits more") < shown.index("/srv") < shown.index("It also says"), shown
    assert shown.index("3 lines at the top: most of what") < shown.index("Use all of it"), shown
    assert "\u202e" not in shown, shown
    assert world.snapshot() == before
    with Typed(world, "trust") as user:
        user.wait("[y/N] ")
        user.say("y\r", "Trusted as it is now")
        assert user.status() == 0
    store = world.state / "trust.json"
    assert stat.S_IMODE(store.stat().st_mode) == 0o600
    assert "Already trusted" in world.run("trust").stdout
    policy.write_text('{"version": 1}')
    assert world.run("trust", "--list").stdout.startswith("changed")
    assert "No longer trusted" in world.run("trust", "--remove").stdout
    assert "No project" in world.run("trust", "--list").stdout


def test_trust_shows_the_worst_first_and_counts_it_above_the_question(world):
    project = json.dumps({"version": 1, "stage": {"verify": ["true"]},
                          "write": {"allow": [f"src/{i}" for i in range(3000)] + ["~/.*"]},
                          "read": {"allow": [".", "/./"]}}, indent=1)
    world.write(world.project / ".ringfence/policy.json", project)
    with Typed(world, "trust") as user:
        user.wait("Use all of it for this project? [y/N] ")
        worst = user.seen[user.seen.index("It gives away most"):user.seen.index("It permits more")]
        last = user.seen[user.seen.index("2 lines at the top: most of what ringfence"):]
    assert '"~/.*"' in worst and '"/./"' in worst, worst
    assert last.count("\n") == 1, last
    assert "and 2980 more: see the file" in user.seen and '["true"]' in user.seen, user.seen
    says = json.loads(world.run("trust", "--json").stdout)["says"]
    assert any('"src/2999"' in one["says"] for one in says)


def test_trust_without_a_terminal_needs_the_digest_of_what_was_read(world):
    policy = world.write(world.project / ".ringfence/policy.json", '{"version": 1, "permitted": "allow"}')
    digest = hashlib.sha256(policy.read_bytes()).hexdigest()
    before = world.snapshot()
    done = world.run("trust")
    error_of(done, 1, "nothing was trusted", "ringfence trust --yes --digest " + digest)
    assert "without the client's own question" in done.stdout
    piped = subprocess.run([world.programs.ringfence, "trust", "--home", str(world.home)], text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=world.project,
                           timeout=60, env={"HOME": str(world.home)}).stdout
    assert piped.index("without the client's own question") < piped.index("nothing was trusted"), piped
    error_of(world.run("trust", "--yes"), 2, "--digest")
    error_of(world.run("trust", "--digest", digest), 1, "nothing was trusted")
    error_of(world.run("trust", "--yes", "--digest", "0" * 64), 1, "does not have the given digest", digest,
             "was mistyped, or the file is not the one")
    shown = json.loads(world.run("trust", "--json").stdout)
    assert shown["sha256"] == digest and not shown["is_trusted"], shown
    assert shown["says"][0]["danger"] == "high" and shown["says"][0]["key"] == "/permitted", shown
    assert world.snapshot() == before
    done = world.run("trust", "--yes", "--digest", digest)
    assert done.returncode == 0 and "Trusted as it is now" in done.stdout, done
    assert world.run("trust", "--list").stdout.startswith("trusted")


def test_trust_refuses_what_was_changed_while_it_was_shown(world):
    policy = world.write(world.project / ".ringfence/policy.json", '{"version": 1}')
    with Typed(world, "trust") as user:
        user.wait("[y/N] ")
        policy.write_text('{"version": 1, "permitted": "allow"}')
        user.say("y\r", "was changed while it was shown")
        assert user.status() == 1
    assert "No project" in world.run("trust", "--list").stdout


def test_trust_of_a_broken_policy_is_refused(world):
    world.write(world.project / ".ringfence/policy.json", '{"version": 1,\n "x": 1}')
    error_of(world.run("trust"), 2, "policy.json:2:2", "/x is not a setting")
    assert not (world.state / "trust.json").exists()


# -- the command line -----------------------------------------------------------------------------

def test_usage(world):
    for arguments in ((), ("nonsense",), ("init", "--nonsense"), ("init", "--user", "--local"),
                      ("allow",), ("completion", "csh"), ("trust", "--list", "--remove"), ("nonsense", "--help")):
        done = subprocess.run([world.programs.ringfence, *arguments], capture_output=True, text=True,
                              env={"HOME": str(world.home)}, cwd=world.project, timeout=60)
        error_of(done, 2, "Hint: ")
        assert done.stdout == ""
    error_of(world.run("init", "--user", "--local"), 2, "--user and --local exclude each other")
    assert world.snapshot() == {}


def test_allow_says_what_it_wants(world):
    for words in ([], [""]):
        done = subprocess.run([world.programs.ringfence, "allow", *words], capture_output=True,
                              text=True, cwd=world.project, env={"HOME": str(world.home)},
                              timeout=60)
        assert done.returncode == 2 and "no path, host or tool given" in done.stderr, done.stderr


def test_completions_are_scripts(world):
    for shell, check in (("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "-n"])):
        done = subprocess.run([world.programs.ringfence, "completion", shell], capture_output=True,
                              text=True, env={"HOME": str(world.home)}, timeout=60)
        assert done.returncode == 0 and "init" in done.stdout
        script = world.write(world.base / shell, done.stdout)
        if shutil.which(check[0]):
            assert subprocess.run([*check, script], timeout=60).returncode == 0, shell


def completed(world, *words):
    """Bash's completions of the last word."""
    script = subprocess.run([world.programs.ringfence, "completion", "bash"], capture_output=True,
                            text=True, env={"HOME": str(world.home)}, timeout=60).stdout
    line = " ".join(f"'{word}'" for word in ("ringfence", *words))
    script += (f"COMP_WORDS=({line}); COMP_CWORD={len(words)}; _ringfence;"
               " printf '%s\\n' \"${COMPREPLY[@]}\"")
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True,
                          cwd=world.project, env={"PATH": os.environ["PATH"]}, timeout=60)
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout.split()


def test_bash_is_told_what_an_option_takes(world):
    world.write(world.project / "file", "")
    assert completed(world, "run", "--mode", "") == ["sandbox", "rx", "rwx"]
    assert completed(world, "run", "--layers", "l") == ["landlock"]
    assert completed(world, "run", "--root", "") == ["file"]
    assert completed(world, "run", "--lay") == ["--layers"]
    assert completed(world, "un") == ["uninstall"]
    assert completed(world, "help", "lo") == ["log"] and "allow" in completed(world, "help", "")
    assert completed(world, "help", "log", "") == ["verify", "send"]
    assert completed(world, "help", "log", "v") == ["verify"]
    assert completed(world, "help", "allow", "") == completed(world, "manual", "log", "") == []
    assert "python3" in completed(world, "run", "--", "python")
    assert completed(world, "run", "--", "cat", "f") == ["file"]


def test_install_says_that_a_build_folder_is_of_elsewhere(world):
    if not shutil.which("cmake"):
        pytest.skip("no cmake")
    root = ROOT
    for name in ("install.sh", "CMakePresets.json", "CMakeLists.txt"):
        shutil.copy(root / name, world.project / name)
    cache = world.write(world.project / "build/release/CMakeCache.txt",
                        "CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n"
                        "CMAKE_CACHEFILE_DIR:INTERNAL=/elsewhere/build/release\n")
    done = subprocess.run(["./install.sh", "--no-deps", "--no-register"], cwd=world.project,
                          capture_output=True, text=True, timeout=60,
                          env={"HOME": str(world.home), "PATH": os.environ["PATH"]})
    assert done.returncode == 1 and f'rm -rf "{cache.parent}"' in done.stderr, done.stderr
    assert cache.exists()


def test_the_starter_policy_grants_nothing_by_its_questions(world):
    world.init("--project", ".")
    world.write(world.project / ".ringfence/policy.json",
                '{"version": 1, "read": {"ask": ["@dotenv"], "deny": []}, '
                '"write": {"ask": ["@runs-later"]}}')
    grants = world.run("trust", ".", "--json").stdout
    said = world.run("trust", ".").stdout
    for text in (grants, said):
        assert "asked before these are written" in text, text
        assert "refused: \n" not in text.lower() and "after a question" not in text, text
    assert "It permits more" not in said, said
