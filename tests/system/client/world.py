"""A small separate world for each session: a home, a project, and files outside it.

    $HOME                the client's home, with its settings and the user's policy
    $PROJECT             $HOME/dev/project, where the client starts
    $OUTSIDE             $HOME/dev/outside, next to the project, not for the agent
    $MEMORY              the client's memory of the repository at $PROJECT

The four names are replaced in all paths of a case.
"""

import json
import os
import pathlib
import shutil
import tempfile

from plain_world import World, give_away

SECRET = "tell-nobody-4711"  # in every file outside; must never reach the model
INSIDE = "harmless-0815"

USER_POLICY = "$HOME/.config/ringfence/policy.json"
USER_SETTINGS = "$HOME/.claude/settings.json"
PROJECT_SETTINGS = "$PROJECT/.claude/settings.json"
LOCAL_SETTINGS = "$PROJECT/.claude/settings.local.json"

FILES = {
    "$PROJECT/in.txt": INSIDE,
    "$PROJECT/sub/deep.txt": INSIDE,
    "$PROJECT/src/main.txt": INSIDE,
    "$OUTSIDE/o.txt": SECRET,
    "$HOME/.ssh/id_rsa": SECRET,
}

LINKS = {
    "$PROJECT/link-dir": "$OUTSIDE",
    "$PROJECT/link-file": "$OUTSIDE/o.txt",
    "$PROJECT/link-dangling": "$OUTSIDE/not-yet.txt",
    "$PROJECT/link-inside": "$PROJECT/sub/deep.txt",
}


def slug_of(path):
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in str(path))


class ClientWorld(World):
    """`files` and `links` exist at the beginning."""

    PROJECT = "home/dev/project"

    def __init__(self, files=None, links=None):
        # Resolved: on macOS the temporary directory is below a link, which would affect every case.
        super().__init__(pathlib.Path(tempfile.mkdtemp(prefix="fence-test.")).resolve())
        self.outside = self.home / "dev" / "outside"
        self.names = {"HOME": self.home, "PROJECT": self.project, "OUTSIDE": self.outside,
                      "MEMORY": self.home / ".claude/projects" / slug_of(self.project) / "memory",
                      "BASE": self.base}
        self.more_environment = {}  # of the client, in addition to the usual one
        for path, content in (FILES if files is None else files).items():
            self.write(path, content)
        for path, target in (LINKS if links is None else links).items():
            self.path(path).symlink_to(self.path(target))

    def expand(self, value):
        """`value`, any JSON, with the names of the places replaced."""
        if isinstance(value, str):
            for name, place in self.names.items():
                value = value.replace("$" + name, str(place))
            return value
        if isinstance(value, dict):
            return {self.expand(key): self.expand(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.expand(item) for item in value]
        return value

    def path(self, text):
        return pathlib.Path(self.expand(text))

    def write(self, path, content):
        """Text as it is, anything else as JSON."""
        if not isinstance(content, str):
            content = json.dumps(self.expand(content), indent=2) + "\n"
        file = self.path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        return file

    def write_program(self, path, content):
        file = self.write(path, content)
        file.chmod(0o755)
        return file

    def read(self, path):
        """The file's text, or None if there is no file."""
        try:
            return self.path(path).read_text()
        except OSError:
            return None

    def give_to(self, user):
        """All files except the programs, which may be links to others."""
        self.base.chmod(0o755)
        give_away(self.home, user, but=[self.home / "bin"])

    def remove(self):
        super().remove()
        # The client keeps the output of background commands here, in one directory per start
        # directory.
        for scratch in pathlib.Path(f"/tmp/claude-{os.getuid()}").glob(slug_of(self.base) + "*"):
            shutil.rmtree(scratch, ignore_errors=True)
