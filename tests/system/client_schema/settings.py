"""Every key of the client's settings, and the environment variables that it reads."""

import re

import javascript
from schema import Schemas

_KEY = re.compile(r"processWrapper:\(\)=>")  # a key of the settings, and of nothing else
_REACH = 150000
_VARIABLE = re.compile(r"(?<![\w$])CLAUDE_[A-Z0-9]+(?:_[A-Z0-9]+)*(?![\w$])")


def client_settings(bundle):
    """The keys, with dots for nested members: "statusLine.command"."""
    schemas, keys = Schemas(), set()
    for module in bundle.modules:
        for found in _KEY.finditer(module.text):
            node = _object_around(module.text, found.start())
            keys |= _keys(module, node, schemas) if node else set()
    return keys


def _object_around(text, offset):
    for begin in range(offset - 1, max(0, offset - _REACH), -1):
        if text[begin] != "{":
            continue
        try:
            node, end = javascript.parse(text, begin)
        except javascript.Unreadable:
            continue
        if node[0] == "object" and end > offset and "processWrapper" in dict(_named(node)):
            return node
    return None


def _named(node):
    return [(key, value) for key, value in node[1] if isinstance(key, str)]


def _keys(module, node, schemas):
    keys = set()
    for key, value in _named(node):
        if key == "...":
            for part in _objects(value):
                keys |= _keys(module, part, schemas)
        else:
            inner = schemas.fields(module, value)
            keys |= {key} | {f"{key}.{name}" for name in inner}
    return keys


def _objects(node):
    """The objects that a spread may add: {...condition&&{a:...}}."""
    if node[0] == "object":
        return [node]
    if node[0] == "spread":
        return _objects(node[1])
    return [part for choice in node[1] for part in _objects(choice)] if node[0] == "either" else []


def client_variables(bundle):
    return set().union(*(_VARIABLE.findall(module.text) for module in bundle.modules))
