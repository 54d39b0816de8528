"""`ringfence revoke`: what it takes back, and what still permits the same."""

import json
import re
import shlex

from command_steps import read_of, with_lists
from command_world import error_of


def write_of(world, path, session):
    event = {"hook_event_name": "PreToolUse", "session_id": session, "cwd": str(world.project),
             "tool_name": "Write", "tool_input": {"file_path": str(path), "content": ""}}
    done = world.start([world.programs.hook], json.dumps(event),
                       env={"HOME": str(world.home), "CLAUDE_PROJECT_DIR": str(world.project)})
    return "deny" if '"deny"' in done.stdout else "permit"


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


def test_revoke_of_write_access_keeps_read_access(world):
    world.run("allow", "~/first")  # which writes the starter policy
    before = world.policy.read_text()
    assert 'Added "@toolchains" to write.allow' in world.run("allow", "@toolchains", "--yes").stdout
    out = world.run("revoke", "@toolchains").stdout
    assert 'Removed "@toolchains" from write.allow of' in out and "revoke --read" in out, out
    assert world.policy.read_text() == before
    assert "from read.allow of" in world.run("revoke", "--read", "@toolchains").stdout


def test_revoke_finds_an_ambiguous_name_in_the_policy(world):
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


def test_revoke_of_known_tools_warns_that_they_are_refused(world):
    world.write(world.policy, '{"version": 1, "tools": {"allow": ["@known-tools", "mcp__a__b"]}}')
    out = world.run("revoke", "@known-tools").stdout
    assert "own tools are refused now" in out, out
    assert world.run("explain", "Glob", '{"pattern": "*.c"}').returncode == 1
    world.run("allow", "@known-tools")
    assert world.run("explain", "Glob", '{"pattern": "*.c"}').returncode == 0


def test_revoke_reports_a_removed_question(world):
    world.run("allow", "~/first")
    out = world.run("revoke", "@dotenv").stdout
    assert 'tools no longer ask about "@dotenv": what the policy allows there is permitted' in out, out
    world.run("allow", "--ask", "--as", "path", "notes")
    out = world.run("revoke", "--ask", "--as", "path", "notes").stdout
    assert "still permitted" in out and "no longer ask" not in out, out


def test_revoke_names_the_rule_that_still_permits(world):
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


def test_revoke_of_the_project_names_the_permitting_rule(world):
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


def test_revoke_session_removes_the_session_entry(world):
    assert read_of(world, "/srv/s/x", "one") == "deny"
    world.run("allow", "/srv/s", "--read", "--session")
    assert read_of(world, "/srv/s/x", "one") == "permit"
    out = world.run("revoke", "/srv/s", "--session").stdout
    assert "sessions/one.json" in out, out
    assert read_of(world, "/srv/s/x", "one") == "deny"


def test_revoke_names_a_session_that_still_has_access(world):
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


def test_revoke_says_that_the_built_in_question_remains(world):
    with_lists(world, "write", ask=["@runs-later"])
    out = world.run("revoke", "@runs-later").stdout
    assert "Removed" in out and "tools still ask" in out and "no longer" not in out, out
    assert 'write "ask": [] in "write" of ~/.config/ringfence/policy.json' in out, out
    assert world.run("explain", "Write", ".envrc").stdout.startswith("ask")
    with_lists(world, "write", ask=[])
    assert world.run("explain", "Write", ".envrc").returncode == 0
