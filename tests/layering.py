#!/usr/bin/env python3
"""Checks which room includes which: every `#include "..."` of the programs against the arrows below.

    tests/layering.py [--root DIR]     names file and line of each include that no arrow allows
    tests/layering.py --picture        prints the picture of docs/architecture.md
    tests/layering.py --update         writes it there

A room is a folder; a file belongs to the innermost room around it.
"""

import argparse
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENT = pathlib.Path("docs/architecture.md")
BEGIN, END = "<!-- rooms: tests/layering.py --update -->\n", "<!-- end of rooms -->\n"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]*)"')
GENERATED = {"seccomp_programs.inc"}  # made while building

# From the top to the bottom: room, what it holds, and what it may include besides itself.
ROOMS = {
    "cli": ("ringfence-cli: one directory for each command, shared parts in common/",
            "run sandbox hook audit_log agents/claude agents/claude/setup agents/claude/transcripts policy base"),
    "run": ("ringfence: starts a command confined",
            "sandbox hook audit_log agents/claude policy base"),
    "library": ("libringfence: starts `ringfence run` from other programs", "ringfence base"),
    "sandbox": ("plans of confinement, and the back ends that carry them out", "policy base"),
    "hook": ("ringfence-hook: answers one event", "audit_log agents/claude policy base"),
    "audit_log": ("the audit log: lines, chain, system log, rotation", "policy base"),
    "agents/claude/setup": ("registers the hook in Claude Code's settings", "agents/claude policy base"),
    "agents/claude/transcripts": ("reads Claude Code's transcripts", "base"),
    "agents/claude": ("Claude Code: events, answers, tools, settings", "policy base"),
    "policy": ("what a policy is, and the decision; knows no client", "base"),
    "base": ("text, JSON, paths, errors, system calls; knows no policy", ""),
}


def room_of(file):
    rooms = [room for room in ROOMS if file.startswith(room + "/")]
    return max(rooms, key=len) if rooms else file.split("/", 1)[0]


def mistakes(root):
    """(number of includes, one line for each that is wrong)."""
    seen, wrong = 0, []
    for folder in sorted({room.split("/", 1)[0] for room in ROOMS}):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".cc", ".h", ".inc"):
                continue
            file = str(path.relative_to(root))
            room = room_of(file)
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = INCLUDE.match(line)
                if not found or found[1] in GENERATED:
                    continue
                seen += 1
                target = room_of(found[1])
                if "/" not in found[1]:
                    wrong.append(f'{file}:{number}: "{found[1]}" is not named from the root')
                elif target != room and target not in ROOMS[room][1].split():
                    wrong.append(f'{file}:{number}: {room} may not include "{found[1]}"')
    return seen, wrong


def picture():
    width = max(map(len, ROOMS))
    lines = ["```"]
    for room, (holds, below) in ROOMS.items():
        lines.append(f"{room:{width}}  {holds}")
        lines.append(f"{'':{width}}  -> {', '.join(below.split()) or 'nothing'}")
    return "\n".join([*lines, "```", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--root", type=pathlib.Path, default=HERE.parent, help="another tree")
    parser.add_argument("--picture", action="store_true", help="print the picture of the rooms")
    parser.add_argument("--update", action="store_true", help=f"write it to {DOCUMENT}")
    options = parser.parse_args()
    if options.picture:
        print(picture(), end="")
        return 0
    document = options.root / DOCUMENT
    text = document.read_text() if document.exists() else ""
    before, _, rest = text.partition(BEGIN)
    shown, _, after = rest.partition(END)
    if options.update:
        document.write_text(before + BEGIN + picture() + END + after)
        return 0
    seen, wrong = mistakes(options.root)
    if text and shown != picture():
        wrong.append(f"{DOCUMENT}: its picture differs from the arrows: run tests/layering.py --update")
    if seen == 0:
        wrong.append(f"{options.root}: no include was found at all")
    for line in wrong:
        print(f"FAIL {line}")
    print(f"layering: {seen} includes, {len(wrong)} against the layers")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
