"""docs/policy-format.md and policy.schema.json name the keys and sets that the loader knows, each
with its type, and no others.

The tests find the keys and sets by asking the loader: they try every quoted word in the sources
of policy/ as a key of every object, with the value null, and as a set in every list.
"""

import json
import re
import subprocess

import pytest

from policy_files import ROOT, Loader, without_comments

DOCUMENT = ROOT / "docs/policy-format.md"
ANY_NAME = "mcp__any__name"  # of a tool, a profile or a field
NOBODY = "no_such_key"
TYPES = {"an object": "object", "an array": "array", "a string": "string", "a number": "number",
         "true or false": "boolean", "1": "number"}
LISTS = [f"{section}.{name}" for section, names in
         (("tools", "allow ask deny"), ("read", "allow ask deny"), ("write", "allow ask deny"),
          ("network", "allow deny inspect")) for name in names.split()]


def words(pattern):
    """The quoted words of the sources that match `pattern`, also as parts of dotted names."""
    found = set()
    for file in (ROOT / "policy").rglob("*.*"):
        if file.suffix in (".cc", ".h"):
            text = file.read_text(encoding="utf-8")
            for names in re.findall(rf'"({pattern}(?:\.{pattern})*)"', text):
                found.update(names.split("."))
    return found


def policy_with(path, value):
    """A policy with `value` at `path`; its own members go beside the version."""
    for key in reversed(path):
        value = {key: value}
    return json.dumps({"version": 1, **value})


class KnownKeys:
    """Dotted key -> type, with "*" for any name."""

    def __init__(self, loader):
        self.loader, self.types = loader, {}
        self.candidates = sorted(words(r"\$?[a-z][a-z_]*") - {"version"}) + [ANY_NAME, NOBODY]
        self.types["version"] = "number"
        self.descend(())

    def descend(self, path):
        """Tries every candidate in the object at `path`, and descends into those that are
        objects."""
        asked = policy_with(path, {word: None for word in self.candidates})
        said = {}
        for mistake in self.loader.read_texts([asked])[0]:
            match = re.match(r"policy\.json:\d+:\d+: (/\S+) (.*)", mistake.text)
            if match:
                said.setdefault(match[1], match[2])
        pointer = "".join(f"/{key}" for key in path)
        known = {word: said.get(f"{pointer}/{word}", "") for word in self.candidates}
        known = {word: what for word, what in known.items() if what != "is not a known key"
                 and not what.startswith("is not a known key;")}
        if NOBODY in known:  # any name is accepted
            known = {ANY_NAME: known[ANY_NAME]}
        for word, what in known.items():
            self.add(path + (word,), what)

    def add(self, path, what):
        match = re.fullmatch(r"must be (an? \w+|true or false)(?:, not null)?", what)
        kind = TYPES[match[1]] if match else f"a type of its own ({what})"
        self.types[".".join("*" if key == ANY_NAME else key for key in path)] = kind
        if kind == "object":
            self.descend(path)


def known_sets(loader):
    """Set -> the lists that accept it."""
    sets = {}
    for word in sorted(words("@[a-z][a-z-]*")):
        texts = [policy_with(name.split("."), [word]) for name in LISTS]
        taken = [name for name, mistakes in zip(LISTS, loader.read_texts(texts)) if not mistakes]
        if taken:
            sets[word] = taken
    return sets


def rows(first_header):
    """The rows of the document's tables whose first column has that header."""
    inside = False
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if not line.startswith("|"):
            inside = False
        elif cells[0] == first_header:
            inside = True
        elif inside and not set(line) <= set("|- "):
            yield cells


def document_keys():
    """The same as KnownKeys.types, read from the document. "as above": the section of that name."""
    types, borrowed = {}, []
    for names, kind, *_ in rows("key"):
        for name in re.findall(r"`([^`]+)`", names):
            key = re.sub(r"\b[A-Z]+\b", "*", name)
            types[key] = kind.split(",")[0].split(" ")[0]
            if kind == "as above":
                borrowed.append(key)
    for key in borrowed:
        section = key.rsplit(".", 1)[1]
        types[key] = types.get(section, "nothing")
        for other in [other for other in types if other.startswith(f"{section}.")]:
            types[key + other.removeprefix(section)] = types[other]
    return types


def document_sets():
    sets = {}
    for name, where, *_ in rows("set"):
        sections, lists = where.split(": ")
        sets[name.strip("`")] = [f"{section}.{item}" for section in sections.split(", ")
                                 for item in lists.split(", ")]
    return sets


def schema_keys():
    schema = json.loads((ROOT / "policy/policy.schema.json").read_text(encoding="utf-8"))
    keys = set()

    def descend(node, path):
        if "$ref" in node:
            descend(schema["$defs"][node["$ref"].rsplit("/", 1)[1]], path)
        members = dict(node.get("properties", {}))
        if isinstance(node.get("additionalProperties"), dict):
            members["*"] = node["additionalProperties"]
        for key, value in members.items():
            keys.add(".".join(path + (key,)))
            descend(value, path + (key,))

    descend(schema, ())
    return keys


def differences(known, named):
    """The differences of `named` from `known`, both key -> type."""
    return "; ".join(
        [f"{key} is not named" for key in sorted(known.keys() - named.keys())] +
        [f"{key} is not known" for key in sorted(named.keys() - known.keys())] +
        [f"{key} is {known[key]}, not {named[key]}" for key in sorted(known.keys() & named.keys())
         if known[key] != named[key]])


def built_in_problem(load_policy):
    """The first example with "// built-in" in the document shows the built-in policy."""
    done = subprocess.run([load_policy, "--built-in"], capture_output=True, check=True)
    shown = re.search(r"^```jsonc\n// built-in\n(.*?)^```$", DOCUMENT.read_text(encoding="utf-8"),
                      re.MULTILINE | re.DOTALL)
    if shown is None:
        return "it is not shown"
    same = json.loads(without_comments(shown[1])) == json.loads(done.stdout)
    return "" if same else f"it is {done.stdout.decode()}"


@pytest.fixture(name="loader", scope="module")
def fixture_loader(pytestconfig):
    return Loader(pytestconfig.option.load_policy)


@pytest.fixture(name="known", scope="module")
def fixture_known(loader):
    types = KnownKeys(loader).types
    assert len(types) > 60, f"only {sorted(types)}"
    return types


def test_keys_of_the_document(known):
    wrong = differences(known, document_keys())
    assert not wrong, wrong


def test_keys_of_the_schema(known):
    wrong = differences({key: "" for key in known}, {key: "" for key in schema_keys()})
    assert not wrong, wrong


def test_sets_of_the_document(loader):
    wrong = differences(known_sets(loader), document_sets())
    assert not wrong, wrong


def test_the_built_in_policy(loader):
    wrong = built_in_problem(loader.command[0])
    assert not wrong, wrong
