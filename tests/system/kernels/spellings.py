"""Other spellings of protected and hidden names, on file systems that treat them as the same file:
FAT with its short names, and ext4 with casefold. machine.py creates the disks.

Each spelling is tried without the sandbox first. A case returns the reasons for spellings that do
not work there.
"""

import ctypes
import fcntl
import json
import os
import pathlib
import shutil
import struct

POLICY = {"version": 1, "read": {"deny": ["**/.env", "secret"]}, "write": {"deny": ["docs/adr"]}}
UNTOUCHED = "untouched\n"
SECRET = "the secret\n"
FILES = {".claude/settings.json": UNTOUCHED, ".git/HEAD": "ref: refs/heads/main\n", ".git/config": UNTOUCHED,
         ".git/hooks/sample": UNTOUCHED, ".git/objects/x": UNTOUCHED, ".git/refs/x": UNTOUCHED,
         ".github/workflows/ci.yml": UNTOUCHED, "docs/adr/1": UNTOUCHED, ".env": SECRET, "secret/key": SECRET}

# Spellings of existing and new files, and the names that they denote.
UPPER = {".CLAUDE/SETTINGS.JSON": ".claude/settings.json",
         ".Claude/settings.local.json": ".claude/settings.local.json",
         ".git/Config": ".git/config", ".GIT/HOOKS/post-merge": ".git/hooks/post-merge",
         ".GitHub/workflows/ci.YML": ".github/workflows/ci.yml", "DOCS/adr/2": "docs/adr/2",
         ".VSCode/tasks.json": ".vscode/tasks.json"}
FAT_WRITES = {**UPPER, "CLAUDE~1/settings.json": ".claude/settings.json",
              "claude~1/SETTIN~1.JSO": ".claude/settings.json",
              "GIT~1/hooks/pre-push": ".git/hooks/pre-push",
              "GITHUB~1/WORKFL~1/x.yml": ".github/workflows/x.yml",
              ".claude./settings.json.": ".claude/settings.json",
              ".claude/settings.local.json.": ".claude/settings.local.json",
              ".git/hooks./pre-commit": ".git/hooks/pre-commit", ".mcp.json...": ".mcp.json",
              ".vscode./launch.json": ".vscode/launch.json"}
FAT_READS = {".ENV": ".env", "ENV~1": ".env", ".env.": ".env", "env~1": ".env", "SECRET/KEY": "secret/key",
             "secret./key": "secret/key", ".env": ".env"}
FOLDED_WRITES = {**UPPER, ".cla\u200cude/settings.json": ".claude/settings.json",
                 ".claude/sett\u00adings.json": ".claude/settings.json",
                 ".claude/\u017fettings.json": ".claude/settings.json",
                 ".git/con\ufb01g": ".git/config", ".git/hoo\u212as/pre-push": ".git/hooks/pre-push",
                 ".git/h\u200cooks/post-commit": ".git/hooks/post-commit",
                 ".github/work\ufb02ows/x.yml": ".github/workflows/x.yml",
                 ".vs\ufe0fcode/tasks.json": ".vscode/tasks.json"}
FOLDED_READS = {".ENV": ".env", ".e\u200cnv": ".env", ".\u00adenv": ".env",
                "\u017fecret/\u212aey": "secret/key", "se\u200ccret/key": "secret/key", ".env": ".env"}

# Prints the operations that succeeded.
TRY = """
import json, os, sys
writes, reads = json.loads(sys.argv[1])
def write(name):
    with open(name, "w") as file:
        file.write("escaped")
def replace(name):
    write("made")
    os.rename("made", name)
def link(name):
    os.link("made", name)
def symlink(name):
    os.symlink("made", name)
def attempt(how, name):
    try:
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        how(name)
        print(how.__name__, ascii(name))
    except OSError:
        pass
def read(name):
    with open(name) as file:
        if "secret" not in file.read():
            raise OSError("it is covered")
write("ordinary~1.txt")
for name in writes:
    write("made")
    for how in (write, link, symlink, replace):
        attempt(how, name)
for name in reads:
    attempt(read, name)
"""


def fold_names(folder):
    """Makes an empty directory, and those created in it, ignore letter case (chattr +F)."""
    get_flags, set_flags, casefold = 0x80086601, 0x40086602, 0x40000000
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        flags = struct.unpack("=Q", fcntl.ioctl(opened, get_flags, bytes(8)))[0]
        fcntl.ioctl(opened, set_flags, struct.pack("=Q", flags | casefold))
    finally:
        os.close(opened)


class Disk:
    """A project on a disk, mounted inside `with`."""

    def __init__(self, home, device, kind, options=""):
        self.home, self.device, self.kind, self.options = home, device, kind, options
        self.folder = pathlib.Path("/srv/disk")
        self.project = self.folder / "project"

    def __enter__(self):
        libc = ctypes.CDLL(None, use_errno=True)
        self.folder.mkdir(exist_ok=True)
        words = (self.device, str(self.folder), self.kind)
        if libc.mount(*(word.encode() for word in words), 0, self.options.encode()) != 0:
            raise OSError(ctypes.get_errno(), f"mount of {self.device}")
        shutil.rmtree(self.project, ignore_errors=True)
        self.project.mkdir()
        if self.kind == "ext4":
            fold_names(self.project)
        for name, content in FILES.items():
            self.write(name, content)
        owner = self.home.base.stat().st_uid
        if self.kind == "ext4":
            for path in (self.project, *self.project.rglob("*")):
                os.chown(path, owner, owner)
        self.home.policy()
        (self.home.base / ".config/ringfence/policy.json").write_text(json.dumps(POLICY))
        self.home.project = self.project
        return self

    def __exit__(self, *_):
        os.chdir("/")
        if ctypes.CDLL(None).umount2(str(self.folder).encode(), 0) != 0:
            raise OSError(f"umount of {self.device}")

    def write(self, name, content):
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    def content(self, name):
        path = self.project / name
        return path.read_text() if path.exists() else None

    def works_bare(self, spelling, name):
        """True if the file system treats the spelling as the name. Leaves nothing changed."""
        if FILES.get(name) == SECRET:
            return self.content(spelling) == SECRET
        try:
            self.write(spelling, "bare")
            return self.content(name) == "bare"
        finally:
            if name in FILES:
                self.write(name, FILES[name])
            else:
                (self.project / spelling).unlink(missing_ok=True)

    def changed(self, names):
        return [name for name in names if self.content(name) != FILES.get(name)]


def try_spellings(disk, writes, reads, layers):
    with disk:
        skipped = [f"{spelling!a} is not {name} on {disk.kind}"
                   for spelling, name in (*writes.items(), *reads.items())
                   if not disk.works_bare(spelling, name)]
        (disk.project / ".vscode").rmdir()
        names = json.dumps([list(writes), list(reads)])
        done = disk.home.run("/usr/bin/python3", "-c", TRY, names, layers=layers)
        assert (done.returncode, done.stdout) == (0, ""), done
        assert disk.content("ordinary~1.txt") == "escaped", done
        changed = disk.changed((*FILES, *writes.values()))
        assert not changed, changed
        return skipped


def fat(home):
    return Disk(home, "/dev/vdb", "vfat", "uid=1000,gid=1000")


def casefold(home):
    return Disk(home, "/dev/vdc", "ext4")


def no_spelling_on_fat_reaches_protected_names(home):
    return try_spellings(fat(home), FAT_WRITES, FAT_READS, "full")


def no_spelling_on_fat_is_written_with_landlock_alone(home):
    return try_spellings(fat(home), FAT_WRITES, {}, "landlock")


def no_spelling_with_casefold_reaches_protected_names(home):
    return try_spellings(casefold(home), FOLDED_WRITES, FOLDED_READS, "full")


def no_spelling_with_casefold_is_written_with_landlock_alone(home):
    return try_spellings(casefold(home), FOLDED_WRITES, {}, "landlock")


CASES = (no_spelling_on_fat_reaches_protected_names, no_spelling_on_fat_is_written_with_landlock_alone,
         no_spelling_with_casefold_reaches_protected_names,
         no_spelling_with_casefold_is_written_with_landlock_alone)
