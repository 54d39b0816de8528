#!/usr/bin/env python3
"""Counts file-local names that recur in other files, and fails for those that must be unique:
sources that are compiled together (cmake/together.cmake) share one unnamed namespace.

    tests/file_local_names.py [--verbose]

Within a group of compile_together(), a file-local name must be unique, and no header that a
source of the group includes may declare it. The compiler accepts a second function of the same
name with other parameters, but a call could reach the wrong one.

At most MOST_RECURRING names may recur in all files: a helper that two files need belongs in a
room that both include, and different things need different names.
"""

import argparse
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("agents", "audit_log", "base", "policy", "hook", "sandbox", "proxy", "run", "cli", "library", "files", "staging")
GROUP = re.compile(r"^compile_together\((\w+) (\w+)\s([^)]*)\)", re.MULTILINE)
VARIABLE = re.compile(r"^ *set\((\w+)\s([^)]*)\)", re.MULTILINE)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
# clang-format puts declarations in a namespace at the start of a line.
DECLARATIONS = [re.compile(pattern) for pattern in (
    r"(?:template <[^>]*>\s*)?(?:struct|class|enum class|enum|union) (\w+)",
    r"using (\w+) = .*",
    r"(?:\[\[\w+\]\] )?(?:template <[^>]*> )?[\w:<>,*&() ]+?[ *&](\w+)\(",
    r"[\w:<>,*& ]+?[ *&](\w+)(?:\[[^\]]*\])* *(?:=|\{|;)",
)]
MOST_RECURRING = 23
OTHER_LINES = ("namespace", "//", "#", "}", "return", "extern", "friend", "static_assert")


def declared(lines):
    """{name: the line that declares it}, for lines directly in a namespace."""
    names = {}
    for line in lines:
        if not line or line[0] in " \t)" or line.startswith(OTHER_LINES):
            continue
        for pattern in DECLARATIONS:
            found = pattern.match(line)
            if found:
                names.setdefault(found.group(1), line)
                break
    return names


def file_local(path):
    inside, lines = False, []
    for line in path.read_text().splitlines():
        if line == "namespace {":
            inside = True
        elif line == "}  // namespace":
            inside = False
        elif inside:
            lines.append(line)
    return declared(lines)


def headers_of(paths):
    """The project's headers that these files include, directly or indirectly."""
    headers, found = set(), list(paths)
    while found:
        for name in INCLUDE.findall(found.pop().read_text()):
            path = ROOT / name
            if path not in headers and path.is_file():
                headers.add(path)
                found.append(path)
    return headers


def groups():
    """The name and the sources of each group. Several calls may list the sources of one group."""
    found = collections.defaultdict(list)
    for lists in [ROOT / "CMakeLists.txt", *sorted(ROOT.glob("[a-z]*/CMakeLists.txt")),
                  *sorted(ROOT.glob("tests/*/CMakeLists.txt"))]:
        text = lists.read_text()
        variables = {"system_folder": "linux"} | dict(VARIABLE.findall(text))
        for target, group, sources in GROUP.findall(text):
            while "${" in sources:
                sources = re.sub(r"\$\{(\w+)\}", lambda found: variables[found.group(1)], sources)
            found[f"{target} {group}"] += [lists.parent / source for source in sources.split()]
    return found.items()


def clashes(sources):
    """One line for each name that is not unique in the group."""
    places = collections.defaultdict(dict)
    for source in sources:
        for name, line in file_local(source).items():
            places[name][source] = line
    declared_in = collections.defaultdict(list)
    for header in headers_of(sources):
        for name in declared(header.read_text().splitlines()):
            declared_in[name].append(header)
    for name, lines in sorted(places.items()):
        is_one_alias = len(set(lines.values())) == 1 and next(iter(lines.values())).startswith("using ")
        files = list(lines) if len(lines) > 1 and not is_one_alias else []
        if files or name in declared_in:
            files = [*(files or lines), *declared_in[name]]
            yield f"{name}: " + " ".join(sorted(str(file.relative_to(ROOT)) for file in files))


def recurring():
    files = collections.defaultdict(set)
    for folder in FOLDERS:
        for source in (ROOT / folder).rglob("*.cc"):
            for name in file_local(source):
                files[name].add(str(source.relative_to(ROOT)))
    return {name: sorted(places) for name, places in files.items() if len(places) > 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--verbose", action="store_true", help="list each name that recurs")
    options = parser.parse_args()
    passed = failed = 0
    for group, sources in groups():
        lines = list(clashes(sources))
        failed += len(lines)
        passed += not lines
        for line in lines:
            print(f"FAIL group {group}: {line}")
    names = recurring()
    if options.verbose:
        for name, places in sorted(names.items()):
            print(f"  {name}: {' '.join(places)}")
    print(f"file-local names that recur in other files: {len(names)}")
    is_within = len(names) <= MOST_RECURRING
    if not is_within:
        print(f"FAIL more than {MOST_RECURRING} names recur; --verbose lists them")
    passed, failed = passed + is_within, failed + (not is_within)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
