"""The events that were captured from the real client. They refer to /home/dev; they are moved to a
separate tree that contains the files to which they refer.
"""

import pathlib
import re
import shutil
import subprocess
import tempfile

from hook_world import Answer
from repository import ROOT

EVENTS = ROOT / "fixtures/events"
RECORDED_HOME = "/home/dev"
CAPTURED = {file.name: file for file in sorted((EVENTS / "captured").glob("*.json"))
            if file.name != "tools.json"}


class Home:
    """The content of /home/dev when the events were captured."""

    FILES = ("h.txt", "project/in.txt", "project/a.txt", "project/new.txt", "project/watched.txt",
             "project/CLAUDE.md", "project/sub/s.txt", "project/sub/CLAUDE.md", "project/wt1/in.txt",
             "project/.claude/worktrees/wt1/in.txt", "outside/out.txt", "outside/wtx/in.txt")

    def __init__(self):
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="ringfence-captures.")).resolve()
        self.home = self.base / "home"
        self.project = self.home / "project"

    def __enter__(self):
        for name in self.FILES:
            file = self.home / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("text\n")
        (self.project / "nb.ipynb").write_text('{"cells":[]}\n')
        (self.project / ".claude/settings.local.json").write_text('{"model":"sonnet"}\n')
        (self.project / "link").symlink_to(self.home / "outside")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.base, ignore_errors=True)

    def moved(self, event):
        """The event with this home in place of the recorded one, also in the client's own
        directory names, which are derived from the path."""
        text = event.read_text(encoding="utf-8")
        slug = re.sub("[^A-Za-z0-9]", "-", str(self.home))
        return text.replace("-home-dev-", slug + "-").replace(RECORDED_HOME, str(self.home))

    def run(self, hook, text):
        done = subprocess.run(
            [str(hook), "--root", str(self.project), "--home", str(self.home)], input=text.encode(),
            capture_output=True, cwd=self.project, timeout=20, check=False,
            env={"HOME": str(self.home), "CLAUDE_PROJECT_DIR": str(self.project)})
        return Answer(done.returncode, done.stdout, done.stderr)
