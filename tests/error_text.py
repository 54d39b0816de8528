#!/usr/bin/env python3
"""Fails if a source compares the text of an error: texts are for users and may change, so code must
check `code`, `about` and `kind` (base/result.h).

    tests/error_text.py [ROOT]
"""

import errno
import pathlib
import re
import sys

FOLDERS = ("agents", "audit_log", "base", "policy", "hook", "sandbox", "proxy", "run", "cli", "library")
MEMBER = r"(?:\(\))?(?:\.|->)(?:what|where|hint|text\(\))"
USUAL_NAME = r"\w*(?:[Ee]rror|[Ff]ailure|[Mm]istake)\w*"
DECLARED = re.compile(r"\bError&? (\w+)\b(?!\()")
# Matched against the whole file, since a comparison can span two lines.
COMPARED = r"\s*(?:[=!]=|\.(?:r?find|starts_with|ends_with|contains|compare)\()"
COMPARES = r"\b(?:r?find|\w*strn?cmp|memcmp|regex_\w+|[Cc]ontains|equal|search)\((?:[^;]|\n)*?"
NAME = r'"(?:' + "|".join(errno.errorcode.values()) + r')"'
NEAR = 400  # range in characters in which an alias of a text is searched
COMMENT = re.compile(r"//[^\n]*")


def comparisons(text):
    """(where, what) of each comparison."""
    names = "|".join([USUAL_NAME, *DECLARED.findall(text)])
    message = rf"(?<![\w.>])(?:\w+(?:\(\))?(?:\.|->))*(?:{names}){MEMBER}"
    for pattern in (message + COMPARED, r"[=!]=\s*" + message, COMPARES + message,
                    r"[=!]=\s*" + NAME, NAME + r"\s*[=!]="):
        for found in re.finditer(pattern, text):
            yield found.start(), found.group()
    for alias in re.finditer(r"[&\w] (\w+) = [^;]*" + message + ";", text):
        name = re.compile(r"(?<![\w.>])" + alias.group(1) + COMPARED)
        for found in name.finditer(text, alias.end(), alias.end() + NEAR):
            yield found.start(), found.group()


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    passed = failed = 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".cc", ".h"):
                continue
            name = str(path.relative_to(root))
            text = COMMENT.sub("", path.read_text())
            wrong = {text.count("\n", 0, at) + 1: " ".join(what.split())
                     for at, what in comparisons(text)}
            for line, what in sorted(wrong.items()):
                print(f"FAIL {name}:{line}: compares the text of an error ({what}): "
                      "ask for its code or about (base/result.h)")
            failed += bool(wrong)
            passed += not wrong
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
