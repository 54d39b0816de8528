"""Runs `ringfence layout`: a third-party KDL parser reads its layouts, and its scripts start a
real tmux whose panes are confined, each by its own profile.
"""

import json
import os
import shutil
import stat
import subprocess

import pytest

import kdl_parser
from command_world import error_of
from terminal_session import TerminalSession

HOSTILE = ["it's", 'a"b\\c', "two\nlines", "$HOME `x` $(x)", "#(x) #{x} ##[fg=red]", ";", "x;", "x\\;", "~/x",
           "%d%%", "\té\u4e2d\u202e", "{}", "[x", "-x", "--", "-x="]
TYPED = [name for name in HOSTILE if not name.startswith("-")]  # others would be options
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "screen"}


def layout(world, *words, command=(), cwd=None):
    line = [world.programs.ringfence, "layout", "--home", str(world.home), *map(str, words)]
    line += ["--", *command] if command else []
    return subprocess.run(line, cwd=cwd or world.project, capture_output=True, timeout=60, text=True,
                          env=ENVIRONMENT, check=False)


def made(world, *words, **more):
    done = layout(world, *words, **more)
    assert done.returncode == 0, done
    return done.stdout


def write_policy(world, profiles, path=None):
    return world.write(path or world.policy, json.dumps({"version": 1, "profiles": profiles}, indent=1))


def folder(world, name):
    (world.base / name).mkdir()
    return world.base / name


def program(world):
    return os.path.join(os.path.dirname(os.path.realpath(world.programs.ringfence)), "ringfence")


def kdl(*texts):
    """The nodes of each text according to the third-party parser."""
    try:
        return kdl_parser.parse(texts)
    except kdl_parser.Unavailable as reason:
        pytest.skip(str(reason))


def kdl_string(text):
    return json.dumps(text, ensure_ascii=False)  # the same, except for unnamed control characters


def value_of(node, name):
    children = [child["values"][0] for child in node["children"] if child["name"] == name and child["values"]]
    return node["properties"].get(name, *children[:1]) if children else node["properties"].get(name)


def panes_of(nodes):
    """(name, argv) of every pane with a command."""
    for node in nodes:
        if (command := value_of(node, "command")) is not None:
            args = [child["values"] for child in node["children"] if child["name"] == "args"]
            yield value_of(node, "name"), [command, *(args[0] if args else [])]
        yield from panes_of(node["children"])


def test_a_layout_has_the_exact_arguments(world):
    policy = write_policy(world, {name: {} for name in [*TYPED, "a"]}, world.base / "policy.json")
    root = folder(world, 'pro"ject\\ \n\'é')
    text = made(world, *TYPED, "a", "a", "--root", root, "--policy", "../policy.json", command=["c", *HOSTILE])
    [nodes] = kdl(text)
    assert nodes, text
    options = [f"--root={root}", f"--policy={policy}", f"--home={world.home}", "--", "c", *HOSTILE]
    names = [*zip(TYPED, TYPED), ("a 1", "a"), ("a 2", "a")]
    assert list(panes_of(nodes)) == [(name, [program(world), "run", f"--profile={profile}", *options])
                                     for name, profile in names], text
    assert [node["values"] for node in nodes[0]["children"] if node["name"] == "cwd"] == [[str(root)]], text


def test_the_default_command_is_the_client(world):
    write_policy(world, {"a": {}})
    [nodes] = kdl(made(world, "a"))
    [(_, argv)] = panes_of(nodes)
    assert argv[-2:] == ["--", "claude"], argv


def test_no_sandbox_runs_the_bare_command(world):
    write_policy(world, {"a": {}})
    done = layout(world, "a", "--no-sandbox", command=["c", "-x"])
    assert done.returncode == 0 and "warning: the panes are not confined" in done.stderr, done
    assert " -- 'c' '-x')\n" in made(world, "a", "--no-sandbox", "--for", "tmux", command=["c", "-x"])
    [nodes] = kdl(done.stdout)
    assert list(panes_of(nodes)) == [("a", ["c", "-x"])], done.stdout


def test_an_unconfined_profile_is_reported(world):
    write_policy(world, {"a": {"sandbox": {"mode": "rwx"}}})
    assert 'profile "a" is not confined' in layout(world, "a").stderr


def test_output_writes_one_executable_file(world):
    write_policy(world, {"a": {}})
    assert made(world, "a", "--for", "tmux", "--output", "x.sh") == ""
    script = world.project / "x.sh"
    assert script.read_text() == made(world, "a", "--for", "tmux")
    assert stat.S_IMODE(script.stat().st_mode) == 0o755
    assert os.listdir(world.project) == ["x.sh"]
    (world.project / "target").write_text("x")
    script.unlink()
    script.symlink_to(world.project / "target")
    assert made(world, "a", "--for", "tmux", "--output", "x.sh") == ""
    assert not script.is_symlink() and stat.S_IMODE(script.stat().st_mode) == 0o755
    assert (world.project / "target").read_text() == "x"
    (world.project / "target").unlink()
    done = layout(world, "a", "--for", "tmux", "--output", "no/x.sh")
    assert done.returncode == 2 and "does not exist" in done.stderr, done
    assert os.listdir(world.project) == ["x.sh"]


def test_wrong_usage_is_an_error(world):
    write_policy(world, {"worker": {}})
    file = world.write(world.project / "x.kdl", "layout { pane command=\"x\"; }")
    writable = folder(world, "writable")
    writable.chmod(0o1777)
    for words, parts in ((("workr",), ("no policy has a profile", 'did you mean "worker"')), ((), ("no profile",)),
                         (("",), ("empty",)), (("[worker]",), ("in brackets",)), (("worker", "--root", "/"), ("may not be",)),
                         (("worker", "--root", "/nonexistent"), ("--root",)),
                         (("worker", "--relay", "/nonexistent"), ("does not exist", "mkdir")),
                         (("worker", "--relay", file), ("is not a directory",)),
                         (("worker", "--relay", ""), ("--relay",)),
                         (("worker", "--relay", writable), ("is world-writable", "chmod o-w")),
                         (("worker", "--in-place"), ("--rewrite FILE",)),
                         (("worker", "--policy", "/nonexistent"), ("/nonexistent",)),
                         (("--rewrite", file, "--for", "tmux"), ("Zellij",)),
                         (("--rewrite", file, "--no-sandbox"), ("--no-sandbox",)),
                         (("--rewrite", file, "--in-place", "--output", "y"), ("cannot be combined with --output",)),
                         (("--rewrite", "/nonexistent"), ("does not exist",)),
                         (("worker", "--for", "screen"), ("--for",))):
        done = layout(world, *words)
        error_of(done, 2, *parts)
        assert done.stdout == "", done
    error_of(layout(world, "worker", cwd=world.home), 2, "is the home directory")
    error_of(layout(world, "--rewrite", file, command=["x"]), 2, "from the file")
    error_of(layout(world, "worker", command=[""]), 2, "command is empty")
    assert file.read_text() == "layout { pane command=\"x\"; }"


# --- the relay ----------------------------------------------------------------------------------


def test_a_relay_without_access_is_an_error_with_the_policy_line(world):
    relay = folder(world, "relay")
    profiles = {"a": {"read": {"allow": ["/"]}, "write": {"allow": ["a"]}}, "b": {}}
    write_policy(world, profiles)
    done = layout(world, "a", "b", "--relay", relay)
    error_of(done, 1, 'profile "a": may not write in the relay', f'add "{relay}" to ~/.config/ringfence/policy.json:',
             " /profiles/a/write/allow", 'profile "b": may not read in the relay',
             f' /profiles/b/read/allow: [".","@claude-scratch","{relay}"]', " /profiles/b/write/allow: [")
    assert done.stdout == "" and 'profile "a": may not read' not in done.stderr, done
    # Following the hint fixes the problem.
    line = int(done.stderr.split("policy.json:")[1].split()[0])
    assert '"a"' in world.policy.read_text().splitlines()[line - 1]
    profiles["a"]["write"]["allow"].append(str(relay))
    profiles["b"] = {section: {"allow": [".", "@claude-scratch", str(relay)]} for section in ("read", "write")}
    write_policy(world, profiles)
    made(world, "a", "b", "--relay", relay)
    made(world, "a", "--relay", "../relay")


def test_a_relay_link_is_resolved(world):
    relay = folder(world, "relay")
    os.symlink("/etc", world.project / "link")
    write_policy(world, {"a": {"read": {"allow": ["/"]}, "write": {"allow": [".", str(relay)]}}})
    error_of(layout(world, "a", "--relay", "link"), 1, '"/etc"')


def test_a_relay_in_the_project_is_named_relative_to_it(world):
    folder(world, "project/relay")
    policy = world.write(world.project / ".ringfence/policy.json",
                         json.dumps({"version": 1, "profiles": {"a": {"write": {"allow": ["src"]}}}}))
    error_of(layout(world, "a"), 2, "not trusted", "ringfence trust")
    assert world.trust().returncode == 0
    error_of(layout(world, "a", "--relay", "relay"), 1, 'add "relay" to', "/profiles/a/write/allow")
    policy.write_text(policy.read_text().replace('"src"', '"src", "relay"'))
    assert world.trust().returncode == 0
    made(world, "a", "--relay", "relay")


# --- rewriting ----------------------------------------------------------------------------------

MINE = """// mine\r
layout {
    pane_template name="agent" command="claude" { args "--model" "opus"; }   // kept
    tab name="one" {
        agent name="a"
        pane name=r#"b"# { command "htop"; /* why */ args "-d" \\
            "1"
        }
        pane size=1 { plugin location="zellij:x" { pane command="no"; }; }
        /-pane command="dead"
        pane edit="notes.md"
    }
}
"""


def test_rewrite_changes_only_the_commands(world):
    write_policy(world, {"a": {}, "b": {}})
    file = world.write(world.project / "mine.kdl", MINE)
    done = layout(world, "--rewrite", file)
    assert done.returncode == 0 and 'mine.kdl:11:9: opens an editor' in done.stderr, done
    wrapped = ["run", "--profile={}", f"--root={world.project}", f"--home={world.home}", "--"]
    words = {name: " ".join(kdl_string(word.format(name)) for word in wrapped) for name in "ab"}
    command = kdl_string(program(world))
    want = MINE.replace('agent name="a"', f'agent command={command} name="a" {{ '
                        f'args {words["a"]} "claude" "--model" "opus"; }}')
    want = want.replace('command "htop"', f"command {command}").replace('args "-d"', f'args {words["b"]} "htop" "-d"')
    assert done.stdout == want.replace("\r\n", "\n"), done.stdout  # read as text
    assert file.read_bytes() == MINE.encode()
    before, after = kdl(MINE, want)
    assert before and after, (before, after)
    assert [name for name, _ in panes_of(after)] == ["agent", "a", "b", None], after


def test_rewrite_in_place_keeps_the_file_and_is_idempotent(world):
    write_policy(world, {"a": {}, "b": {}})
    file = world.write(world.base / "real.kdl", MINE)
    file.chmod(0o640)
    os.symlink(file, world.project / "mine.kdl")
    assert made(world, "--rewrite", "mine.kdl", "--in-place") == ""
    once = file.read_bytes()
    assert once != MINE.encode() and once.startswith(b"// mine\r\n") and b"--profile=b" in once
    assert stat.S_IMODE(file.stat().st_mode) == 0o640 and (world.project / "mine.kdl").is_symlink()
    before = os.stat(file)
    made(world, "--rewrite", "mine.kdl", "--in-place")
    assert file.read_bytes() == once and os.stat(file).st_ino == before.st_ino
    assert made(world, "--rewrite", "mine.kdl", "--output", "copy.kdl") == ""
    assert (world.project / "copy.kdl").read_bytes() == once


def test_a_layout_that_cannot_be_rewritten_is_not_changed(world):
    write_policy(world, {"a": {}})
    for text, place in (("layout {\n pane name=\"a\" command=\"x\"\n pane name=\"z\" command=\"y\"\n}", ":3:2: "),
                        ("layout {\n pane name=\"a\" command=\"x\" {\n", ":2:28: "),
                        ("layout {\n pane name=\"a\" command=\"\\x\"\n}", ":2:25: "),
                        ("layout { pane name=\"a\" command=\"x\" }", ":1:36: "),
                        ("layout { pane; }", ": no pane has a command")):
        file = world.write(world.project / "x.kdl", text)
        error_of(layout(world, "--rewrite", "x.kdl", "--in-place"), 2, "x.kdl" + place)
        assert file.read_text() == text and os.listdir(world.project) == ["x.kdl"]


def test_rewrite_checks_the_relay_too(world):
    relay = folder(world, "relay")
    write_policy(world, {"a": {}, "b": {}})
    file = world.write(world.project / "mine.kdl", MINE)
    error_of(layout(world, "--rewrite", file, "--relay", relay, "--in-place"), 1, 'profile "a"', 'profile "b"')
    assert file.read_bytes() == MINE.encode()


# --- results -------------------------------------------------------------------------------------


def need_sandbox(world):
    done = subprocess.run([world.programs.ringfence, "run", "--root", world.project, "--home", world.home, "--", "true"],
                          cwd=world.project, capture_output=True, text=True, timeout=60, env=ENVIRONMENT, check=False)
    if done.returncode != 0 and not os.environ.get("REQUIRE_SANDBOX"):
        pytest.skip(f"no sandbox here: {done.stderr.strip()}")


def test_ringfence_run_accepts_hostile_profile_names(world):
    need_sandbox(world)
    write_policy(world, {name: {} for name in HOSTILE})
    panes = "".join(f"pane name={kdl_string(name)} command=\"printf\" {{ args \"%s\" {kdl_string(name)}; }};"
                    for name in HOSTILE)
    world.write(world.project / "x.kdl", f"layout {{ {panes} }}")
    [nodes] = kdl(made(world, "--rewrite", "x.kdl"))
    for name, argv in panes_of(nodes):
        done = subprocess.run(argv, cwd=world.project, capture_output=True, text=True, timeout=60, env=ENVIRONMENT, check=False)
        assert (done.returncode, done.stdout) == (0, name), (argv, done)


class Tmux:
    """A separate tmux server, at its own socket."""

    def __init__(self, world):
        if not shutil.which("tmux"):
            pytest.skip("tmux is not installed")
        self.options = ["-S", str(world.base / "tmux.sock"), "-f", "/dev/null"]

    def run(self, *words):
        return subprocess.run(["tmux", *self.options, *words], capture_output=True, text=True, timeout=60,
                              env=ENVIRONMENT, check=False)

    def start(self, script):
        done = subprocess.run(["sh", script, *self.options], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60, env=ENVIRONMENT, cwd="/", check=False)
        assert done.returncode == 0, done

    def screens(self):
        panes = self.run("list-panes", "-a", "-F", "#{pane_id}").stdout.split()
        return {pane: self.run("capture-pane", "-p", "-S", "-", "-t", pane).stdout.strip() for pane in panes}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Kills the server and waits for its panes, which write to the test's home until they
        have ended."""
        panes = self.run("list-panes", "-a", "-F", "#{pane_pid}").stdout.split()
        self.run("kill-server")
        for _ in TerminalSession.moments():
            if not any(os.path.exists(f"/proc/{pane}") for pane in panes):
                break


# Tries to write everywhere and to see its siblings' terminals, and reports in the relay.
STUB = """#!/bin/sh
relay=$1 socket=$2; shift 2
could=
for place in a b c; do
  if (: > "$place/by-agent") 2> /dev/null; then could=$could$place; fi
done
if tmux -S "$socket" list-sessions > /dev/null 2>&1; then could=${could}-tmux; fi
printf '%s\\n' "$PWD" "$#" "$@" > "$relay/.$could"
mv "$relay/.$could" "$relay/could-$could"
echo "told $could"
exec sleep 600
"""


def test_each_pane_of_tmux_is_confined_by_its_profile(world):
    need_sandbox(world)
    relay = folder(world, "relay")
    for name in "abc":
        folder(world, f"project/{name}")
    write_policy(world, {name: {"read": {"allow": [".", str(relay)]}, "write": {"allow": [name, str(relay)]}}
                         for name in "abc"})
    stub = world.write(world.project / "stub", STUB)
    stub.chmod(0o755)
    with Tmux(world) as tmux:
        made(world, "a", "b", "c", "--relay", relay, "--for", "tmux", "--output", "x.sh",
             command=["./stub", str(relay), tmux.options[1], *HOSTILE])
        tmux.start(world.project / "x.sh")
        for _ in TerminalSession.moments():
            told = sorted(os.listdir(relay))
            if len(told) == 3 and not any(name.startswith(".") for name in told):
                break
        # The objects that the panes could not reach exist outside.
        assert tmux.run("list-sessions").returncode == 0
        assert told == ["could-a", "could-b", "could-c"], (told, tmux.screens())
        for name in "abc":
            heard = (relay / f"could-{name}").read_text()
            assert heard == "\n".join([str(world.project), str(len(HOSTILE)), *HOSTILE]) + "\n", heard
            assert os.listdir(world.project / name) == ["by-agent"]
        assert tmux.run("list-panes", "-a", "-F", "#{@ringfence}").stdout.split() == ["a", "b", "c"]


def test_a_pane_that_cannot_start_stays_open(world):
    write_policy(world, {"a": {}, "b": {}})
    with Tmux(world) as tmux:
        made(world, "a", "b", "--for", "tmux", "--output", "x.sh", command=["no-such-program"])
        world.policy.unlink()
        tmux.start(world.project / "x.sh")
        for _ in TerminalSession.moments():
            # Does not check the screens: tmux 3.3 can lose a program's last output, and its own
            # line too.
            ends = tmux.run("list-panes", "-a", "-F", "#{pane_dead} #{pane_dead_status}").stdout.splitlines()
            if ends == ["1 2", "1 2"]:
                return
        raise AssertionError((ends, tmux.screens()))


def test_a_pane_name_is_not_run_as_a_tmux_format(world):
    """tmux runs commands in "#(...)" of a format."""
    name = f"#(touch {world.base}/ran) $(touch {world.base}/ran) it's;"
    write_policy(world, {name: {}})
    with Tmux(world) as tmux:
        made(world, name, name, "--for", "tmux", "--no-sandbox", "--output", "x.sh", command=["sleep", "600"])
        tmux.start(world.project / "x.sh")
        world.environment = ENVIRONMENT
        with TerminalSession([shutil.which("tmux"), *tmux.options, "attach-session"], world) as screen:
            screen.resize(50, 250)
            screen.wait(f" {name} 1 ")
            screen.wait(f" {name} 2 ")
            assert not (world.base / "ran").exists()
            # Control: as a format, the command would run.
            tmux.run("set-option", "-w", "pane-border-format", f"#(touch {world.base}/ran)")
            for _ in screen.moments():
                screen.read()
                if (world.base / "ran").exists():
                    break
            assert (world.base / "ran").exists()
            tmux.run("kill-server")
            screen.status()


def test_a_failed_layout_leaves_no_session(world):
    write_policy(world, {name: {} for name in "abcdefgh"})
    with Tmux(world) as tmux:
        script = made(world, *"abcdefgh", "--for", "tmux", "--no-sandbox", command=["sleep", "600"])
        file = world.write(world.project / "x.sh", script.replace("-x 200 -y 50", "-x 4 -y 4"))
        tmux.run("new-session", "-d", "-s", "other", "sleep", "600")
        done = subprocess.run(["sh", file, *tmux.options], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60, env=ENVIRONMENT, check=False)
        assert done.returncode != 0 and "no space" in done.stderr, done
        assert tmux.run("list-sessions", "-F", "#{session_name}").stdout.split() == ["other"]
