"""A home and a project in a separate directory, which every system test has. Anything else
depends on the program under test: see the derived classes."""

import contextlib
import os
import pathlib
import shutil

PATH = "/usr/bin:/bin"


def give_away(folder, user, but=()):
    """Gives the folder and what is below it to the user, except what is directly in one of `but`.

    Programs of an earlier step may still remove files there, so a path may vanish at any time."""
    paths = [folder]
    # Passes over a folder that has vanished.
    for parent, folders, files in os.walk(folder):
        if pathlib.Path(parent) not in but:
            paths += (os.path.join(parent, name) for name in folders + files)
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            os.chown(path, user, user, follow_symlinks=False)


class World:
    """`base` is the directory, which exists; `programs` has the path of each program under test."""

    PROJECT = "project"  # below the directory

    def __init__(self, base, programs=None):
        self.base = pathlib.Path(base)
        self.programs = programs
        self.home, self.project = self.base / "home", self.base / self.PROJECT
        for folder in (self.home, self.project):
            folder.mkdir(parents=True, exist_ok=True)
        self.policy = self.home / ".config/ringfence/policy.json"
        self.environment = {"HOME": str(self.home), "PATH": PATH}

    def write(self, path, text):
        """Creates parent directories as well."""
        path = self.base / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def remove(self):
        # A test may have closed a directory to its owner.
        shutil.rmtree(self.base, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()
