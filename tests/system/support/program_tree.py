"""An installation as `cmake --install` writes it, but small: the real commands, and other files that
are only text."""

import hashlib
import os
import pathlib
import shutil

LIST = "share/ringfence/files.sha256"
REAL = ("bin/ringfence", "bin/ringfence-cli")


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def listed(prefix, paths):
    return "".join(f"{digest(prefix / path)}  {path}\n" for path in sorted(paths))


class ProgramTree:
    """`texts` are files besides the programs: path -> content."""

    def __init__(self, prefix, programs, texts):
        self.prefix = pathlib.Path(prefix)
        built = pathlib.Path(programs.ringfence).parent
        for path in REAL:
            (self.prefix / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(built / pathlib.Path(path).name, self.prefix / path)
        for path, text in texts.items():
            (self.prefix / path).parent.mkdir(parents=True, exist_ok=True)
            (self.prefix / path).write_text(text)
        self.files = [*REAL, *texts]
        self.list = self.prefix / LIST
        self.list.parent.mkdir(parents=True, exist_ok=True)
        self.list.write_text(listed(self.prefix, self.files))

    @property
    def program(self):
        return self.prefix / "bin/ringfence"

    def give_to(self, user):
        for path in (self.prefix, *self.prefix.rglob("*")):
            os.chown(path, user, user, follow_symlinks=False)


def content(folder):
    """The files and links below a directory, with their modes, except ringfence's state."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_file() and ".local/state/" not in str(path):
            found[name] = (path.stat().st_mode & 0o7777, path.read_bytes())
    return found
