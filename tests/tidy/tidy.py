#!/usr/bin/env python3
"""Runs clang-tidy on the sources that changed since the last complete check.

    tidy.py --build build/clang [--all]

`checked`, beside this script, contains the commit at which every source passed. Checks the
differences from it: each changed source, and for a changed header the first source that includes
it. Checks all sources with --all, if .clang-tidy differs, or if git does not know the commit. If
all of them pass and nothing is uncommitted, --all writes the commit to `checked`: commit that
file.

The last line is "N passed, N failed, N skipped"; a source counts as one.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CHECKED = HERE / "checked"
FOLDERS = ("agents", "audit_log", "base", "policy", "hook", "sandbox", "proxy", "run", "cli", "library", "files", "staging")
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.MULTILINE)


def git(*arguments):
    """git's output, or None if it fails."""
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    return done.stdout.decode() if done.returncode == 0 else None


def sources(build):
    """The sources of this system's build, without generated ones, as relative names in order."""
    commands = json.loads((build / "compile_commands.json").read_text())
    files = {pathlib.Path(command["directory"], command["file"]).resolve() for command in commands}
    inside = (file.relative_to(ROOT) for file in files if file.is_relative_to(ROOT))
    return sorted(str(file) for file in inside if file.parts[0] in FOLDERS and file.suffix == ".cc")


def changed_files():
    """Names that differ from the checked commit; None if all sources must be checked."""
    commit = CHECKED.read_text().strip() if CHECKED.exists() else ""
    names = git("diff", "--name-only", commit, "--") if re.fullmatch("[0-9a-f]{40}", commit) else None
    if names is None:
        print("tidy.py: the checked commit is not known here; checking all sources")
        return None
    untracked = git("ls-files", "--others", "--exclude-standard") or ""
    changed = set(names.splitlines()) | set(untracked.splitlines())
    if ".clang-tidy" in changed:
        print("tidy.py: .clang-tidy has changed; checking all sources")
        return None
    return changed


def includes_of(file, cache):
    if file not in cache:
        path = ROOT / file
        cache[file] = INCLUDE.findall(path.read_text()) if path.is_file() else []
    return cache[file]


def to_check(all_sources, changed):
    """The changed sources, and one source for each changed header."""
    chosen = {file for file in all_sources if file in changed}
    cache = {}
    for header in sorted(file for file in changed if file.endswith(".h")):
        users = [file for file in all_sources if header in includes_of(file, cache)]
        if users and not chosen.intersection(users):
            own = header.removesuffix(".h") + ".cc"
            chosen.add(own if own in users else users[0])
    return sorted(chosen)


def check(build, file):
    done = subprocess.run(["clang-tidy", "--quiet", "-p", str(build), file], cwd=ROOT, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, required=True, help="a configured build folder")
    parser.add_argument("--all", action="store_true", help="check every source")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    build = options.build.resolve()
    every = sources(build)
    changed = None if options.all else changed_files()
    files = every if changed is None else to_check(every, changed)
    print(f"tidy.py: {len(files)} of {len(every)} sources", flush=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for file, (status, out, err) in zip(files, pool.map(lambda f: check(build, f), files)):
            if status != 0:
                failed += 1
                print(f"FAIL {file}: exit {status}\n{out or err}", flush=True)
    if options.all and failed == 0 and git("status", "--porcelain") == "":
        CHECKED.write_text(git("rev-parse", "HEAD"))
        print(f"tidy.py: wrote {CHECKED.relative_to(ROOT)}: commit it")
    print(f"{len(files) - failed} passed, {failed} failed, 0 skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
