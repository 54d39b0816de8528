#!/usr/bin/env python3
"""Holds the reader of KDL against kdljs: the documents of fixtures/kdl, and thousands of changes of them.

    kdl_test.py --read-kdl build/coverage/tests/kdl/read_kdl

Both must take a document and find the same in it, or neither. Where kdljs is known to depart from the
specification, KNOWN says how. The last line is "N passed, N failed, N skipped".
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys

import kdl_parser

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures/kdl"
CHANGES = 4000
PIECES = ['"', "\\", "/-", "/*", "*/", "//", "{", "}", ";", "\n", "=", " ", "(t)", "r#\"", "\"#", "a", "1", "0x",
          "true", "null", "-", "_", ".", "\\u{41}", "#", "\t", "\r\n", ",", "é"]

# Where kdljs 0.2.0 does not do what the specification of KDL 1.0 says.
KNOWN = {
    "a block right behind a name": re.compile(r'[^\s{};]\{|\*/\s*\{'),
    "a comment right behind a name or a value": re.compile(r'[^\s;{}](//|/\*|/-)'),
    "a node behind a block, which nothing ends": re.compile(r'\}[^\n;]*[^\s;]'),
    "code points of six digits, and halves of surrogate pairs": re.compile(r'\\u\{(0[0-9a-fA-F]{5}|[dD][89a-fA-F])'),
    "a continued line that the end of the document ends": re.compile(r'\\[ \t]*//[^\n]*\Z'),
    "code points above U+FFFF": re.compile(r'\\u\{[0-9a-fA-F]{5,}'),
}


def number(text):
    """As JavaScript has it."""
    plain = text.replace("_", "")
    if re.match(r"[+-]?0[xob]", plain):
        return float(int(plain, 0))
    return float(plain)


def alike(ours, theirs):
    if isinstance(ours, dict) and set(ours) == {"number"}:
        return not isinstance(theirs, bool) and isinstance(theirs, (int, float)) and (
            number(ours["number"]) == float(theirs))
    if isinstance(ours, dict):
        return isinstance(theirs, dict) and ours.keys() == theirs.keys() and all(
            alike(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list):
        return isinstance(theirs, list) and len(ours) == len(theirs) and all(map(alike, ours, theirs))
    return type(ours) is type(theirs) and ours == theirs


def agree(ours, theirs):
    return theirs is None if isinstance(ours, str) else theirs is not None and alike(ours, theirs)


def changed(text, chance):
    """The document with a few pieces put in, taken away or doubled."""
    for _ in range(chance.randint(1, 2)):
        at = chance.randrange(len(text) + 1)
        end = min(len(text), at + chance.choice([0, 0, 1, 2, 9]))
        text = text[:at] + chance.choice([*PIECES, "", text[at:end] * 2]) + text[end:]
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--read-kdl", required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    whole = [path.read_text(encoding="utf-8") for path in sorted(FIXTURES.glob("*.kdl"))]
    lines = [line for text in whole for line in text.splitlines() if line.strip()]
    texts = whole + [changed(chance.choice(whole + lines * 2), chance) for _ in range(CHANGES)]
    try:
        theirs = kdl_parser.parse(texts)
    except kdl_parser.Unavailable as reason:
        print(f"SKIPPED {reason}")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    done = subprocess.run([options.read_kdl], input=json.dumps(texts), text=True, capture_output=True,
                          timeout=300, check=True)
    ours = json.loads(done.stdout)
    passed = failed = taken = excused = 0
    for index, (text, our, their) in enumerate(zip(texts, ours, theirs)):
        taken += not isinstance(our, str)
        if agree(our, their):
            passed += 1
        elif index >= len(whole) and any(known.search(text) for known in KNOWN.values()):
            excused += 1
        else:
            failed += 1
            print(f"FAILED {text!r}\n  ours:   {our}\n  theirs: {their}")
    if not len(texts) // 10 < taken < len(texts):
        failed += 1
        print(f"FAILED {taken} of {len(texts)} documents are KDL: that tries one side alone")
    if excused > len(texts) // 20:
        failed += 1
        print(f"FAILED {excused} differences are known ones: too many to hide others")
    print(f"({taken} of {len(texts)} documents are KDL; {excused} known differences)")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
