#!/usr/bin/env python3
"""Prints randomly chosen comments of the C++ sources, each with the code below it.

    tests/sample_comments.py [--seed N] [--count N] [TREE]

For a reviewer who counts those that are not plain English (CONTRIBUTING.md, "How we write"). The
same seed and sources give the same comments.
"""

import argparse
import pathlib
import random
import re

FOLDERS = ("agents", "audit_log", "base", "cli", "hook", "include", "library", "policy", "proxy", "run", "sandbox",
           "tests")
CODE_LINES = 3


def comments(path):
    """(line number, lines) of each block of whole-line comments, and of each trailing comment."""
    lines = path.read_text().splitlines()
    number = 0
    while number < len(lines):
        end = number
        while end < len(lines) and lines[end].lstrip().startswith("// "):
            end += 1
        if end > number:
            yield number + 1, lines[number:end + CODE_LINES]
        elif re.search(r"[;,{}]\s+// (?!namespace|NOLINT)", lines[number]):
            yield number + 1, lines[number:number + 1]
        number = max(end, number + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("tree", nargs="?", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    found = [(path.relative_to(options.tree), *comment) for folder in FOLDERS
             for path in sorted((options.tree / folder).rglob("*"))
             if path.suffix in (".cc", ".h") for comment in comments(path)]
    chosen = random.Random(options.seed).sample(found, min(options.count, len(found)))
    for number, (path, line, text) in enumerate(chosen, 1):
        print(f"[{number}] {path}:{line}", *text, "", sep="\n")


if __name__ == "__main__":
    main()
