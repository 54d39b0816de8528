"""The first texts and commands of a new user: help, misspelt command lines, manual pages,
completion, the README's examples, errors in a policy, the model's first text, and uninstalling.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest

from command_world import error_of
from program_tree import LIST, listed
from repository import ROOT
from terminal_session import TerminalSession

PATIENCE = 120


def plain(world, *words, program=None, stdin=None, path=None):
    """Runs the program with only the given options."""
    return subprocess.run([program or world.programs.ringfence, *map(str, words)], cwd=world.project,
                          capture_output=True, text=True, timeout=PATIENCE, stdin=stdin,
                          env={"PATH": path or "/usr/bin:/bin", "HOME": str(world.home)})


def commands_of(world):
    help_text = plain(world, "--help").stdout
    names = re.findall(r"^  ([a-z]+) ", help_text.split("Subcommands:")[1].split("\n\n")[0], re.MULTILINE)
    assert len(names) > 15, help_text
    return names


# -- the command line -----------------------------------------------------------------------------

def test_version_has_a_short_option(world):
    for program in (world.programs.ringfence, world.programs.hook):
        long, short = (plain(world, option, program=program).stdout for option in ("--version", "-V"))
        assert long == short and re.match(r"ringfence(-hook)? \d+\.\d+", long), (long, short)


def test_version_as_json_names_the_commit_and_the_libraries(world):
    first, second = (plain(world, *words).stdout for words in (("--version", "--json"), ("--json", "-V")))
    assert first == second
    version = json.loads(first)
    assert f"ringfence {version['version']}\n" == plain(world, "--version").stdout
    assert version["commit"] is None or re.fullmatch("[0-9a-f]{40}", version["commit"])
    assert set(version["libc"]) == {"ringfence", "ringfence-hook", "ringfence-cli", "ringfence-proxy",
                                    "ringfence-stage"}
    libraries = {library["name"]: library for library in version["libraries"]}
    assert {"nlohmann_json", "CLI11", "Boost"} <= set(libraries)
    assert all(library["version"] and library["licence"] for library in libraries.values()), libraries
    error_of(plain(world, "--json"), 2, "no command given")


def test_help_of_a_command_matches_its_help_option(world):
    assert plain(world, "help").stdout == plain(world, "--help").stdout
    for name in commands_of(world):
        done = plain(world, "help", name)
        assert done.returncode == 0 and done.stdout == plain(world, name, "--help").stdout, name
    verify = plain(world, "help", "log", "verify")
    assert verify.stdout == plain(world, "log", "verify", "--help").stdout
    error_of(plain(world, "help", "tust"), 2, 'did you mean "trust"?')
    error_of(plain(world, "help", "log", "verfy"), 2, 'did you mean "verify"?')
    for words in (("manual", "ringfence-policy"), ("help", "policy")):
        error_of(plain(world, *words), 2, "is not a command", "man ringfence-policy")


def test_misspelt_words_get_a_suggestion(world):
    for words, meant in (
            (("tust",), "trust"), (("alow", "x"), "allow"), (("explian",), "explain"),
            (("lgo",), "log"), (("docter", "--json"), "doctor"), (("unistall", "--help"), "uninstall"),
            (("log", "verfiy"), "verify"), (("log", "snd"), "send"),
            (("init", "--porject"), "--project"), (("init", "--porject=."), "--project"),
            (("allow", "--porject", ".", "x"), "--project"), (("explain", "--polcy", "x"), "--policy"),
            (("run", "--mdoe", "rx", "--", "true"), "--mode"), (("run", "--dryrun", "--", "true"), "--dry-run"),
            (("log", "verify", "--anchor", "journal"), "--anchors"), (("check", "-strict"), "--strict"),
            (("init", "--Local"), "--local"), (("--hlep",), "--help"), (("--verison",), "--version"),
            (("run", "--mode", "xr", "--", "true"), "rx"), (("completion", "bsh"), "bash"),
            (("manual", "docotr"), "doctor"), (("settings", "--for", "skd"), "sdk")):
        done = plain(world, *words)
        error_of(done, 2, f'did you mean "{meant}"?')
        assert done.stdout == "", (words, done.stdout)


def test_words_that_resemble_nothing_get_no_suggestion(world):
    for words, what in ((("qqqqqqqq",), "is not a command"), (("init", "--qqqqqqqq"), "is not an option"),
                        (("trust", ".", "more"), 'unexpected argument "more"'), ((), "no command given"),
                        (("--profile", "x", "run", "--", "true"), "must come after the command")):
        done = plain(world, *words)
        error_of(done, 2, what, "Hint: see: ringfence")
        assert "did you mean" not in done.stderr, done.stderr


def test_wrong_values_are_explained(world):
    for words, what in (
            (("replay", "--jobs", "many"), '--jobs: must be a number from'),
            (("init", "--profile"), "--profile needs a value"), (("init", "--home"), "--home needs a value"),
            (("explain", "--root", "a", "--root", "b", "x"), "--root is given twice"),
            (("trust", "--list", "--remove"), "--list cannot be combined with --remove"),
            (("run", "--for", "linux", "--", "true"), "--for requires --dry-run"),
            (("run", "--mode", "rw", "--", "true"), 'must be sandbox, rx or rwx, not "rw"')):
        error_of(plain(world, *words), 2, what)


def test_the_hook_suggests_options_too(world):
    for word, meant in (("--polcy", "--policy"), ("--porfile=x", "--profile"), ("--hlep", "--help"),
                        ("--Root", "--root")):
        done = plain(world, word, program=world.programs.hook, stdin=subprocess.DEVNULL)
        assert done.returncode == 2 and f'did you mean "{meant}"?' in done.stderr, done


# -- manual pages ---------------------------------------------------------------------------------

def test_the_manual_is_readable_text(world):
    for words in ((), *((name,) for name in commands_of(world))):
        done = plain(world, "manual", *words)
        assert done.returncode == 0, (words, done.stderr)
        for heading in ("NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES", "SEE ALSO"):
            assert f"\n{heading}\n" in "\n" + done.stdout, (words, heading, done.stdout)
        assert not re.search(r"^\.[A-Z][a-z]", done.stdout, re.MULTILINE), done.stdout
        assert "\x1b" not in done.stdout and "\b" not in done.stdout
        if words:
            for option in re.findall(r"--[a-z-]+", plain(world, *words, "--help").stdout):
                assert option in done.stdout, (words, option)


def test_the_roff_source_works_with_man(world):
    page = plain(world, "manual", "--roff", "run").stdout
    assert page.startswith(".Dd ") and ".Dt RINGFENCE-RUN 1" in page, page[:200]
    if not shutil.which("man"):
        pytest.skip("no man")
    file = world.write(world.base / "ringfence-run.1", page)
    done = subprocess.run(["man", "-l", str(file)], capture_output=True, text=True, timeout=PATIENCE,
                          env={"PATH": "/usr/bin:/bin", "MANPAGER": "cat", "MANWIDTH": "80", "TERM": "dumb"})
    if "has been minimized" in done.stdout:
        pytest.skip("man is a stub")
    assert done.returncode == 0 and "ringfence run" in done.stdout, done


def test_a_terminal_gets_a_pager(world):
    if not any(os.access(f"{folder}/less", os.X_OK) for folder in ("/usr/bin", "/bin", "/usr/local/bin")):
        pytest.skip("no less")
    trap = world.write(world.base / "bin/less", "#!/bin/sh\necho trapped\n")
    trap.chmod(0o755)
    world.environment = {"PATH": f"{trap.parent}:/usr/bin:/bin", "HOME": str(world.home),
                         "TERM": "xterm", "PAGER": "echo trapped", "LESSOPEN": "|echo trapped"}
    with TerminalSession([world.programs.ringfence, "manual", "run"], world) as session:
        session.wait("SYNOPSIS")
        assert "SEE ALSO" not in session.seen and "trapped" not in session.seen, session.seen
        session.press("G", "SEE ALSO")
        session.say("q")
        assert session.status() == 0
        assert "trapped" not in session.seen, session.seen


# -- completion -----------------------------------------------------------------------------------

PROFILES = {"version": 1, "profiles": {"worker": {}, "review": {}, "with space": {}, "-dash": {},
                                       "$(touch hacked)": {}, "`touch hacked`": {}, "a;touch hacked": {}}}


def test_profiles_are_printed_one_per_line(world):
    world.write(world.policy, json.dumps(PROFILES))
    assert plain(world, "completion", "--profiles").stdout == "review\nworker\n"
    world.write(world.project / ".ringfence/policy.json", '{"version":1,"profiles":{"theirs":{}}}')
    assert "theirs" not in plain(world, "completion", "--profiles").stdout  # not trusted
    world.write(world.policy, "{")
    error_of(plain(world, "completion", "--profiles"), 2, "policy.json")


def completed(world, *words):
    """Bash's completions of the last word; `ringfence` is in PATH."""
    script = plain(world, "completion", "bash").stdout
    line = " ".join(f"'{word}'" for word in ("ringfence", *words))
    script += (f"COMP_WORDS=({line}); COMP_CWORD={len(words)}; _ringfence;"
               " printf '%s\\n' \"${COMPREPLY[@]}\"")
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True,
                          cwd=world.project, timeout=PATIENCE,
                          env={"PATH": f"{path_with_ringfence(world)}:/usr/bin:/bin", "HOME": str(world.home)})
    assert done.returncode == 0 and not done.stderr, done
    return sorted(done.stdout.split())


def path_with_ringfence(world):
    return str(pathlib.Path(world.programs.ringfence).parent)


def test_bash_completes_profiles_and_commands(world):
    world.write(world.policy, json.dumps(PROFILES))
    world.write(world.project / "file", "")
    both = ["review", "worker"]
    for command in ("run", "explain", "init", "doctor", "prompt", "settings", "audit", "replay", "check"):
        assert completed(world, command, "--profile", "") == both, command
    assert completed(world, "run", "--profile", "wo") == ["worker"]
    assert completed(world, "run", "--profile", "=", "wo") == ["worker"]  # as bash splits it
    assert completed(world, "run", "--mode", "=", "") == ["rwx", "rx", "sandbox"]
    assert completed(world, "layout", "") == both and completed(world, "layout", "worker", "r") == ["review"]
    assert completed(world, "layout", "--relay", "") != both
    assert completed(world, "help", "al") == ["allow"] and completed(world, "manual", "tr") == ["trust"]
    assert completed(world, "completion", "z") == ["zsh"]
    assert set(commands_of(world)) <= set(completed(world, ""))
    world.write(world.policy, "{")  # a broken policy offers nothing, and prints nothing
    assert completed(world, "run", "--profile", "") in ([], ["file"])
    assert not (world.project / "hacked").exists()


def test_zsh_completes_profiles_and_commands(world):
    if not shutil.which("zsh"):
        pytest.skip("no zsh")
    world.write(world.policy, json.dumps(PROFILES))
    script = world.write(world.base / "_ringfence", plain(world, "completion", "zsh").stdout)
    for words, want in ((("run", "--profile", ""), "worker"), (("layout", ""), "review"),
                        (("help", ""), "allow"), (("run", "--profile=wo",), "worker"),
                        (("completion", ""), "fish")):
        line = " ".join(f"'{word}'" for word in ("ringfence", *words))
        test = ("compdef() { :; }; compset() { :; }; _files() { print files; }; _describe() { print described; };"
                f" compadd() {{ print -l -- $@; }}; source {script}; words=({line}); CURRENT={len(words) + 1};"
                " _ringfence")
        done = subprocess.run(["zsh", "-f", "-c", test], capture_output=True, text=True, timeout=PATIENCE,
                              cwd=world.project, env={"PATH": f"{path_with_ringfence(world)}:/usr/bin:/bin",
                                                      "HOME": str(world.home)})
        assert done.returncode == 0 and want in done.stdout.split(), (words, done)
    assert not (world.project / "hacked").exists()


def test_fish_completes_profiles_and_commands(world):
    script = plain(world, "completion", "fish").stdout
    asks = "'(ringfence completion --profiles 2> /dev/null)'"
    assert f"-l profile -x -a {asks}" in script and f"from layout' -f -a {asks}" in script
    assert re.search(r"from help; and [^']*' -f -a 'run stage init .*manual'", script)
    if not shutil.which("fish"):
        pytest.skip("no fish")
    world.write(world.policy, json.dumps(PROFILES))
    file = world.write(world.base / "ringfence.fish", script)
    done = subprocess.run(["fish", "--no-config", "-c",
                           f"source {file}; complete -C 'ringfence run --profile '"],
                          capture_output=True, text=True, timeout=PATIENCE, cwd=world.project,
                          env={"PATH": f"{path_with_ringfence(world)}:/usr/bin:/bin", "HOME": str(world.home)})
    assert "worker" in done.stdout, done
    done = subprocess.run(["fish", "--no-config", "-c", f"source {file}; complete -C 'ringfence help log '"],
                          capture_output=True, text=True, timeout=PATIENCE, cwd=world.project,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(world.home)})
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["send", "verify"], done


# -- the README -----------------------------------------------------------------------------------

def readme():
    return (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", readme(), re.MULTILINE | re.DOTALL)


def test_readme_is_short_and_its_links_exist(world):
    del world
    words = readme().split("## Documents")[0].split()
    assert 300 < len(words) <= 900, len(words)
    for page in re.findall(r"\]\(([^)#:]+)\)", readme()):
        assert (ROOT / page).exists(), page
    for page in ("docs/faq.md", "docs/performance.md", "docs/comparison.md", "LICENSE", "SECURITY.md",
                 "CHANGELOG.md"):
        assert (ROOT / page).stat().st_size > 500, page


def test_the_readmes_layout_example_runs(world):
    policy, = blocks("jsonc")
    world.write(world.policy, policy)
    example, = (block for block in blocks("sh") if "ringfence layout" in block)
    programs = world.base / "bin"
    for name in ("zellij", "claude"):
        world.write(programs / name, f'#!/bin/sh\necho {name} "$@" >> "$HOME/started"\n').chmod(0o755)
    done = subprocess.run(["sh", "-eu", "-c", example], cwd=world.project, capture_output=True, text=True,
                          timeout=PATIENCE, env={"HOME": str(world.home), "PATH":
                                                 f"{path_with_ringfence(world)}:{programs}:/usr/bin:/bin"})
    assert done.returncode == 0 and not done.stderr, done
    layout = (world.project / "agents.kdl").read_text()
    for word in ("worker", "review", "--add-dir", str(world.home / "relay")):
        assert word in layout, layout
    assert (world.home / "started").read_text() == "zellij --layout agents.kdl\n"


def test_the_readmes_policy_is_valid(world):
    policy, = blocks("jsonc")
    file = world.write(world.policy, policy)
    done = plain(world, "check", file)
    assert done.returncode == 0, done
    for name in ("worker", "review"):
        done = plain(world, "explain", "--profile", name, "Write", world.home / "relay/x")
        assert done.returncode == 0, (name, done.stdout)


# -- a policy with a mistake ----------------------------------------------------------------------

MISTAKES = (
    ('{\n  "version": 1,\n  "read": { "allow": [".",] }\n}', ":3:26: trailing comma before ]", "remove the comma"),
    ('{\n  "version": 1,\n}', ":2:15: trailing comma before }", "remove the comma"),
    ('{\n  "version": 1\n  "read": {}\n}', ":3:3: missing comma", "put a comma"),
    ("{\n  'version': 1\n}", ":2:3: text in single quotes", "use double quotes"),
    ('{\n  version: 1\n}', ":2:3: a key without double quotes", 'write "version"'),
    ('# mine\n{ "version": 1 }', ':1:1: "#" does not begin a comment', "write //"),
    ('{ "version": 1, "bash": { "wrap": True } }', ':1:35: "True" is not JSON', "write true"),
    ('{ "version": 1, "network": None }', ':1:28: "None" is not JSON', "write null"),
    ('\ufeff{ "version": 1 }', ":1:1: a byte order mark", "without a byte order mark"),
    ('{ “version”: 1 }', ":1:3: a typographic quote", 'write "'),
    ('{ "version": 1', ':1:15: the file ends before the "{" of line 1 is closed', "add the missing }"),
    ('{ "version": 1, "network": { "allow": ["https://docs.example/x"] } }',
     ":1:40: /network/allow/0 is a URL, not a host", 'write the host without https://: "docs.example"'),
)


def test_a_mistake_in_a_policy_is_explained(world):
    for text, what, hint in MISTAKES:
        world.write(world.policy, text)
        checked = plain(world, "check", world.policy)
        place, mistake = what[:what.index(" ")], what[what.index(" ") + 1:]
        assert checked.returncode == 1 and place in checked.stdout and mistake in checked.stdout, (text, checked)
        assert hint in checked.stdout, (text, checked)
        explained = plain(world, "explain", "Read", "x")
        error_of(explained, 2, what, "Hint: ", hint)
        event = {"hook_event_name": "PreToolUse", "tool_name": "Read", "session_id": "s",
                 "cwd": str(world.project), "tool_input": {"file_path": "x"}}
        done = subprocess.run([world.programs.hook], input=json.dumps(event), capture_output=True, text=True,
                              timeout=PATIENCE, env={"HOME": str(world.home),
                                                     "CLAUDE_PROJECT_DIR": str(world.project)})
        assert done.returncode == 2 and what in done.stderr and not done.stdout, (text, done)


# -- the model's first text -----------------------------------------------------------------------

def test_the_prompt_for_the_model_is_short(world):
    world.init()
    text = plain(world, "prompt").stdout
    assert len(text) < 1200, (len(text), text)
    for part in (json.dumps(str(world.project)), "You may read:", "You may write:", "Bash commands",
                 "dangerouslyDisableSandbox", "MCP tools", "When a call is refused"):
        assert part in text, (part, text)
    for word in ("mend", "anew", "nobody", "somebody", "stands"):
        assert word not in text.lower(), (word, text)
    event = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(world.project), "source": "startup"}
    done = subprocess.run([world.programs.hook], input=json.dumps(event), capture_output=True, text=True,
                          timeout=PATIENCE, env={"HOME": str(world.home), "CLAUDE_PROJECT_DIR": str(world.project)})
    said = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert said.strip() == text.strip(), (said, text)


# -- uninstalling ---------------------------------------------------------------------------------

class Installed:
    """ringfence in its own prefix, as install.sh leaves it, with other programs' files there."""

    FILES = ("share/man/man1/ringfence.1", "share/man/man1/ringfence-run.1", "share/man/man5/ringfence-policy.5",
             "share/ringfence/policy.schema.json", "share/bash-completion/completions/ringfence",
             "share/zsh/site-functions/_ringfence", "share/fish/vendor_completions.d/ringfence.fish",
             "share/doc/ringfence/LICENSE", "share/doc/ringfence/docs/faq.md", "include/ringfence/sandbox.h",
             "lib/libringfence.a", "lib/pkgconfig/ringfence.pc", "lib/cmake/ringfence/ringfenceConfig.cmake")
    OTHERS = ("bin/other", "share/man/man1/other.1", "share/doc/other/README")

    def __init__(self, world):
        self.world = world
        self.prefix = world.base / "a prefix"
        built = pathlib.Path(world.programs.ringfence).parent
        (self.prefix / "bin").mkdir(parents=True)
        for name in ("ringfence", "ringfence-cli"):
            shutil.copy2(built / name, self.prefix / "bin" / name)
        shutil.copy2(world.programs.hook, self.prefix / "bin/ringfence-hook")
        for name in (*self.FILES, *self.OTHERS):
            world.write(self.prefix / name, "x")
        own = [path for path in self.left() if path not in self.OTHERS]
        world.write(self.prefix / LIST, listed(self.prefix, own))

    def run(self, name, *words):
        return subprocess.run([self.prefix / "bin" / name, *words], cwd=self.world.project, capture_output=True,
                              text=True, timeout=PATIENCE, env={"HOME": str(self.world.home), "PATH": "/usr/bin:/bin"})

    def uninstall(self, *words):
        return subprocess.run([ROOT / "install.sh", "--uninstall", "--prefix", self.prefix, *words],
                              cwd=self.world.project, capture_output=True, text=True, timeout=PATIENCE,
                              env={"HOME": str(self.world.home), "PATH": "/usr/bin:/bin"})

    def left(self):
        return sorted(str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if path.is_file())


def test_uninstall_removes_the_installation_and_keeps_policies(world):
    world.write(world.user, '{\n  "model": "x"\n}\n')
    before = world.user.read_bytes()
    installed = Installed(world)
    for words in (("init",), ("init", "--local")):
        done = installed.run("ringfence", *words)
        assert done.returncode == 0, done
    assert b"ringfence-hook" in world.user.read_bytes()
    policy = world.policy.read_bytes()
    done = installed.uninstall()
    assert done.returncode == 0, done
    assert installed.left() == sorted(Installed.OTHERS), installed.left()
    assert not (installed.prefix / "share/ringfence").exists() and not (installed.prefix / "lib").exists()
    assert world.user.read_bytes() == before and not (world.project / ".claude/settings.local.json").exists()
    assert world.policy.read_bytes() == policy
    for kept in ("~/.config/ringfence", "~/.local/state/ringfence"):
        assert f"Kept {kept} " in done.stdout and done.stdout.count(kept[1:]) == 1, done.stdout
    again = installed.uninstall()
    assert again.returncode == 0 and "nothing to remove" in again.stdout, again
    for kept in (world.policy.parent, world.state):
        assert f"kept: {kept}" in again.stdout, again.stdout
    assert installed.left() == sorted(Installed.OTHERS) and world.policy.read_bytes() == policy


def test_uninstall_handles_a_partial_installation(world):
    installed = Installed(world)
    for name in ("bin/ringfence-cli", "bin/ringfence", "lib/libringfence.a"):
        (installed.prefix / name).unlink()
    done = installed.uninstall()
    assert done.returncode == 0 and installed.left() == sorted(Installed.OTHERS), (done, installed.left())


def test_uninstall_keeps_everything_if_the_list_is_damaged(world):
    installed = Installed(world)
    (installed.prefix / "bin/ringfence-cli").unlink()
    whole, files = (installed.prefix / LIST).read_text(), installed.left()
    digest = whole[:64]
    for line in ("x", f"{digest}  /etc/hosts", f"{digest}  ../x", f"{digest}  share/../../x", f"{digest}  share/.."):
        (installed.prefix / LIST).write_text(f"{whole}{line}\n")
        done = installed.uninstall()
        assert done.returncode == 1 and "is damaged; nothing was removed" in done.stderr, done
    (installed.prefix / LIST).unlink()
    done = installed.uninstall()
    assert done.returncode == 1 and "install it again first" in done.stderr, done
    assert installed.left() == [path for path in files if path != LIST]


def test_uninstall_does_not_leave_a_registered_hook_without_its_program(world):
    installed = Installed(world)
    assert installed.run("ringfence", "init").returncode == 0
    registered, files = world.user.read_bytes(), installed.left()
    # A settings file that cannot be edited: everything stays as it is.
    world.write(world.user, registered + b"}")
    done = installed.uninstall()
    assert done.returncode == 1 and "fix what the line above names" in done.stderr, done
    assert installed.left() == files
    world.write(world.user, registered)
    # No program is left that could unregister the hook.
    script = world.base / "checkout/install.sh"
    world.write(script, (ROOT / "install.sh").read_bytes()).chmod(0o755)
    (installed.prefix / "bin/ringfence-cli").unlink()
    done = subprocess.run([script, "--uninstall", "--prefix", installed.prefix], cwd=world.project,
                          capture_output=True, text=True, timeout=PATIENCE,
                          env={"HOME": str(world.home), "PATH": "/usr/bin:/bin"})
    assert done.returncode == 1 and "install it again first" in done.stderr, done
    assert "bin/ringfence-hook" in installed.left()


def test_uninstall_of_another_prefix_unregisters_nothing(world):
    installed = Installed(world)
    assert installed.run("ringfence", "init").returncode == 0
    registered = world.user.read_bytes()
    done = subprocess.run([ROOT / "install.sh", "--uninstall", "--prefix", world.base / "empty"],
                          cwd=world.project, capture_output=True, text=True, timeout=PATIENCE,
                          env={"HOME": str(world.home), "PATH": "/usr/bin:/bin"})
    assert done.returncode == 0 and "nothing to remove" in done.stdout, done
    assert world.user.read_bytes() == registered and "bin/ringfence-hook" in installed.left()


def test_uninstall_without_a_prefix_names_the_registered_one(world):
    installed = Installed(world)
    assert installed.run("ringfence", "init").returncode == 0
    registered = world.user.read_bytes()

    def uninstall(*arguments):
        return subprocess.run([ROOT / "install.sh", "--uninstall", *arguments], cwd=world.project,
                              capture_output=True, text=True, timeout=PATIENCE,
                              env={"HOME": str(world.home), "PATH": "/usr/bin:/bin"})
    done = uninstall()
    assert done.returncode == 1 and "nothing was removed" in done.stderr, done
    assert world.user.read_bytes() == registered and "bin/ringfence-hook" in installed.left()
    words = shlex.split(done.stderr.split("./install.sh --uninstall ")[1])
    done = uninstall(*words)
    assert done.returncode == 0 and "bin/ringfence-hook" not in installed.left(), done
    assert not world.user.exists() or b"ringfence" not in world.user.read_bytes()


def test_uninstall_rejects_a_project(world):
    done = Installed(world).uninstall(str(world.project))
    assert done.returncode == 1 and "takes no project" in done.stderr, done
