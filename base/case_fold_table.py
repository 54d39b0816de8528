#!/usr/bin/env python3
"""Prints the tables of Unicode full case folding (CaseFolding.txt, statuses C and F).

    case_fold_table.py runs        > case_fold_table.inc       {first, last, step, delta}
    case_fold_table.py expansions  > case_fold_expansions.inc  {code point, "UTF-8"}, where the fold is
                                                               more than one character

Python's str.casefold() is the full folding. Run again when Python's Unicode is newer.
"""
import sys
import unicodedata


def folded():
    for code in range(0x80, sys.maxunicode + 1):
        if not 0xD800 <= code <= 0xDFFF and chr(code).casefold() != chr(code):
            yield code, chr(code).casefold()


def runs():
    found = []
    for code, text in folded():
        if len(text) > 1:
            continue
        delta = ord(text) - code
        if found:
            first, last, step, known = found[-1]
            gap = code - last
            if known == delta and gap <= 2 and (step == gap or first == last):
                found[-1] = (first, code, gap, delta)
                continue
        found.append((code, code, 1, delta))
    return found


def escaped(text):
    return "".join(f"\\{byte:03o}" for byte in text.encode())


print("// Made by case_fold_table.py from Unicode %s." % unicodedata.unidata_version)
if sys.argv[1:] == ["expansions"]:
    for code, text in folded():
        if len(text) > 1:
            print('{0x%X, "%s"},' % (code, escaped(text)))
else:
    for first, last, step, delta in runs():
        print("{0x%X, 0x%X, %d, %d}," % (first, last, step, delta))
