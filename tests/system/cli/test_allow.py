"""`ringfence allow`: what it adds, asks about, refuses and says."""

import fcntl
import hashlib
import json
import os
import pwd
import re
import shlex
import stat
import subprocess

import pytest

from command_steps import Typed, advice_of, denial_of, read_of, with_lists
from command_world import error_of


def error_text(world, *words):
    done = world.run(*words)
    assert done.returncode == 1, done
    return done.stderr


def test_allow_adds_to_the_users_policy(world):
    (world.home / "src").mkdir()
    out = world.run("allow", world.home / "src", "--read").stdout
    assert out.startswith('Added "~/src" to read.allow of ~/.config/ringfence/policy.json'), out
    text = world.policy.read_text()
    assert '"allow": [".", "@claude-scratch", "@toolchains", "~/src"]' in text and "// " in text
    before = world.snapshot()
    assert "nothing was changed" in world.run("allow", world.home / "src", "--read").stdout
    assert world.snapshot() == before


def test_allow_says_that_a_missing_path_becomes_a_directory(world):
    (world.home / "src").mkdir()
    assert "creates a directory" in world.run("allow", "~/src/new").stdout
    for more in (("~/src",), ("~/src/other/",), ("~/src/read", "--read"), ("~/src/*.c",)):
        done = world.run("allow", *more)
        assert done.returncode == 0 and "creates a directory" not in done.stdout, (more, done)


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
    error_of(world.run("allow", "registry.example"), 1, 'no "network"', "the hook refuses no host",
             "commands in a sandbox reach none", "--yes", "nothing was changed")
    assert not world.policy.exists()
    assert world.run("explain", "WebFetch", "https://other.example/").returncode == 0
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


def test_an_ambiguous_name_needs_as_host_or_as_path(world):
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


def test_allow_asks_before_it_opens_system_directories(world):
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


def test_allow_of_a_protected_path_suggests_read_access(world):
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


def test_allow_expands_a_server_name_to_all_its_tools(world):
    out = world.run("allow", "mcp__fs").stdout
    assert 'Added "mcp__fs__*" to tools.allow' in out and '"mcp__fs" was taken as' in out, out
    assert world.run("explain", "mcp__fs__read_file", "{}").returncode == 0
    assert 'Removed "mcp__fs__*"' in world.run("revoke", "mcp__fs").stdout
    world.write(world.policy, '{"version": 1, "tools": {"allow": ["Read", "mcp__fs"]}}')
    out = world.run("check", "--policy", world.policy).stdout
    assert 'are "mcp__fs__*"' in out and "unknown-tool" in out, out
    assert 'Removed "mcp__fs" from' in world.run("revoke", "mcp__fs").stdout


def test_allow_asks_before_it_opens_the_projects_parent(world):
    project = world.home / "src/shop"
    project.mkdir(parents=True)
    (world.home / "src/sibling").mkdir()
    error_of(world.run("allow", "..", cwd=project), 1, "which contains this project", "--yes")
    error_of(world.run("allow", "..", "--read", cwd=project), 1, "for reading", "--yes")
    assert not world.policy.exists()
    assert "Added " in world.run("allow", "../sibling", cwd=project).stdout
    assert "Added " in world.run("allow", "..", "--read", "--yes", cwd=project).stdout


def test_allow_mentions_init_only_if_init_uses_the_entry(world):
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


def test_allow_of_a_pattern_considers_its_matches(world):
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


def test_notes_about_the_client_sandbox_match_the_settings_of_init(world):
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


def test_allow_lifts_no_denial(world):
    (world.home / ".ssh").mkdir()
    world.write(world.policy, '{"version": 1, "read": {"deny": ["/srv/x"]}, "tools": {"deny": ["WebFetch"]}}')
    before = world.snapshot()
    error_of(world.run("allow", "~/.ssh"), 1, "@secrets")
    error_of(world.run("allow", "/srv/x/y"), 1, "policy.json:1")
    error_of(world.run("allow", "WebFetch"), 1, "WebFetch")
    error_of(world.run("allow", ".git/hooks/pre-commit"), 1, "@runs-later")
    assert world.snapshot() == before


def test_allow_names_the_setting_that_lifts_a_built_in_rule(world):
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


def test_allow_of_ringfences_programs_is_an_error(world):
    for more in ((), ("--ask",)):
        error_of(world.run("allow", world.programs.ringfence, *more), 1, "are protected; no policy")
    assert not world.policy.exists()


def test_allow_prints_no_note_about_a_disabled_sandbox(world):
    world.write(world.policy, '{"version": 1, "bash": {"wrap": true}}')
    world.init()
    for command in ("allow", "revoke"):
        out = world.run(command, "~/data").stdout
        assert "client's sandbox" not in out and out.startswith(("Added", "Removed")), out


def test_shell_variables_and_client_rules_get_a_suggestion(world):
    for word, meant in (("$HOME/x", "~/x"), ("${HOME}", "~"), ("Read(~/x)", "~/x"), ("Edit(//srv/x)", "/srv/x"),
                        ("WebFetch(domain:x.example)", "x.example"), ("Bash(ls:*)", "Bash")):
        error_of(world.run("allow", word), 2, f'did you mean "{meant}"?')
    error_of(world.run("allow", "$DATA/x"), 2, "write its value")
    error_of(world.run("allow", "Read()"), 2, "name the path, host or tool")
    assert not world.policy.exists()
    world.write(world.project / "Read(x)", "x")
    assert "permitted already" in world.run("allow", "Read(x)").stdout


def test_allow_of_a_server_name_suggests_its_tool_pattern(world):
    world.write(world.project / ".mcp.json", '{"mcpServers": {"git hub": {"command": "x"}}}')
    done = world.run("allow", "git hub")
    error_of(done, 2, "is the name of an MCP server (", "'mcp__git_hub__*'")
    assert "Added" in world.run("allow", "mcp__git_hub__*").stdout


def test_allow_rejects_an_invalid_policy_or_argument(world):
    world.write(world.policy, '{"version": 1, "raed": {}}')
    error_of(world.run("allow", "/srv"), 2, "policy.json:1:16", "raed")
    world.policy.unlink()
    error_of(world.run("allow", "/srv "), 2, "white space")
    error_of(world.run("allow", "~root/x"), 2, "whole path")
    error_of(world.run("allow", "registry.example", "--read"), 2, "--read")
    assert not world.policy.exists()


def test_allow_rejects_ambiguous_arguments(world):
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


def test_a_pattern_is_permitted_only_if_every_name_is(world):
    """One name that the pattern matches may be listed already."""
    listed = ["~/d/any", "~/d/x", "/srv/x", "."]
    world.write(world.policy, json.dumps({"version": 1, "read": {"allow": listed}, "write": {"allow": listed},
                                          "network": {"allow": ["a.example", "any.example", "x.example"]}}))
    assert 'Added "/srv/?"' in world.run("allow", "--read", "/srv/?").stdout
    for words, added in ((("*.example", "--yes"), "*.example"), (("--read", "~/d/*"), "~/d/*"),
                         (("*", "--yes"), "*")):
        out = world.run("allow", *words).stdout
        assert f'Added "{added}" to ' in out, (words, out)
        out = world.run("allow", *words).stdout
        assert "permitted already" in out or "already allowed" in out, (words, out)


def test_allow_names_the_pattern_that_stays_denied(world):
    world.write(world.policy, json.dumps({"version": 1, "read": {"deny": ["/opt/any*"]},
                                          "network": {"deny": ["*.bad.example"]}}))
    error_of(world.run("allow", "/opt/any*"), 1, 'read of "/opt/any*"')
    error_of(world.run("allow", "*.bad.example"), 1, 'connection to "*.bad.example"')


def test_allow_of_a_listed_path_reports_what_denies_it(world):
    (world.home / "relay").mkdir()
    assert world.run("allow", "~/relay").returncode == 0
    own = world.write(world.project / ".ringfence/policy.json", '{"version": 1, "write": {"allow": ["src"]}}')
    error_of(world.run("allow", "~/relay"), 1, "does not lift this denial")
    # In a trusted project the list of reads stays as it is.
    digest = hashlib.sha256(own.read_bytes()).hexdigest()
    assert world.run("trust", "--yes", "--digest", digest).returncode == 0
    assert "to write.allow" in world.run("allow", "~/relay").stdout
    assert json.loads(own.read_text()) == {"version": 1, "write": {"allow": ["src", "~/relay"]}}


def test_a_missing_project_directory_is_an_error(world):
    for arguments in (("init", "--local", "/nonexistent"), ("trust", "/nonexistent")):
        done = world.run(*arguments)
        error_of(done, 2, '"/nonexistent": does not exist')
        assert "CLAUDE_PROJECT_DIR" not in done.stderr, done.stderr
    assert world.run("trust", "--remove", "/nonexistent").returncode == 0
    assert "CLAUDE_PROJECT_DIR" not in world.run("init", "--local", cwd=world.home).stderr
    assert world.snapshot().keys() <= {str(world.state / "trust.json")}


def test_a_denial_by_a_profile_does_not_suggest_allow(world):
    world.write(world.policy, '{"version": 1, "profiles": {"p": {"when": {"subagent": true}, '
                '"read": {"allow": ["src"]}}}}')
    reason = denial_of(world, world.project / "x", "one", agent_id="a", agent_type="b")
    assert "/profiles/p/read/allow" in reason and "ringfence allow" not in reason, reason


def test_allow_session_applies_to_one_session_only(world):
    error_of(world.run("allow", "/srv/s", "--session"), 2, "no denial", "--session-id")
    assert read_of(world, "/srv/s/x", "one") == "deny"
    assert read_of(world, "/srv/t/x", "two") == "deny"
    out = world.run("allow", "/srv/s", "--read", "--session").stdout
    assert "sessions/one.json" in out and "only to session" in out, out
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


def test_allow_session_finds_the_session_of_the_denial(world):
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
        assert f"only to session {session}" in done.stdout or "already" in done.stdout, (arguments, done)
    assert read_of(world, odd, "three") == "permit" and read_of(world, odd, "one") == "deny"
    assert not world.policy.exists()
    world.write(world.policy, '{"version": 1, "network": {"allow": ["@agent-hosts"]}}')
    for session, url, host in (("five", "https://Api.B.example./x", "*.b.example:443"), ("six", "http://[::1]:80/", "[::1]"),
                               ("seven", "https://other.example/", "other.example"), ("eight", "https://c.example/", None)):
        advised = advice_of(refuse(session, "WebFetch", url=url, prompt="p"))
        done = world.run("allow", "--session", *([host] if host else advised[1:]))
        assert f"only to session {session}" in done.stdout, (url, done)
    error_of(world.run("allow", "--session", "mcp__jira__*"), 2, "has no denial of")
    error_of(world.run("allow", "--session", "b.example"), 2, 'has no denial of "b.example" in a session')
    refuse("", "WebFetch", url="https://b.example/", prompt="p")
    error_of(world.run("allow", "--session", "b.example"), 2, "belong to no session", "leave --session out",
             "--session-id ID")
    refuse("ten", "WebFetch", url="https://d.example/", prompt="p")
    refuse("", "WebFetch", url="https://d.example/", prompt="p")
    error_of(world.run("allow", "--session", "d.example"), 2, "last refused \"d.example\" had no session",
             "leave --session out", "ringfence allow --session-id ten d.example")
    assert "only to session ten" in world.run("allow", "--session-id", "ten", "d.example").stdout
    assert "only to session nine" in world.run("allow", "--session-id", "nine", "b.example").stdout
    assert world.run("allow", "b.example").returncode == 0


def denial_of_host(world, host, session):
    event = json.dumps({"session_id": session, "cwd": str(world.project), "tool_name": "WebFetch",
                        "hook_event_name": "PreToolUse", "tool_input": {"url": f"https://{host}/", "prompt": "p"}})
    done = world.start([world.programs.hook], event,
                       env={"HOME": str(world.home), "CLAUDE_PROJECT_DIR": str(world.project)})
    assert '"deny"' in done.stdout, done


def commands_in(done):
    """The commands that an error lists."""
    return [shlex.split(found)[1:] for found in re.findall(r"ringfence (?:allow|revoke) --session-id [^;\n]*", done.stderr)]


def test_allow_session_does_not_guess_between_sessions(world):
    """An agent that repeats a refusal must not get what is meant for another one."""
    world.write(world.policy, '{"version": 1, "network": {"allow": ["@agent-hosts"]}}')
    for session in ("one", "two", "one", "two"):
        denial_of_host(world, "b.example", session)
    done = world.run("allow", "--session", "b.example")
    error_of(done, 2, 'more than one session was refused "b.example"')
    assert commands_in(done) == [["allow", "--session-id", session, "b.example"] for session in ("two", "one")]
    assert not (world.state / "sessions").exists()
    for command in commands_in(done):
        assert f"only to session {command[2]}" in world.run(*command).stdout
    done = world.run("revoke", "--session", "b.example")
    error_of(done, 2, 'more than one session has an entry for "b.example"')
    first, second = commands_in(done)
    assert {first[2], second[2]} == {"one", "two"}
    assert world.run(*first).stdout.startswith("Removed ")
    # Where `allow` put it, whichever session was refused last.
    assert f"sessions/{second[2]}.json" in world.run("revoke", "--session", "b.example").stdout
    error_of(world.run("revoke", "--session", "b.example"), 2, "no session has an entry")


def test_refusals_of_earlier_days_do_not_count(world):
    world.write(world.policy, '{"version": 1, "network": {"allow": ["@agent-hosts"]}}')
    for session in ("one", "two"):
        denial_of_host(world, "b.example", session)
    log = world.state / "audit.jsonl"
    first, second = log.read_text().splitlines()
    log.write_text(re.sub('"time":"[^"]*"', '"time":"2020-01-01T00:00:00.000Z"', first) + f"\n{second}\n")
    assert "only to session two" in world.run("allow", "--session", "b.example").stdout


def test_a_session_that_floods_the_log_gets_nothing_alone(world):
    """What it writes must not hide that another session was refused the same."""
    world.write(world.policy, '{"version": 1, "network": {"allow": ["@agent-hosts"]}}')
    denial_of_host(world, "b.example", "one")
    log = world.state / "audit.jsonl"
    line = log.read_text()
    flood = line.replace('"one"', '"two"').replace("b.example", "c.example")
    with log.open("a") as file:
        file.write(flood * (5 * 2**20 // len(flood)))
    log.rename(world.state / "audit.jsonl.20260101T000000.000000000Z")
    log.write_text(flood * (5 * 2**20 // len(flood)))
    denial_of_host(world, "b.example", "two")
    done = world.run("allow", "--session", "b.example")
    error_of(done, 2, 'more than one session was refused "b.example"')
    assert commands_in(done) == [["allow", "--session-id", session, "b.example"] for session in ("two", "one")]


def test_a_log_of_more_than_can_be_searched_permits_nothing(world):
    world.write(world.policy, '{"version": 1, "network": {"allow": ["@agent-hosts"]}}')
    denial_of_host(world, "b.example", "one")
    log = world.state / "audit.jsonl"
    line = log.read_text()
    with log.open("r+b") as file:
        file.truncate(257 * 2**20)  # a hole takes no space
        file.seek(0, 2)
        file.write(b"\n")
    error_of(world.run("allow", "--session", "b.example"), 2, "is too long to search", "--session-id ID")
    with log.open("a") as file:
        file.write(line.replace('"one"', '"two"'))
    done = world.run("allow", "--session", "b.example")
    error_of(done, 2, "the audit log of the last day is too long to search", "the last refused first: ")
    assert commands_in(done) == [["allow", "--session-id", "two", "b.example"]]
    assert not (world.state / "sessions").exists()
    assert "only to session two" in world.run(*commands_in(done)[0]).stdout


def test_agents_that_have_ended_get_nothing(world):
    world.write(world.policy, '{"version": 1, "network": {"allow": ["@agent-hosts"]}}')
    running, killed, ended = ("agent-" + digit * 32 for digit in "abc")
    folder = world.state / "sessions"
    for session in (running, killed, ended):
        denial_of_host(world, "b.example", session)
    done = world.run("allow", "--session", "b.example")
    error_of(done, 2, 'the agent that was refused "b.example" has ended', "leave --session out")
    assert not folder.exists()
    world.write(folder / f"{killed}.lock", "")
    with world.write(folder / f"{running}.lock", "").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        for session in (killed, ended):
            error_of(world.run("allow", "--session-id", session, "b.example"), 2,
                     f"the agent of the session {session} has ended", "nothing was changed")
        assert [path.name for path in folder.iterdir()] == [f"{running}.lock"]
        assert f"only to session {running}" in world.run("allow", "--session", "b.example").stdout
        denial_of_host(world, "c.example", "agent-foo")
        assert "only to session agent-foo" in world.run("allow", "--session", "c.example").stdout
    # What is left of it can be taken back.
    assert "Removed" in world.run("revoke", "--session-id", running, "b.example").stdout


def test_what_is_no_path_is_not_taken_for_one(world):
    world.write(world.policy, '{"version": 1, "network": {"allow": ["@agent-hosts"]}}')
    for command in ("allow", "revoke", "explain"):
        error_of(world.run(command, "10.0.0.0/8"), 2, "is a range of addresses", "private")
        error_of(world.run(command, "example.com/path"), 2, 'did you mean "example.com"?')
        error_of(world.run(command, "git@good.example:x/y.git"), 2, 'did you mean "good.example:22"?')
    assert "Added" in world.run("allow", "good.example:22").stdout
    # Paths of these names.
    for word in ("10.0.0.0/8", "example.com/path", "git@good.example:x/y.git"):
        assert "is permitted already" in world.run("allow", f"./{word}").stdout
        assert "is permitted already" in world.run("allow", "--as", "path", word).stdout
        assert world.run("explain", f"./{word}").returncode == 0
        world.write(world.project / word, "x")
        assert "is permitted already" in world.run("allow", word).stdout
        assert world.run("explain", word).returncode == 0


def test_allow_of_an_unknown_set_names_the_command_that_lists_them(world):
    error_of(world.run("allow", "@nosuch"), 2, '"@nosuch"', "is not a set", "ringfence explain @nosuch")
    error_of(world.run("explain", "@nosuch"), 2, "there are:", "@secrets")


def test_allow_names_the_project_if_it_is_not_the_current_directory(world):
    part = world.project / "part"
    part.mkdir()
    world.write(world.project / ".ringfence/policy.json", '{"version": 1}')
    world.trust()
    said = world.run("allow", ".", cwd=part).stdout
    assert "is permitted already" in said and f'in the project "{world.project}"' in said, said
    assert "in the project" not in world.run("allow", ".", "--project", ".", cwd=part).stdout
    assert "in the project" not in world.run("allow", ".").stdout


def test_allow_without_an_argument_is_an_error(world):
    for words in ([], [""]):
        done = subprocess.run([world.programs.ringfence, "allow", *words], capture_output=True,
                              text=True, cwd=world.project, env={"HOME": str(world.home)},
                              timeout=60)
        assert done.returncode == 2 and "no path, host or tool given" in done.stderr, done.stderr
