#!/usr/bin/env python3
"""Runs the other commands of the built `ringfence`, in a home of its own: allow, trust, explain,
and what concerns all of them.

  commands.py --ringfence PATH --hook PATH

Prints a line for each case that failed, and at the end "N passed, N failed, N skipped".
"""

import json
import os
import pathlib
import shlex
import shutil
import stat
import subprocess
import sys

from command_world import Skip, error_of, run_cases


def allow_adds_to_the_users_policy(world):
    (world.home / "src").mkdir()
    out = world.run("allow", world.home / "src", "--read").stdout
    assert out.startswith('Added "~/src" to read.allow of ~/.config/ringfence/policy.json'), out
    text = world.policy.read_text()
    assert '"allow": [".", "@claude-scratch", "~/src"]' in text and "// " in text
    before = world.snapshot()
    assert "nothing was changed" in world.run("allow", world.home / "src", "--read").stdout
    assert world.snapshot() == before


def allow_says_that_a_missing_name_becomes_a_folder(world):
    (world.home / "src").mkdir()
    assert "makes a folder" in world.run("allow", "~/src/new").stdout
    for more in (("~/src",), ("~/src/other/",), ("~/src/read", "--read"), ("~/src/*.c",)):
        done = world.run("allow", *more)
        assert done.returncode == 0 and "makes a folder" not in done.stdout, (more, done)


def explain_protects_the_audit_log_that_the_policy_names(world):
    log = world.home / "log/audit.jsonl"
    world.write(world.policy, json.dumps({
        "version": 1, "write": {"allow": ["~/log"]}, "audit": {"file": str(log)}}))
    out = world.run("explain", "Write", log).stdout
    assert "audit log" in out, out


def allow_keeps_the_defaults_that_a_new_list_replaces(world):
    world.write(world.policy, '{ "version": 1 } // mine\n')
    world.run("allow", "/srv")
    assert world.policy.read_text() == (
        '{ "version": 1, "read": { "allow": [".", "@claude-scratch", "/srv"] }, '
        '"write": { "allow": [".", "@claude-scratch", "/srv"] } } // mine\n'), world.policy.read_text()


def allow_prefers_the_projects_policy_once_it_is_trusted(world):
    policy = world.write(world.project / ".ringfence/policy.json", '{"version": 1}\n')
    out = world.run("allow", "/srv").stdout
    assert "not trusted" in out and world.policy.exists(), out
    assert policy.read_text() == '{"version": 1}\n'
    world.run("trust")
    out = world.run("allow", "/opt", "--ask", cwd=world.project).stdout
    assert "trusted again" in out, out
    assert '"ask": ["/opt"]' in policy.read_text()
    assert json.loads(world.run("trust", "--list", "--json").stdout)["trusted"][0]["state"] == "trusted"


def allow_of_hosts_and_tools(world):
    assert "asked about" in world.run("allow", "registry.example").stdout
    world.run("allow", "*.b.example:443")
    world.run("allow", "mcp__team__*")
    world.run("allow", "mcp__other__x", "--ask")
    text = world.policy.read_text()
    assert '"allow": ["@agent-hosts", "registry.example", "*.b.example:443"]' in text, text
    assert '"mcp__team__*"' in text and '"@session-tools"' in text and '"Bash"' in text
    assert '"ask": ["mcp__other__x"]' in text
    assert "permitted already" in world.run("allow", "Read").stdout


def allow_lifts_no_denial(world):
    (world.home / ".ssh").mkdir()
    world.write(world.policy, '{"version": 1, "read": {"deny": ["/srv/x"]}, "tools": {"deny": ["WebFetch"]}}')
    before = world.snapshot()
    error_of(world.run("allow", "~/.ssh"), 1, "@secrets")
    error_of(world.run("allow", "/srv/x/y"), 1, "policy.json:1")
    error_of(world.run("allow", "WebFetch"), 1, "WebFetch")
    error_of(world.run("allow", ".git/hooks/pre-commit"), 1, "@runs-later")
    assert world.snapshot() == before


def allow_refuses_what_it_cannot_read(world):
    world.write(world.policy, '{"version": 1, "raed": {}}')
    error_of(world.run("allow", "/srv"), 2, "policy.json:1:16", "raed")
    world.policy.unlink()
    error_of(world.run("allow", "/srv "), 2, "white space")
    error_of(world.run("allow", "~root/x"), 2, "whole path")
    error_of(world.run("allow", "registry.example", "--read"), 2, "--read")
    assert not world.policy.exists()


def allow_guesses_nothing(world):
    for arguments, parts in ((("nosuch",), ("--as tool",)), (("NoSuchTool",), ("--as tool",)),
                             (("",), ("nothing is named",)), (("https://user@x.example/",), ("user name",)),
                             (("file:///etc/hosts",), ("without a host",)),
                             (("/srv", "--project", "/nonexistent"), ("does not exist",))):
        error_of(world.run("allow", *arguments), 2, *parts)
    assert not world.policy.exists()
    out = world.run("allow", "https://x.example:8443/a").stdout
    assert 'Added "x.example:8443"' in out and "taken as its host" in out, out
    out = world.run("allow", "https://x.example:8443/b").stdout
    assert '"x.example:8443" is permitted already' in out and "taken as its host" in out, out
    assert 'Added "nosuch"' in world.run("allow", "nosuch", "--as", "tool").stdout
    assert "every file of this machine for reading," in world.run("allow", "/", "--read").stdout
    assert "of this machine for reading and writing" in world.run("allow", "/").stdout
    assert "opens" not in world.run("allow", "/").stdout


def a_folder_that_is_not_there_is_named(world):
    for arguments in (("init", "--local", "/nonexistent"), ("trust", "/nonexistent")):
        done = world.run(*arguments)
        error_of(done, 2, '"/nonexistent": does not exist')
        assert "CLAUDE_PROJECT_DIR" not in done.stderr, done.stderr
    assert world.run("trust", "--remove", "/nonexistent").returncode == 0
    assert "CLAUDE_PROJECT_DIR" not in world.run("init", "--local", cwd=world.home).stderr
    assert world.snapshot().keys() <= {str(world.state / "trust.json")}


def explain_knows_what_a_worktree_is_called_by(world):
    out = json.loads(world.run("explain", "EnterWorktree", "x", "--json").stdout)
    assert "/path" not in json.dumps(out), out
    assert world.run("explain", "EnterWorktree", "../x").returncode == 1


def read_of(world, path, session):
    """What the hook says about it: "permit" or "deny"."""
    return "deny" if denial_of(world, path, session) else "permit"


def denial_of(world, path, session, **more):
    """The reason; "" when it is permitted."""
    event = json.dumps({**more, "session_id": session, "cwd": str(world.project), "tool_name": "Read",
                        "hook_event_name": "PreToolUse", "tool_input": {"file_path": str(path)}})
    done = subprocess.run([world.options.hook], input=event, capture_output=True, text=True,
                          timeout=60, env={"HOME": str(world.home),
                                           "CLAUDE_PROJECT_DIR": str(world.project)})
    assert done.returncode == 0, done.stderr
    if not done.stdout:
        return ""
    answer = json.loads(done.stdout)["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny", answer
    return answer["permissionDecisionReason"]


def an_unknown_word_is_named(world):
    error_of(world.run("exlain", hook=False), 2, '"exlain" is not a command', '"explain"')
    error_of(world.run("--nope", hook=False), 2, '"--nope" is not an option')
    error_of(world.run("surgeon", hook=False), 2, '"surgeon" is not a command')


def what_a_denial_advises_permits_that_and_no_more(world):
    out = world.base / "out"
    out.mkdir()
    (out / "o").write_text("x")
    reason = denial_of(world, out / "*", "one")
    command = reason[reason.index("ringfence allow"):].split("ringfence ", 1)[1]
    done = world.run(*shlex.split(command))
    assert done.returncode == 0, done.stderr
    assert read_of(world, out / "*", "one") == "permit"
    assert read_of(world, out / "o", "one") == "deny"


def a_profiles_own_list_is_not_what_allow_changes(world):
    world.write(world.policy, '{"version": 1, "profiles": {"p": {"when": {"subagent": true}, '
                '"read": {"allow": ["src"]}}}}')
    reason = denial_of(world, world.project / "x", "one", agent_id="a", agent_type="b")
    assert "/profiles/p/read/allow" in reason and "ringfence allow" not in reason, reason


def allow_for_one_session_is_for_that_one(world):
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
    error_of(world.run("allow", "/srv/s", "--session-id", "../x"), 2, "no session's id")
    error_of(world.run("allow", "/srv/s", "--ask", "--session"), 2, "--ask")
    # A file that cannot be read permits nothing, and the denial stands.
    (folder / "one.json").write_text("{")
    assert read_of(world, "/srv/s/x", "one") == "deny"


def trust_shows_pins_and_forgets(world):
    error_of(world.run("trust"), 2, "does not exist")
    policy = world.write(world.project / ".ringfence/policy.json",
                         '{"version": 1, "permitted": "allow", "read": {"allow": [".", "/srv\\u202e"]}}')
    out = world.run("trust").stdout
    assert "read.allow" in out and "Trusted as it is now" in out and "without the client" in out, out
    assert "\u202e" not in out
    store = world.state / "trust.json"
    assert stat.S_IMODE(store.stat().st_mode) == 0o600
    assert "Trusted already" in world.run("trust").stdout
    policy.write_text('{"version": 1}')
    assert world.run("trust", "--list").stdout.startswith("changed")
    assert "Not trusted any more" in world.run("trust", "--remove").stdout
    assert "No project" in world.run("trust", "--list").stdout


def trust_of_a_broken_policy_is_refused(world):
    world.write(world.project / ".ringfence/policy.json", '{"version": 1,\n "x": 1}')
    error_of(world.run("trust"), 2, "policy.json:2:2", "/x is not a setting")
    assert not (world.state / "trust.json").exists()


# -- the command line -----------------------------------------------------------------------------

def usage(world):
    for arguments in ((), ("nonsense",), ("init", "--nonsense"), ("init", "--user", "--local"),
                      ("allow",), ("completion", "csh"), ("trust", "--list", "--remove"), ("nonsense", "--help")):
        done = subprocess.run([world.options.ringfence, *arguments], capture_output=True, text=True,
                              env={"HOME": str(world.home)}, cwd=world.project, timeout=60)
        error_of(done, 2, "Hint: ")
        assert done.stdout == ""
    done = subprocess.run([world.options.ringfence, "init"], capture_output=True, text=True, env={},
                          cwd=world.project, timeout=60)
    error_of(done, 2, "HOME")
    assert world.snapshot() == {}


def allow_says_what_it_wants(world):
    for words in ([], [""]):
        done = subprocess.run([world.options.ringfence, "allow", *words], capture_output=True,
                              text=True, cwd=world.project, env={"HOME": str(world.home)},
                              timeout=60)
        assert done.returncode == 2 and "nothing is named" in done.stderr, done.stderr


def completions_are_scripts(world):
    for shell, check in (("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "-n"])):
        done = subprocess.run([world.options.ringfence, "completion", shell], capture_output=True,
                              text=True, env={"HOME": str(world.home)}, timeout=60)
        assert done.returncode == 0 and "init" in done.stdout
        script = world.write(world.base / shell, done.stdout)
        if shutil.which(check[0]):
            assert subprocess.run([*check, script], timeout=60).returncode == 0, shell


def completed(world, *words):
    """What bash would offer for the last of them."""
    script = subprocess.run([world.options.ringfence, "completion", "bash"], capture_output=True,
                            text=True, env={"HOME": str(world.home)}, timeout=60).stdout
    line = " ".join(f"'{word}'" for word in ("ringfence", *words))
    script += (f"COMP_WORDS=({line}); COMP_CWORD={len(words)}; _ringfence;"
               " printf '%s\\n' \"${COMPREPLY[@]}\"")
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True,
                          cwd=world.project, env={"PATH": os.environ["PATH"]}, timeout=60)
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout.split()


def bash_is_told_what_an_option_takes(world):
    world.write(world.project / "file", "")
    assert completed(world, "run", "--mode", "") == ["sandbox", "rx", "rwx"]
    assert completed(world, "run", "--layers", "l") == ["landlock"]
    assert completed(world, "run", "--root", "") == ["file"]
    assert completed(world, "run", "--lay") == ["--layers"]
    assert completed(world, "un") == ["uninstall"]
    assert "python3" in completed(world, "run", "--", "python")
    assert completed(world, "run", "--", "cat", "f") == ["file"]


def install_says_that_a_build_folder_is_of_elsewhere(world):
    if not shutil.which("cmake"):
        raise Skip("no cmake")
    root = pathlib.Path(__file__).resolve().parents[2]
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


if __name__ == "__main__":
    sys.exit(run_cases(sys.modules[__name__]))
