"""Names that a file system treats as those of protected files: short names of FAT and NTFS,
other letter case, ligatures, and ignored characters. Needs root and /dev/fuse, to mount one
(alias_fs.py).
"""

import json
import os
import shutil
import subprocess
import sys

import pytest

from alias_fs import AliasFs, fold
from sandbox import Sandbox

LANDLOCK = ("--layers", "landlock")
UNTOUCHED = "untouched\n"
THERE = (".claude/settings.json", ".mcp.json", "sub/.git/config", ".envrc")
# Spellings of existing files.
SPELLINGS = {
    ".claude/settings.json": ("CLAUDE~1/SETTIN~1.JSO", "claude~1/settings.json", ".CLAUDE/Settings.JSON",
                              ".cla\u00adude/settings.json", ".claude/settings\ufe0f.json"),
    ".mcp.json": ("MCP~1.JSO", "mcp~1.jso", ".mcp\ufe0f.json", ".M\u200bCP.json"),
    "sub/.git/config": ("sub/GIT~1/config", "sub/.git/con\ufb01g", "sub/.g\u2060it/CONFIG", "SUB~1/.git/config"),
    ".envrc": ("ENVRC~1", ".env\u00adrc"),
}
# Created names, and the files that they would be.
NEW = {
    ".vs\ufe0fcode/tasks.json": ".vscode",
    ".cla\u00adude/settings.local.json": ".claude/settings.local.json",
    "CLAUDE~1/settings.local.json": ".claude/settings.local.json",
    "sub/.git/hoo\u200bks/pre-commit": "sub/.git/hooks",
    ".\ufeffhusky/pre-commit": ".husky",
}
WRITE = """
import os, sys
for name in sys.argv[1:]:
    try:
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        with open(name, "w") as file:
            file.write("escaped\\n")
    except OSError:
        pass
    try:
        with open("ordinary", "w") as file:
            file.write("escaped\\n")
        os.rename("ordinary", name)
    except OSError:
        pass
"""


def exists_in_any_spelling(folder, name):
    first, _, rest = name.partition("/")
    return any(not rest or exists_in_any_spelling(folder / entry, rest)
               for entry in (os.listdir(folder) if folder.is_dir() else ()) if fold(entry) == fold(first))


class AliasWorld:
    """The world's project on a file system with aliases; `seen` is the directory behind it."""

    def __init__(self, world):
        if os.geteuid() != 0 or not os.path.exists("/dev/fuse"):
            pytest.skip("needs root and /dev/fuse")
        self.world, self.seen = world, world.base / "seen"
        self.seen.mkdir()
        self.sandbox = Sandbox(world)
        (world.project / "hook").rename(world.base / "hook")
        self.fs = AliasFs(self.seen, world.project)

    def __enter__(self):
        self.fs.__enter__()
        self.restore()
        return self

    def __exit__(self, *_):
        self.fs.__exit__()

    def restore(self):
        subprocess.run(["sh", "-c", "rm -rf * .[!.]*"], cwd=self.seen, check=True)
        for name in THERE:
            self.world.write(self.seen / name, UNTOUCHED)
        for name in ("HEAD", "objects/x", "refs/x"):
            self.world.write(self.seen / "sub/.git" / name, "ref: refs/heads/main\n")

    def changed(self, name):
        path = self.seen / name
        if name in THERE:
            return not path.exists() or path.read_text() != UNTOUCHED
        return exists_in_any_spelling(self.seen, name)


def writes(world, options):
    with AliasWorld(world) as aliases:
        cases = [(spelling, name) for name, all_ in SPELLINGS.items() for spelling in all_]
        escaped = []
        for spelling, name in [*cases, *NEW.items()]:
            aliases.restore()
            subprocess.run([sys.executable, "-c", WRITE, spelling], cwd=world.project, check=True)
            assert aliases.changed(name), f"{spelling!a}: not without a sandbox"
            aliases.restore()
            done = aliases.sandbox.python(WRITE.replace("sys.argv[1:]", repr([spelling])), *options)
            assert done.returncode == 0, done
            if aliases.changed(name):
                escaped.append(f"{spelling!a}")
        assert not escaped, escaped


def test_no_spelling_of_a_protected_name_is_writable(world):
    writes(world, ())


def test_no_spelling_of_a_protected_name_is_writable_with_landlock_alone(world):
    writes(world, LANDLOCK)


def test_ordinary_work_is_permitted(world):
    with AliasWorld(world) as aliases:
        script = "mkdir -p src~1 && echo x > src~1/a~1.c && mv src~1/a~1.c 'b~2' && cat 'B~2' && rm 'b~2'"
        done = aliases.sandbox.run(["sh", "-c", script])
        assert done.returncode == 0 and done.stdout == "x\n", done


HIDE_DOTENV = '{"version": 1, "read": {"deny": ["**/.env"]}}'
NOTE = '/.env" is on a file system of type "fuse", which may accept other spellings'


def weaker_of(world, sandbox):
    shutil.copy(world.programs.ringfence + "-cli", world.base)
    done = sandbox.run(["true"], "--dry-run")
    assert done.returncode == 0 and "/.env" in done.stdout, done
    return [line for line in done.stdout.splitlines() if line.startswith("weaker")]


def test_the_plan_notes_that_other_spellings_read_hidden_files(world):
    with AliasWorld(world) as aliases:
        world.write(world.policy, HIDE_DOTENV)
        world.write(aliases.seen / ".env", "secret\n")
        done = aliases.sandbox.run(["cat", ".env"])
        assert "secret" not in done.stdout, done
        done = aliases.sandbox.run(["cat", "ENV~1"])
        assert done.stdout == "secret\n", f"it is covered now: drop the note, and say so in the docs: {done}"
        said = weaker_of(world, aliases.sandbox)
        assert any(NOTE in line for line in said), said


def test_the_plan_has_no_spelling_note_on_other_file_systems(world):
    sandbox = Sandbox(world)
    world.write(world.policy, HIDE_DOTENV)
    world.write(world.project / ".env", "secret\n")
    said = weaker_of(world, sandbox)
    assert said and not any("spellings" in line for line in said), said


def test_hard_links_that_look_like_short_names_work(world):
    sandbox = Sandbox(world)
    script = "echo x > b && ln b a~1 && ln b c && rm a~1 && mv c d~1 && ls"
    done = sandbox.run(["sh", "-c", script])
    assert done.returncode == 0 and set(done.stdout.split()) >= {"b", "d~1"}, done
    assert not {"a~1", "c"} & set(done.stdout.split()), done


def test_the_hook_recognizes_each_spelling(world):
    with AliasWorld(world) as aliases:
        for spelling in [*(one for all_ in SPELLINGS.values() for one in all_), *NEW]:
            event = {"hook_event_name": "PreToolUse", "tool_name": "Write", "session_id": "s",
                     "cwd": str(world.project), "tool_input": {
                         "file_path": str(world.project / spelling), "content": "x"}}
            done = subprocess.run(
                [world.programs.hook], input=json.dumps(event), capture_output=True, text=True,
                timeout=20, check=False,
                env={"HOME": str(world.home), "CLAUDE_PROJECT_DIR": str(world.project)})
            said = json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] if done.stdout else ""
            assert said in ("deny", "ask") or done.returncode == 2, f"{spelling!a}: {done}"
