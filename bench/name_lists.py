#!/usr/bin/env python3
"""Counts the false alarms of @runs-later and @secrets in real projects: every file of each layout is
written and read once by a tool, and the hook says what it thinks of it. Layouts are npm packages
(`npm pack NAME@VERSION`) and Debian source packages (`apt-get source --download-only NAME`) in one or
more folders; only the names in the archives are used.

  bench/name_lists.py --hook build/release/ringfence-hook FOLDER...
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

POLICY = {"version": 1, "read": {"allow": ["/"], "deny": ["@secrets"]},
          "write": {"allow": ["."], "ask": ["@runs-later"], "deny": ["@secrets"]}}
ARCHIVE = re.compile(r"\.(orig|debian)(-[\w.+-]+)?\.tar\.\w+$")


def names_of(archive):
    """The files of an archive, without the folder that most archives put around them."""
    with tarfile.open(archive) as tar:
        names = [member.name for member in tar if not member.isdir()]
    names = [name.removeprefix("./") for name in names]
    tops = {name.split("/")[0] for name in names}
    around = len(tops) == 1 and all("/" in name for name in names)
    is_packaging = ".debian.tar" in archive.name
    return [name.split("/", 1)[1] if around and not is_packaging else name for name in names]


def layouts_in(folder):
    """(name, files) of each npm package and Debian source package."""
    for archive in sorted(folder.glob("*.tgz")):
        yield archive.stem, names_of(archive)
    for control in sorted(folder.glob("*.dsc")):
        archives = [folder / line.split()[2] for line in control.read_text(errors="replace").split("\n")
                    if re.match(r" [0-9a-f]{64} ", line) and ARCHIVE.search(line.split()[2])]
        names = []
        for archive in archives:
            component = re.search(r"\.orig-([\w.+-]+)\.tar", archive.name)
            below = component[1] + "/" if component else ""
            names += [below + name for name in names_of(archive)]
        yield control.stem, names


class Hook:
    def __init__(self, program, folder):
        self.program = program
        self.policy = folder / "policy.json"
        self.policy.write_text(json.dumps(POLICY))
        self.policy.chmod(0o600)
        self.project = folder / "home/project"
        (self.project / ".git").mkdir(parents=True)
        self.environment = {"HOME": str(folder / "home"), "CLAUDE_PROJECT_DIR": str(self.project)}

    def decides(self, tool, name):
        """"" for what is permitted, else the entry of the set that decided."""
        call = {"session_id": "s", "cwd": str(self.project), "hook_event_name": "PreToolUse",
                "permission_mode": "default", "tool_name": tool,
                "tool_input": {"file_path": str(self.project / name), "content": "x"}}
        done = subprocess.run([self.program, "--policy", self.policy], input=json.dumps(call), text=True,
                              capture_output=True, env=self.environment, check=False)
        if done.returncode != 0:
            return f"status {done.returncode}: {done.stderr.strip()}"
        if not done.stdout.strip():
            return ""
        reason = json.loads(done.stdout)["hookSpecificOutput"]["permissionDecisionReason"]
        found = re.search(r'"?@[a-z-]+"? \(([^)]+)\)', reason)
        return found[1] if found else reason


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--hook", required=True, type=Path)
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args()
    layouts = [layout for folder in options.folders for layout in layouts_in(folder)]
    files = {(layout, name) for layout, names in layouts for name in names}
    unique = sorted({name for _, name in files})
    with tempfile.TemporaryDirectory() as folder:
        hook = Hook(options.hook.resolve(), Path(folder).resolve())
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for tool in ("Write", "Read"):
                report(tool, layouts, dict(zip(unique, pool.map(lambda n: hook.decides(tool, n), unique))))


def report(tool, layouts, decided):
    hits = collections.defaultdict(list)
    for layout, names in layouts:
        for name in names:
            if decided[name]:
                hits[decided[name]].append((layout, name))
    total = sum(len(names) for _, names in layouts)
    met = {layout for found in hits.values() for layout, _ in found}
    print(f"{tool}: {total} files of {len(layouts)} layouts, {sum(map(len, hits.values()))} not simply "
          f"permitted, in {len(met)} layouts")
    for entry, found in sorted(hits.items(), key=lambda item: -len(item[1])):
        deep = [f"{layout}: {name}" for layout, name in found if name.count("/") > 2]
        print(f"  {entry}: {len(found)} files of {len({layout for layout, _ in found})} layouts"
              + (f", {len(deep)} of them deep ({'; '.join(deep[:3])})" if deep else ""))


if __name__ == "__main__":
    sys.exit(main())
