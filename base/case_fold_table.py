#!/usr/bin/env python3
"""Prints base/case_fold_table.inc: Unicode simple case folding as runs {first, last, step, delta}.

Python's str.casefold() is the full folding; where that is one character it equals the simple one,
elsewhere the simple folding is the lower case letter. Run again when Python's Unicode is newer.
"""
import sys
import unicodedata


def fold(code):
    text = chr(code).casefold()
    if len(text) != 1:
        text = chr(code).lower()
    return ord(text) if len(text) == 1 else code


def runs():
    found = []
    for code in range(0x80, sys.maxunicode + 1):
        if 0xD800 <= code <= 0xDFFF or fold(code) == code:
            continue
        delta = fold(code) - code
        if found:
            first, last, step, known = found[-1]
            gap = code - last
            if known == delta and gap <= 2 and (step == gap or first == last):
                found[-1] = (first, code, gap, delta)
                continue
        found.append((code, code, 1, delta))
    return found


print("// Made by case_fold_table.py from Unicode %s." % unicodedata.unidata_version)
for first, last, step, delta in runs():
    print("{0x%X, 0x%X, %d, %d}," % (first, last, step, delta))
