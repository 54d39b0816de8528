"""Reads expressions of minified JavaScript, as far as schemas are written in them.

`parse(text, offset)` returns (node, end). Nodes are tuples that begin with their kind:

    ("name", "x")  ("string", "x")  ("number", "1")  ("object", [(key, node)])  ("array", [node])
    ("member", node, "key")  ("call", node, [node])  ("function", body node or (begin, end))
    ("either", [node])       several values of which one counts: a ? b : c, a || b, ...
    ("spread", node)         as the value of the key "..." in an object, or in an array
    ("other", [node])        anything else, with what it is made of
"""

import re


class Unreadable(Exception):
    """The text is not an expression that this reader knows."""


_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_NUMBER = re.compile(r"(?:0[xX][\da-fA-F]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)n?")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.S)
_REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_PREFIXES = re.compile(r"(?:typeof|void|delete|await|yield\*?|new)(?![\w$])|\+\+|--|[!~+-]")
_BINARY = re.compile(r"\?\?=?|\|\|=?|&&=?|(?:instanceof|in)(?![\w$])|>>>=?|<<=?|>>=?|\*\*=?"
                     r"|[=!]==?|[<>]=?|[-+*/%&|^]=?|=(?!>)")
_ESCAPE = re.compile(r"\\(u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|\r\n|.)", re.S)
_EITHER = {"??", "||", "&&"}


def parse(text, offset=0):
    reader = _Reader(text, offset)
    node = reader.expression()
    return node, reader.at


def skip_block(text, offset):
    """The offset behind the "}" that belongs to the "{" at `offset`."""
    reader = _Reader(text, offset)
    reader.balanced()
    return reader.at


def returns(text, begin, end):
    """The expressions that the function with this body returns, and those of functions in it."""
    for found in re.finditer(r"(?<![\w$.])return(?![\w$])", text[begin:end]):
        try:
            yield parse(text, begin + found.end())[0]
        except Unreadable:
            continue  # "return;", or the word in a text


class _Reader:
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

    # An expression without a comma.

    def expression(self):
        function = self.arrow()
        if function:
            return function
        parts, operators = [self.unary()], []
        while True:
            self.space()
            if self.sees("=>") or not (operator := self.match(_BINARY)):
                break
            operators.append(operator)
            function = self.arrow()
            parts.append(function or self.unary())
        node = parts[0]
        if operators:
            node = ("either" if set(operators) <= _EITHER else "other", parts)
        if self.sees("?") and not self.sees("?."):
            self.want("?")
            yes = self.expression()
            self.want(":")
            return "either", [yes, self.expression()]
        return node

    def arrow(self):
        """A function written with "=>", or None with nothing taken."""
        start = self.at
        self.space()
        if re.compile(r"async(?= ?[(\w$])(?! ?\()|async(?= ?\()").match(self.text, self.at):
            after = self.at + len("async")
            if re.compile(r" ?(?:\(|[\w$]+=>)").match(self.text, after):
                self.at = after
        if self.sees("("):
            try:
                self.balanced()
            except Unreadable:
                self.at = start
                return None
        elif not self.match(_NAME):
            self.at = start
            return None
        if not self.takes("=>"):
            self.at = start
            return None
        return "function", self.body()

    def body(self):
        if self.sees("{"):
            begin = self.at
            self.balanced()
            return begin, self.at
        return self.expression()

    def unary(self):
        prefix = self.match(_PREFIXES)
        if prefix:
            operand = self.unary()
            return ("name", "undefined") if prefix == "void" else ("other", [operand])
        return self.postfix(self.primary())

    def postfix(self, node):
        while True:
            if self.sees("...") or self.sees("=>"):
                return node
            if self.takes("?."):
                if self.sees("(") or self.sees("["):
                    continue
                node = ("member", node, self.match(_NAME) or "")
            elif self.sees("(") :
                node = ("call", node, self.listed("(", ")"))
            elif self.takes("["):
                index = self.sequence()
                self.want("]")
                node = ("member", node, index[1] if index[0] == "string" else "")
            elif self.sees(".") and not self.sees(".."):
                self.want(".")
                self.takes("#")
                node = ("member", node, self.match(_NAME) or "")
            elif self.sees("`"):
                self.template()
                node = ("other", [node])
            elif self.takes("++") or self.takes("--"):
                continue
            else:
                return node

    def sequence(self):
        node = self.expression()
        while self.takes(","):
            node = self.expression()
        return node

    def primary(self):
        self.space()
        here = self.text[self.at:self.at + 1]
        if here in "\"'" and here:
            return "string", _unescaped(self.match(_STRING) or self.fail())
        if here == "`":
            return self.template()
        if here == "{":
            return self.object()
        if here == "[":
            return "array", self.listed("[", "]")
        if here == "(":
            self.want("(")
            node = self.sequence()
            self.want(")")
            return node
        if here == "/":
            return "other", [] if self.match(_REGEX) else self.fail()
        number = self.match(_NUMBER)
        if number:
            return "number", number
        return self.named()

    def named(self):
        name = self.match(_NAME) or self.fail()
        if name == "async" and self.sees("function"):
            name = self.match(_NAME)
        if name in ("function", "class"):
            return self.function() if name == "function" else self.klass()
        return "name", name

    def function(self):
        self.takes("*")
        self.match(_NAME)
        self.balanced()
        return "function", self.body()

    def klass(self):
        while not self.sees("{"):
            self.match(_NAME) or self.takes(".") or self.fail()
            if self.sees("("):
                self.balanced()
        self.balanced()
        return "other", []

    def fail(self):
        raise Unreadable(f"at {self.text[self.at:self.at + 40]!r}")

    def listed(self, opening, closing):
        self.want(opening)
        nodes = []
        while not self.takes(closing):
            if self.takes(","):
                continue
            spreads = self.takes("...")
            node = self.expression()
            nodes.append(("spread", node) if spreads else node)
            if not self.sees(closing):
                self.want(",")
        return nodes

    def template(self):
        self.want("`")
        text, parts = "", []
        while not self.text.startswith("`", self.at):
            if self.text.startswith("${", self.at):
                self.at += 2
                parts.append(self.sequence())
                self.want("}")
            elif self.text.startswith("\\", self.at):
                text += self.text[self.at:self.at + 2]
                self.at += 2
            elif self.at >= len(self.text):
                self.fail()
            else:
                text += self.text[self.at]
                self.at += 1
        self.at += 1
        return ("other", parts) if parts else ("string", _unescaped(f'"{text}"'))

    def object(self):
        self.want("{")
        members = []
        while not self.takes("}"):
            if self.takes(","):
                continue
            members.append(self.object_member())
            if not self.sees("}"):
                self.want(",")
        return "object", members

    def object_member(self):
        if self.takes("..."):
            return "...", ("spread", self.expression())
        key = self.key()
        while key in ("get", "set", "async", "static") and not self._key_ends():
            self.takes("*")
            key = self.key()
        if self.sees("("):
            self.balanced()
            return key, ("function", self.body())
        if self.takes(":"):
            return key, self.expression()
        if self.takes("="):
            return key, self.expression()
        return key, ("name", key)

    def _key_ends(self):
        return any(self.sees(mark) for mark in ":(,}=")

    def key(self):
        self.takes("*")
        if self.takes("["):
            node = self.expression()
            self.want("]")
            return ("[", node)
        text = self.match(_STRING)
        if text:
            return _unescaped(text)
        return self.match(_NUMBER) or self.match(_NAME) or self.fail()

    # Anything in brackets.

    def balanced(self):
        """Behind the bracket that belongs to the one here."""
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
        """Takes one token. A "/" begins a pattern where no value can have ended before it."""
        here = self.text[self.at]
        if here == "`":
            self.template()
        elif here in "\"'":
            self.match(_STRING) or self.fail()
        elif here == "/" and _expects_value(before) and self.match(_REGEX):
            pass
        elif not (self.match(_NAME) or self.match(_NUMBER)):
            self.at += 1


def _expects_value(before):
    if before in ("return", "typeof", "case", "in", "of", "void", "delete", "do", "else"):
        return True
    return not before or not (before[-1].isalnum() or before[-1] in "_$)]}\"'`")


def _unescaped(literal):
    simple = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}

    def replace(found):
        code = found.group(1)
        if code[0] in "ux" and len(code) > 1:
            return chr(int(code.strip("ux{}"), 16))
        return simple.get(code, code)
    return _ESCAPE.sub(replace, literal[1:-1])


def parameters(text, offset):
    """The names of the parameters of the function at `offset`; "" for one that is taken apart."""
    begin = text.index("(", offset) + 1
    names, reader = [], _Reader(text, begin)
    while not reader.takes(")"):
        name = reader.match(_NAME)
        names.append(name or "")
        while not (reader.sees(",") or reader.sees(")")):
            reader.balanced() if reader.sees("{") or reader.sees("[") else reader.token("")
        reader.takes(",")
    return names
