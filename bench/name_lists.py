#!/usr/bin/env python3
"""Counts the false alarms of @runs-later and @secrets in real projects: the number of files of each
layout that an entry covers, if each file is written and read once. Layouts are npm packages (`npm
pack NAME@VERSION`) and Debian source packages (`apt-get source --download-only NAME`) in one or
more directories. Only the names in the archives are used, and no project is in a package store.

    bench/name_lists.py --ringfence build/release/ringfence FOLDER...
"""
import argparse
import collections
import re
import subprocess
import sys
import tarfile
from pathlib import Path

ARCHIVE = re.compile(r"\.(orig|debian)(-[\w.+-]+)?\.tar\.\w+$")


def names_of(archive):
    """The files of an archive, without the top-level directory that most archives have."""
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


def entries_of(program, name):
    """The entries of a set, as ringfence prints them. The exceptions of "x but y" are cut off:
    they are outside these projects."""
    out = subprocess.run([program, "explain", name], capture_output=True, text=True, check=True).stdout
    return [line.strip().split(" but ")[0] for line in out.splitlines()[1:] if line.startswith("  ")]


def pattern_of(entry):
    """A pattern for names below a project, or None if the entry names a place outside it."""
    if not entry.startswith("**/"):
        return None
    parts = [r"(?:.+/)?" if part == "**" else re.escape(part).replace(r"\*", "[^/]*") + "/"
             for part in entry.split("/")]
    return re.compile("".join(parts), re.IGNORECASE)


def decide(names, entries):
    """Maps each name to the entry that covers it, or to ""."""
    patterns = [(entry, pattern) for entry in entries if (pattern := pattern_of(entry))]
    return {name: next((entry for entry, pattern in patterns if pattern.match(name + "/")), "")
            for name in names}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--ringfence", required=True, type=Path)
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args()
    layouts = [layout for folder in options.folders for layout in layouts_in(folder)]
    unique = {name for _, names in layouts for name in names}
    for tool, name in (("Write", "@runs-later"), ("Read", "@secrets")):
        report(tool, layouts, decide(unique, entries_of(options.ringfence.resolve(), name)))


def report(tool, layouts, decided):
    hits = collections.defaultdict(list)
    for layout, names in layouts:
        for name in names:
            if decided[name]:
                hits[decided[name]].append((layout, name))
    total = sum(len(names) for _, names in layouts)
    met = {layout for found in hits.values() for layout, _ in found}
    print(f"{tool}: {total} files of {len(layouts)} layouts, {sum(map(len, hits.values()))} covered, "
          f"in {len(met)} layouts")
    for entry, found in sorted(hits.items(), key=lambda item: -len(item[1])):
        deep = [f"{layout}: {name}" for layout, name in found if name.count("/") > 2]
        print(f"  {entry}: {len(found)} files of {len({layout for layout, _ in found})} layouts"
              + (f", {len(deep)} of them deep ({'; '.join(deep[:3])})" if deep else ""))


if __name__ == "__main__":
    sys.exit(main())
