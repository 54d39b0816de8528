"""The hook of the plugin becomes the program that answers a slash command."""

import json
import os
import shutil
import subprocess

import pytest

NAMES = """#!/bin/sh
printf '%s\\n' "$@" --
exec env
"""


@pytest.fixture(name="hook")
def fixture_hook(pytestconfig, tmp_path):
    """A copy of the program, in a directory without the other ones."""
    return shutil.copy(pytestconfig.option.hook, tmp_path / "ringfence-hook")


def ask(hook, *options, home="/h", **members):
    event = {"hook_event_name": "UserPromptExpansion", "command_source": "plugin",
             "command_name": "ringfence:explain", "command_args": "Read '; x", **members}
    environment = {"HOME": home, "CLAUDE_CONFIG_DIR": "/h/cc", "PATH": "/evil", "LD_LIBRARY_PATH": "/evil",
                   "CLAUDE_PROJECT_DIR": "/p", **{name: value for name, value in os.environ.items()
                                                  if name == "LLVM_PROFILE_FILE"}}
    return subprocess.run([hook, *options], input=json.dumps(event), text=True, capture_output=True,
                          env=environment, timeout=30)


def program_beside(hook, text):
    program = hook.with_name("ringfence")
    program.write_text(text)
    program.chmod(0o755)


def test_it_becomes_the_program_beside_it(hook):
    program_beside(hook, NAMES)
    done = ask(hook, "--plugin")
    words, environment = done.stdout.split("--\nexplain", 1)[1].split("--\n", 1)
    assert done.returncode == 0 and done.stdout.startswith("answer\n")
    assert words == "\n/p\nRead '; x\n"
    names = {line.split("=")[0] for line in environment.splitlines()} - {"PWD", "SHLVL", "_", "OLDPWD"}
    assert names == {"HOME", "CLAUDE_CONFIG_DIR", "PATH"} and "PATH=/usr/local/bin:/usr/bin:/bin\n" in environment
    assert ask(hook, "--plugin", "--home", "/h").stdout == done.stdout
    # A project's own command of that name does not take its place.
    assert ask(hook, "--plugin", command_source="user").stdout == done.stdout


def test_no_signal_stays_blocked(hook):
    program_beside(hook, "#!/bin/sh\nexec grep SigBlk /proc/self/status\n")
    assert ask(hook, "--plugin").stdout.split() == ["SigBlk:", "0" * 16]


def test_a_missing_program_is_named(hook):
    done = ask(hook, "--plugin")
    assert done.returncode == 2 and not done.stdout
    assert f"start {hook.with_name('ringfence')}" in done.stderr and "install ringfence again" in done.stderr


def test_nothing_else_is_answered(hook):
    program_beside(hook, NAMES)
    for done in (ask(hook), ask(hook, "--plugin", command_name="other:explain"),
                 ask(hook, "--plugin", "--home", "/h", command_args=5, command_name=5)):
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
