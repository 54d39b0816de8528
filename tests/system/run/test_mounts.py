"""`ringfence run` and the hook where mounts show the home or a part of the project a second
time, and where the home is known only from /etc/passwd. Each case has its own mounts.
"""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

from sandbox import Sandbox

pytestmark = pytest.mark.users("ordinary", "root")

LANDLOCK = ("--layers", "landlock")
# Mounts "WHAT=WHERE" arguments, then runs the rest.
BIND = """
while [ "$1" != -- ]; do mount --bind "${1%%=*}" "${1#*=}" || exit 77; shift; done
shift
exec "$@"
"""


class Bound(Sandbox):
    """A sandbox started with some directories mounted a second time."""

    def __init__(self, world, *pairs, policy=None):
        super().__init__(world)
        if policy is not None:
            world.write(world.policy, json.dumps({"version": 1, **policy}))
        # An ordinary user needs a user namespace to mount anything, and is root in it.
        own = ["-r", "-U"] if self.user is not None or os.geteuid() != 0 else []
        self.outside = ["unshare", *own, "-m", "sh", "-c", BIND, "sh",
                        *(f"{what}={where}" for what, where in pairs), "--"]
        self.prefix = self.outside

    def run(self, command, *options, text=None, env=None):
        done = super().run(command, *options, text=text, env=env)
        if done.returncode == 77:
            pytest.skip("nothing can be mounted here")
        return done

    def bare(self, command):
        """The same command there without a sandbox, as a control."""
        started, self.prefix = self.prefix, [*self.outside, "sh", "-c", 'shift 3; exec "$@"', "sh"]
        try:
            return self.run(command)
        finally:
            self.prefix = started

    def ask(self, tool, path, **environment):
        """The hook's answer to a call there."""
        world = self.world
        event = {"hook_event_name": "PreToolUse", "session_id": "s", "permission_mode": "default",
                 "cwd": str(world.project), "tool_name": tool,
                 "tool_input": {"file_path": str(path), "content": "x"}}
        environment = environment or {"HOME": world.home}
        self.prefix = [*self.outside, "env", "-i", f"CLAUDE_PROJECT_DIR={world.project}",
                       *(f"{key}={value}" for key, value in environment.items()),
                       "/bin/sh", "-c", 'exec "$0"', str(self.hook)]
        try:
            return super().run([], text=json.dumps(event))
        finally:
            self.prefix = self.outside


def refused(done, *secrets):
    assert not any(secret in done.stdout for secret in secrets), done
    return done.returncode != 0


# -- a second name -----------------------------------------------------------------------------------

def second_in(home):
    """A directory in the home, which is visible in every sandbox."""
    other = home / "second"
    other.mkdir()
    return other


def second_home(world, **policy):
    other = second_in(world.home)
    world.write(world.home / ".ssh/id_rsa", "secret\n")
    world.write(world.home / ".bashrc", "mine\n")
    world.write(world.home / "notes/a", "note\n")
    return other, Bound(world, (world.home, other), policy=policy)


def test_hidden_files_are_hidden_in_a_second_mount_of_the_home(world):
    other, sandbox = second_home(world, read={"deny": ["@secrets", "~/notes"]})
    for path in (other / ".ssh/id_rsa", other / "notes/a"):
        assert sandbox.bare(["cat", str(path)]).returncode == 0
        for options in ((), LANDLOCK, ("--agent",)):
            done = sandbox.run(["cat", str(path)], *options)
            assert refused(done, "secret", "note"), (options, done)
    assert sandbox.run(["cat", str(other / ".bashrc")]).stdout == "mine\n"


def test_files_hidden_by_a_pattern_are_hidden_in_a_second_mount(world):
    other = second_in(world.home)
    world.write(world.project / "app/.env", "secret\n")
    sandbox = Bound(world, (world.project, other), policy={"read": {"deny": ["**/.env"]}})
    assert sandbox.bare(["cat", str(other / "app/.env")]).stdout == "secret\n"
    # Landlock alone hides nothing below a writable directory.
    assert refused(sandbox.run(["cat", str(other / "app/.env")]), "secret")


CHANGE = """
import os, sys
for name in sys.argv[1:]:
    for change in (lambda: open(name, "w").write("changed"), lambda: os.rename(name, name + "2"),
                   lambda: os.unlink(name), lambda: os.mkdir(name)):
        try:
            change()
        except OSError:
            pass
"""


def change(sandbox, *names, options=()):
    done = sandbox.run(["/usr/bin/python3", "-c", CHANGE, *map(str, names)], *options)
    assert done.returncode == 0, done


def test_write_rules_apply_in_a_second_mount_of_the_home(world):
    # The home is mounted below the project, where the policy permits writes.
    other = world.project / "around/mnt"
    other.mkdir(parents=True)
    world.write(world.home / ".bashrc", "mine\n")
    sandbox = Bound(world, (world.home, other), policy={"write": {"deny": ["~/keep"]}})
    names = [other / ".bashrc", other / ".zshrc", other / "keep", other / ".ringfence-x"]
    for options in ((), LANDLOCK):
        change(sandbox, *names, options=options)
        assert (world.home / ".bashrc").read_text() == "mine\n", options
        left = sorted(path.name for path in world.home.iterdir())
        assert ".zshrc" not in left and "keep" not in left, (options, left)
        # A directory above the mount cannot be moved, which would give the mount a name that no
        # rule covers.
        sandbox.run(["mv", "around", "elsewhere"], *options)
        assert other.is_dir() and not (world.project / "elsewhere").exists(), options
    sandbox.run(["sh", "-c", "echo x > around/mnt/plain"])
    assert (world.home / "plain").read_text() == "x\n"


def test_denied_names_stay_denied_in_a_second_mount_of_the_project(world):
    other = second_in(world.home)
    (world.project / "docs").mkdir()
    sandbox = Bound(world, (world.project, other), policy={"write": {"deny": ["docs/adr"]}})
    for options in ((), LANDLOCK):
        change(sandbox, other / "docs/adr", other / ".git/hooks", options=options)
        assert not (world.project / "docs/adr").exists(), options
        assert not (world.project / ".git").exists(), options


def test_the_hook_recognizes_paths_in_a_second_mount(world):
    other, sandbox = second_home(world)
    world.write(world.policy, json.dumps({"version": 1, "read": {"allow": [".", str(world.base)]},
                                          "write": {"allow": [".", str(world.base)]}}))
    for tool, path, want in (("Read", other / ".ssh/id_rsa", "deny"),
                             ("Read", other / "notes/a", ""),
                             ("Write", other / ".config/ringfence/policy.json", "deny"),
                             ("Write", other / ".bashrc", "ask"), ("Write", other / "notes/a", "")):
        done = sandbox.ask(tool, path)
        assert done.returncode == 0, done
        assert (f'"permissionDecision":"{want}"' in done.stdout) if want else not done.stdout, (
            tool, path, done)


# -- the home of /etc/passwd -------------------------------------------------------------------------

def with_passwd(world, home, policy=None):
    """The user, who is root there, has this home in /etc/passwd, or no line if home is ""."""
    line = f"me:x:0:0::{home}:/bin/sh\n" if home else "other:x:1:1::/:/bin/sh\n"
    if home:
        world.write(home / ".ssh/id_rsa", "secret\n")
    file = world.write(world.base / "passwd", line)
    file.chmod(0o644)
    return Bound(world, (file, "/etc/passwd"), policy=policy)


def test_without_HOME_the_home_of_passwd_is_protected(world):
    sandbox = with_passwd(world, world.home)
    key = str(world.home / ".ssh/id_rsa")
    assert sandbox.bare(["cat", key]).stdout == "secret\n"
    for options in ((), LANDLOCK):
        sandbox.prefix = [*sandbox.outside, "env", "-i", "PATH=/usr/bin:/bin"]
        done = sandbox.run(["cat", key], *options)
        assert refused(done, "secret") and done.returncode == 1, done
    assert '"deny"' in sandbox.ask("Read", key, PATH="/bin").stdout


def test_another_HOME_leaves_the_home_of_passwd_protected(world):
    real = world.base / "real"
    policy = {"read": {"allow": [".", str(world.base), "~/notes"]},
              "write": {"allow": [".", "~/notes", "~/made", str(world.home / "plain")]}}
    sandbox = with_passwd(world, real, policy)
    for home in (world.home, real):
        world.write(home / "notes/a", "old\n")
    for options in ((), LANDLOCK):
        assert refused(sandbox.run(["cat", str(real / ".ssh/id_rsa")], *options), "secret"), options
        sandbox.run(["sh", "-c", f"for home in {world.home} {real}; do echo new > $home/notes/a; done"],
                    *options)
    # "~" in the policy allows only paths below HOME.
    assert (world.home / "notes/a").read_text() == "new\n"
    assert (real / "notes/a").read_text() == "old\n"
    assert (world.home / "made").is_dir() and not (real / "made").exists()
    home = {"HOME": world.home}
    assert '"deny"' in sandbox.ask("Read", real / ".ssh/id_rsa", **home).stdout
    assert '"deny"' in sandbox.ask("Write", real / "notes/a", **home).stdout
    assert not sandbox.ask("Write", world.home / "notes/a", **home).stdout
    assert not sandbox.ask("Write", "~/notes/a", **home).stdout
    done = sandbox.ask("Write", "~/plain/x", **home)
    assert '"deny"' in done.stdout and "Use an absolute path: HOME and /etc/passwd" in done.stdout, done
    assert not sandbox.ask("Write", world.home / "plain/x", **home).stdout


def test_an_unknown_home_stops_the_start(world):
    sandbox = with_passwd(world, "")
    sandbox.prefix = [*sandbox.outside, "env", "-u", "HOME"]
    done = sandbox.run(["true"])
    assert done.returncode == 2 and "no home directory is known" in done.stderr, done
    assert "set HOME to your home directory, or name that: --home DIR" in done.stderr, done
    assert sandbox.run(["true"], "--home", str(world.home)).returncode == 0
    sandbox.prefix = sandbox.outside
    assert sandbox.run(["true"]).returncode == 0


def test_every_command_finds_the_home_of_passwd(world):
    def command(sandbox, *words):
        ringfence = world.base / "ringfence"
        hook = ["--hook", str(world.programs.hook)] if words[0] in ("check", "doctor", "init") else []
        return subprocess.run([*sandbox.outside, "env", "-i", "PATH=/usr/bin:/bin", ringfence, *words,
                               *hook], cwd=world.project, capture_output=True, text=True, timeout=60)

    if os.geteuid() != 0:
        pytest.skip("needs root")
    world.as_root = True
    (world.home / "data").mkdir()
    sandbox = with_passwd(world, world.home)
    shutil.copy(pathlib.Path(world.programs.ringfence).parent / "ringfence-cli", world.base)
    done = command(sandbox, "allow", "~/data")
    if done.returncode == 77:
        pytest.skip("nothing can be mounted here")
    assert done.returncode == 0 and "~/data" in world.policy.read_text(), done
    assert command(sandbox, "explain", "Write", "~/data/x").returncode == 0
    assert command(sandbox, "init", "--no-client-sandbox").returncode == 0 and world.user.exists()
    for words in (("check",), ("prompt",), ("doctor",)):
        done = command(sandbox, *words)
        assert done.returncode in (0, 1) and "home" not in done.stderr, (words, done)
    (world.base / "passwd").write_text("other:x:1:1::/:/bin/sh\n")
    for words in (("allow", "~/data"), ("explain", "Read", "/etc/hosts"), ("init",)):
        done = command(sandbox, *words)
        assert done.returncode == 2 and "no home" in done.stderr and "--home DIR" in done.stderr, done


def test_an_invalid_HOME_is_an_error_or_harmless(world):
    sandbox = with_passwd(world, world.home)
    key = str(world.home / ".ssh/id_rsa")
    for home in ("relative", "../x"):
        done = sandbox.run(["true"], env={"HOME": home})
        assert done.returncode == 2 and "is not an absolute path" in done.stderr, done
        assert "give the absolute path of your home directory" in done.stderr, done
        done = sandbox.ask("Read", "src/a.txt", HOME=home)
        assert done.returncode == 2 and "is not an absolute path" in done.stderr, done
    for home in ("/", "//", "/nonexistent", ""):
        assert sandbox.run(["true"], env={"HOME": home}).returncode == 0, home
        assert refused(sandbox.run(["cat", key], env={"HOME": home}), "secret"), home
        assert '"deny"' in sandbox.ask("Read", key, HOME=home).stdout, home
