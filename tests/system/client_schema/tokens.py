"""Tokens of JavaScript, and skipping brackets."""

import re


class Unreadable(Exception):
    """The text is not an expression that this reader knows."""


NAME = re.compile(r"[A-Za-z_$][\w$]*")
NUMBER = re.compile(r"(?:0[xX][\da-fA-F]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)n?")
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.S)
REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
PREFIXES = re.compile(r"(?:typeof|void|delete|await|yield\*?|new)(?![\w$])|\+\+|--|[!~+-]")
BINARY = re.compile(r"\?\?=?|\|\|=?|&&=?|(?:instanceof|in)(?![\w$])|>>>=?|<<=?|>>=?|\*\*=?"
                     r"|[=!]==?|[<>]=?|[-+*/%&|^]=?|=(?!>)")
_ESCAPE = re.compile(r"\\(u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|\r\n|.)", re.S)


class Tokens:
    """A position in a text. Parsers of expressions add template()."""

    def __init__(self, text, at):
        self.text, self.at = text, at

    def space(self):
        while self.text[self.at:self.at + 1].isspace():
            self.at += 1

    def sees(self, what):
        self.space()
        return self.text.startswith(what, self.at)

    def takes(self, what):
        if self.sees(what):
            self.at += len(what)
            return True
        return False

    def want(self, what):
        if not self.takes(what):
            raise Unreadable(f"no {what!r} at {self.text[self.at:self.at + 40]!r}")

    def match(self, pattern):
        self.space()
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found and found.group()

    def fail(self):
        raise Unreadable(f"at {self.text[self.at:self.at + 40]!r}")

    # Anything in brackets.

    def balanced(self):
        """The position after the bracket that matches the one here."""
        depth, before = 0, ""
        self.space()
        while True:
            self.space()
            here = self.text[self.at:self.at + 1]
            if not here:
                self.fail()
            begin = self.at
            if here in "([{":
                depth += 1
                self.at += 1
            elif here in ")]}":
                depth -= 1
                self.at += 1
                if depth == 0:
                    return
            else:
                self.token(before)
            before = self.text[begin:self.at]

    def token(self, before):
        """Consumes one token. A "/" begins a regular expression if no value can have ended
        before it."""
        here = self.text[self.at]
        if here == "`":
            self.template()
        elif here in "\"'":
            self.match(STRING) or self.fail()
        elif here == "/" and _expects_value(before) and self.match(REGEX):
            pass
        elif not (self.match(NAME) or self.match(NUMBER)):
            self.at += 1


def _expects_value(before):
    if before in ("return", "typeof", "case", "in", "of", "void", "delete", "do", "else"):
        return True
    return not before or not (before[-1].isalnum() or before[-1] in "_$)]}\"'`")


def unescaped(literal):
    simple = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}

    def replace(found):
        code = found.group(1)
        if code[0] in "ux" and len(code) > 1:
            return chr(int(code.strip("ux{}"), 16))
        return simple.get(code, code)
    return _ESCAPE.sub(replace, literal[1:-1])
