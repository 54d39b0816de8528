"""The client's own JavaScript, read from its binary, with the definitions of its names.

The binary contains minified modules as plain text beside their bytecode. A name that a module
exports is unique in the whole program; any other name is known only in its module.
"""

import functools
import re

_MODULE = re.compile(rb"// @bun @bytecode\n")
_EXPORTS = re.compile(r"export\{([^}]*)\};?\s*\Z")
_IMPORTS = re.compile(r'import\{([^}]*)\}from"/\$bunfs/')
_DEFINITION = re.compile(r"(?:\b(?:let|const|var) |[,;{}\n])([\w$]+)=(?![=>])"
                         r"|(?<![\w$.])(?:async )?function\*? ?([\w$]+)\(")


class Bundle:
    def __init__(self, program):
        self.modules = [Module(self, text) for text in _module_texts(program)]
        self._exporters = {name: module for module in self.modules for name in module.exports}

    def exporter(self, name):
        """The module that exports a name, or None."""
        return self._exporters.get(name)


class Module:
    def __init__(self, bundle, text):
        self._bundle, self.text = bundle, text
        exports = _EXPORTS.search(text, max(0, len(text) - 200000))
        self.exports = set(exports.group(1).split(",")) if exports else set()

    def definition(self, name, wanted=""):
        """(module, offset of the value or of the word "function"), or None.

        Functions of a module reuse short names: the first definition whose value matches
        `wanted` counts."""
        here = self
        if name in self._imports:
            here = self._bundle.exporter(name)
        offsets = here._definitions.get(name) if here else None
        if not offsets:
            return None
        pattern = re.compile(wanted)
        for offset in offsets:
            if pattern.match(here.text, offset):
                return here, offset
        return here, offsets[0]

    def matches(self, name, wanted):
        found = self.definition(name, wanted)
        return found is not None and re.compile(wanted).match(found[0].text, found[1]) is not None

    def users(self, name):
        """The modules that can use names of this module."""
        if name not in self.exports:
            return [self]
        return [self] + [module for module in self._bundle.modules if name in module._imports]

    @functools.cached_property
    def _imports(self):
        names = set()
        for found in _IMPORTS.finditer(self.text):
            names |= {name.split(" as ")[-1] for name in found.group(1).split(",")}
        return names

    @functools.cached_property
    def _definitions(self):
        """{name: [offset]}, in text order."""
        offsets = {}
        for found in _DEFINITION.finditer(self.text):
            if found.group(1):
                offsets.setdefault(found.group(1), []).append(found.end())
            else:
                offsets.setdefault(found.group(2), []).append(found.start())
        return offsets


def _module_texts(program):
    with open(program, "rb") as file:
        data = file.read()
    for start in _MODULE.finditer(data):
        end = data.find(b"\0", start.end())
        yield data[start.end():end].decode("utf-8", "replace")
