"""Every tool that a client can offer, with its other names and the names of its arguments."""

import dataclasses
import re

import javascript
from schema import Schemas, constant

_MARK = re.compile(r'registryToolId:"')  # a key that every tool has, and nothing else
_SCHEMAS = ("inputSchema", "inputJSONSchema")
_UNDEFINED = ("name", "undefined")
_REACH = 6000  # how far before a key its object may begin


@dataclasses.dataclass
class Tool:
    name: str
    aliases: set
    fields: set
    runs_code: bool  # according to the client itself


def client_tools(bundle):
    """{name: Tool}"""
    schemas, tools = Schemas(), {}
    for module in bundle.modules:
        for mark in _MARK.finditer(module.text):
            tool = _tool(_Maker(module, schemas), mark.start())
            if tool:
                _join(tools.setdefault(tool.name, tool), tool)
    return tools


def _join(known, tool):
    known.aliases |= tool.aliases
    known.fields |= tool.fields
    known.runs_code |= tool.runs_code


def _tool(maker, mark):
    """None for an object from which a function makes a tool: its callers have the name."""
    found = maker.object_around(mark, lambda members: "registryToolId" in members)
    name = found and constant(maker.module, found[0].get("name", ("", "")))
    if name is None:
        return None
    members, begin = found
    aliases = texts(maker.module, members.get("aliases", ("array", [])))
    runs_code = members.get("enablesCodeExecution", _UNDEFINED) != _UNDEFINED
    return Tool(name, aliases, maker.fields(members, begin), runs_code)


@dataclasses.dataclass
class _Maker:
    module: object
    schemas: Schemas

    def object_around(self, offset, wanted):
        """(members, offset) of the innermost object whose members satisfy `wanted`."""
        text = self.module.text
        for begin in range(offset - 1, max(0, offset - _REACH), -1):
            if text[begin] != "{":
                continue
            try:
                node, end = javascript.parse(text, begin)
            except javascript.Unreadable:
                continue
            if node[0] == "object" and end > offset:
                members = {key: value for key, value in node[1] if isinstance(key, str)}
                if wanted(members):
                    return members, begin
        return None

    def fields(self, members, begin):
        """The fields of a tool's object, or of the object into which it is spread, or that is
        made from it."""
        if not _has_schema(members):
            found = self._spread_object(begin) or self._made_object(begin)
            if not found:
                return set()
            maker, members = found
            return maker.fields(members, 0)
        return set().union(*(self.schemas.fields(self.module, members[key])
                             for key in _SCHEMAS if key in members))

    def _spread_object(self, begin):
        named = re.search(r"([\w$]+)=\Z", self.module.text[max(0, begin - 40):begin])
        if not named:
            return None
        for module in self.module.users(named.group(1)):
            maker = _Maker(module, self.schemas)
            for spread in re.finditer(rf"\.\.\.{re.escape(named.group(1))}(?![\w$])", module.text):
                found = maker.object_around(spread.start(), _has_schema)
                if found:
                    return maker, found[0]
        return None

    def _made_object(self, begin):
        called = re.search(r"([\w$]+)\(\Z", self.module.text[max(0, begin - 40):begin])
        made = called and self.module.definition(called.group(1), "(?:async )?function")
        if not made:
            return None
        there, offset = made
        schema = re.compile(r"get inputSchema\(\)").search(there.text, offset, offset + _REACH)
        maker = _Maker(there, self.schemas)
        found = schema and maker.object_around(schema.start(), _has_schema)
        return (maker, found[0]) if found else None


def _has_schema(members):
    return any(key in members for key in _SCHEMAS)


def texts(module, node):
    """The strings of a list, as far as they are constants."""
    if node[0] == "name":
        found = module.definition(node[1], r"\[")
        if not found:
            return set()
        module, offset = found
        node, _ = javascript.parse(module.text, offset)
    if node[0] != "array":
        return set()
    strings = set()
    for item in node[1]:
        if item[0] == "spread":
            strings |= texts(module, item[1])
        elif (text := constant(module, item)) is not None:
            strings.add(text)
    return strings
