"""Reads expressions of minified JavaScript, as far as schemas use them.

`parse(text, offset)` returns (node, end). Nodes are tuples that begin with their kind:

    ("name", "x")  ("string", "x")  ("number", "1")  ("object", [(key, node)])  ("array", [node])
    ("member", node, "key")  ("call", node, [node])  ("function", body node or (begin, end))
    ("either", [node])       several values of which one counts: a ? b : c, a || b, ...
    ("spread", node)         as the value of the key "..." in an object, or in an array
    ("other", [node])        anything else, with its parts
"""

import re

from tokens import BINARY, NAME, NUMBER, PREFIXES, REGEX, STRING, Tokens, Unreadable, unescaped


_EITHER = {"??", "||", "&&"}


def parse(text, offset=0):
    reader = _Reader(text, offset)
    node = reader.expression()
    return node, reader.at


def returns(text, begin, end):
    """The expressions returned by the function with this body, and by functions inside it."""
    for found in re.finditer(r"(?<![\w$.])return(?![\w$])", text[begin:end]):
        try:
            yield parse(text, begin + found.end())[0]
        except Unreadable:
            continue  # "return;", or the word in a text


class _Reader(Tokens):
    # An expression without a comma.

    def expression(self):
        function = self.arrow()
        if function:
            return function
        parts, operators = [self.unary()], []
        while True:
            self.space()
            if self.sees("=>") or not (operator := self.match(BINARY)):
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
        """A function written with "=>", or None without consuming anything."""
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
        elif not self.match(NAME):
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
        prefix = self.match(PREFIXES)
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
                node = ("member", node, self.match(NAME) or "")
            elif self.sees("(") :
                node = ("call", node, self.listed("(", ")"))
            elif self.takes("["):
                index = self.sequence()
                self.want("]")
                node = ("member", node, index[1] if index[0] == "string" else "")
            elif self.sees(".") and not self.sees(".."):
                self.want(".")
                self.takes("#")
                node = ("member", node, self.match(NAME) or "")
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
            return "string", unescaped(self.match(STRING) or self.fail())
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
            return "other", [] if self.match(REGEX) else self.fail()
        number = self.match(NUMBER)
        if number:
            return "number", number
        return self.named()

    def named(self):
        name = self.match(NAME) or self.fail()
        if name == "async" and self.sees("function"):
            name = self.match(NAME)
        if name in ("function", "class"):
            return self.function() if name == "function" else self.klass()
        return "name", name

    def function(self):
        self.takes("*")
        self.match(NAME)
        self.balanced()
        return "function", self.body()

    def klass(self):
        while not self.sees("{"):
            self.match(NAME) or self.takes(".") or self.fail()
            if self.sees("("):
                self.balanced()
        self.balanced()
        return "other", []

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
        return ("other", parts) if parts else ("string", unescaped(f'"{text}"'))

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
        text = self.match(STRING)
        if text:
            return unescaped(text)
        return self.match(NUMBER) or self.match(NAME) or self.fail()


def parameters(text, offset):
    """The names of the parameters of the function at `offset`; "" for a destructured one."""
    begin = text.index("(", offset) + 1
    names, reader = [], _Reader(text, begin)
    while not reader.takes(")"):
        name = reader.match(NAME)
        names.append(name or "")
        while not (reader.sees(",") or reader.sees(")")):
            reader.balanced() if reader.sees("{") or reader.sees("[") else reader.token("")
        reader.takes(",")
    return names
