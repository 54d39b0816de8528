"""The names of the members of an object that a schema of the client describes.

A nested member has a dotted name: "ws.url". Elements of lists add nothing to the name. The
client builds schemas with functions like zod's, whose names are minified: they differ from its
other functions in that they return a new object of a class.
"""

import re

import javascript

_JOINS = {"extend", "safeExtend", "merge", "and", "or"}
_KEEPS = {"optional", "nullable", "nullish", "describe", "default", "strict", "passthrough", "partial",
          "refine", "superRefine", "transform", "pipe", "catch", "meta", "min", "max", "array",
          "readonly", "brand", "loose", "strip", "check", "overwrite", "nonempty", "length", "required",
          "unwrap", "prefault", "register", "clone"}
_LAZY = r"[\w$]+\((?:\(\)=>|function)"
_FUNCTION = "(?:async )?function"
_MAKER = r"function [\w$]+\([^)]*\)\{(?:let [^;]*;)?return new "
_NO_SCHEMA = {"string", "number", "function", "other"}
_DEPTH = 60
_STEPS = 20000  # for one schema; anything larger is not a schema


class Schemas:
    def __init__(self):
        self._known = {}  # (module, name) -> fields

    def fields(self, module, node):
        self._steps = _STEPS
        return self._fields(_Scope(module), node, _DEPTH)

    def _fields(self, scope, node, depth):
        handler = getattr(self, "_of_" + node[0], None)
        self._steps -= 1
        if depth == 0 or self._steps < 0 or not handler:
            return set()
        return handler(scope, node, depth - 1)

    def _all(self, scope, nodes, depth):
        return set().union(*(self._fields(scope, node, depth) for node in nodes))

    def _of_either(self, scope, node, depth):
        return self._all(scope, node[1], depth)

    _of_array = _of_either

    def _of_spread(self, scope, node, depth):
        return self._fields(scope, node[1], depth)

    def _of_function(self, scope, node, depth):
        body = node[1]
        if isinstance(body[0], str):
            return self._fields(scope, body, depth)
        inner = _Scope(scope.module, scope.values, body)
        return self._all(inner, javascript.returns(scope.module.text, *body), depth)

    def _of_name(self, scope, node, depth):
        known = scope.local(node[1])
        if known:
            return self._fields(*known, depth)
        return self._named(scope.module, node[1], depth, '["{[]|' + _LAZY)

    def _named(self, module, name, depth, wanted):
        key = (id(module), name)
        if key not in self._known:
            self._known[key] = set()  # in case the definition refers to itself
            found = _value(module, name, wanted)
            if found:
                self._known[key] = self._fields(_Scope(found[0]), found[1], depth)
        return self._known[key]

    def _of_member(self, scope, node, depth):
        # "X.shape" is what X describes.
        of, key = node[1], node[2]
        fields = self._fields(scope, of, depth)
        if key == "shape":
            return fields
        return {name[len(key) + 1:] for name in fields if name.startswith(key + ".")}

    def _of_object(self, scope, node, depth):
        """A JSON Schema, or the shape from which a schema of an object is built."""
        members = {key: value for key, value in node[1] if isinstance(key, str)}
        for kind, inside in (("object", "properties"), ("array", "items")):
            if members.get("type") == ("string", kind) and inside in members:
                return self._json_schema(scope, members[inside], depth)
        if any(value[0] in _NO_SCHEMA for _, value in node[1]):
            return set()
        fields = set()
        for key, value in node[1]:
            fields |= self._of_shape_member(scope, key, value, depth)
        return fields

    def _json_schema(self, scope, node, depth):
        """The properties of a JSON Schema, each of which is a schema; or the schema of elements."""
        if node[0] != "object" or "type" in dict(node[1]):
            return self._fields(scope, node, depth)
        fields = set()
        for key, value in node[1]:
            fields |= self._of_shape_member(scope, key, value, depth)
        return fields

    def _of_shape_member(self, scope, key, value, depth):
        inner = self._fields(scope, value, depth)
        if key == "...":
            return inner
        name = key if isinstance(key, str) else constant(scope.module, key[1])
        return {name} | {f"{name}.{field}" for field in inner} if name else set()

    def _of_call(self, scope, node, depth):
        function, arguments = node[1], node[2]
        if function[0] == "member":
            return self._of_method(scope, function, arguments, depth)
        if function[0] != "name":
            return set()
        if arguments and arguments[0][0] == "function":  # built lazily
            return self._all(scope, arguments, depth)
        known = scope.local(function[1])
        if known:
            return self._fields(*known, depth)
        wanted = next((form for form in (_MAKER, _LAZY)
                       if scope.module.matches(function[1], form)), _FUNCTION)
        found = _value(scope.module, function[1], wanted)
        if not found:
            return set()
        there, value, offset = found
        if wanted == _MAKER:
            return self._all(scope, _schema_arguments(arguments), depth)
        if not arguments:
            is_leaf = value[0] == "function" and javascript.parameters(there.text, offset)
            return set() if is_leaf else self._named(scope.module, function[1], depth, wanted)
        if value[0] != "function":
            return set()
        parameters = javascript.parameters(there.text, offset)
        given = {name: (scope, node) for name, node in zip(parameters, arguments)}
        return self._fields(_Scope(there, given), value, depth)

    def _of_method(self, scope, function, arguments, depth):
        of, method = function[1], function[2]
        if method in _JOINS:
            return self._fields(scope, of, depth) | self._all(scope, arguments, depth)
        if method in ("omit", "pick"):
            fields = self._fields(scope, of, depth)
            named = {key for key, _ in arguments[0][1]} if arguments[0][0] == "object" else set()
            return {field for field in fields
                    if (field.split(".")[0] in named) == (method == "pick")}
        return self._fields(scope, of, depth) if method in _KEEPS else set()


class _Scope:
    """A module, and the meaning of names in a function of it: its parameters and its variables."""

    def __init__(self, module, values=None, body=None):
        self.module, self.values, self._body = module, dict(values or {}), body

    def local(self, name):
        """(scope, node), or None for a name of the module."""
        if name in self.values:
            return self.values[name]
        if self._body is None:
            return None
        begin, end = self._body
        declared = re.compile(rf"(?:\b(?:let|const|var) |,){re.escape(name)}=(?![=>])")
        found = declared.search(self.module.text, begin, end)
        if not found:
            return None
        self.values[name] = (self, ("other", []))  # in case the definition refers to itself
        self.values[name] = (self, _parsed(self.module.text, found.end()))
        return self.values[name]


def _parsed(text, offset):
    try:
        return javascript.parse(text, offset)[0]
    except javascript.Unreadable:
        return "other", []


def _value(module, name, wanted=""):
    """(module, node, offset) of the value of a module's name, or None."""
    found = module.definition(name, wanted)
    if not found:
        return None
    there, offset = found
    return there, _parsed(there.text, offset), offset


def _schema_arguments(arguments):
    """The arguments without trailing options, such as {message: "..."}."""
    return [node for index, node in enumerate(arguments) if index == 0 or node[0] != "object"]


def constant(module, node):
    """The text of a string, or of a named string; None for anything else."""
    for _ in range(8):
        if node[0] == "string":
            return node[1]
        if node[0] != "name" or not module.matches(node[1], '["`]|[\\w$]+[,;]'):
            return None
        found = _value(module, node[1], '["`]')
        module, node, _ = found
    return None
