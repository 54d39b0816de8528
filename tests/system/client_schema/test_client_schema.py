"""Compares ringfence's knowledge of the client's tools and settings with the client's own schema.

The client is the program named by CLAUDE_BIN, of any version, or the pinned one from the cache.
Its schema is read from the JavaScript in the binary; the client is also started once, without a
model, to check that the schema contains all tools that it offers.

A new tool, argument or setting is a failure. Decide what it means:
  a tool                  a line of kTools in agents/claude/agent.cc
  an argument that is a   in the line of its tool
  path, a host or a URL
  any other argument      a name in reviewed.json
  a setting that starts a SettingLists() in agents/claude/settings/weakens.cc
  program or widens what
  one may do
  a variable that does    agents/claude/settings/env.cc
  any other setting or    a name in reviewed.json
  variable
--review adds everything that is new to reviewed.json: review the diff before you commit it.
"""

import json
import pathlib
import re

import pytest

import bundle
import client
import offered
import settings
import tools
from repository import ROOT

# All tests share a reader of the client and the list of new names.
pytestmark = pytest.mark.xdist_group("client_schema")

REVIEWED = pathlib.Path(__file__).with_name("reviewed.json")
# Variables whose names suggest that they make the client start, load or omit something.
TELLING = re.compile(r"SHELL|WRAP|PREFIX|HOOK|PLUGIN|_BIN|BINARY|COMMAND|HELPER|EXEC|SETTINGS|SANDBOX"
                     r"|MODS|MCP_CONFIG|SIMPLE|SAFE_MODE|BUBBLEWRAP|CODE_MODE|CONFIG_DIR|ENV_FILE"
                     r"|RESTRICT|SKIP_PERMISSIONS")


def known_tools():
    """{name: (its fields' pointers, runs code)} and {alias: name}, read from the source."""
    text = (ROOT / "agents/claude/agent.cc").read_text()
    table = re.search(r"constexpr ToolTable kTools\((.*?)\);", text, re.S).group(1)
    known, aliases = {}, {}
    for row in "".join(re.findall(r'"([^"]*)"', table)).split("\\n"):
        name, *words = row.split() or [""]
        if name:
            known[name] = ({word.split(":", 1)[1] for word in words if ":/" in word},
                           "code" in words)
            aliases.update({word[4:]: name for word in words if word.startswith("aka:")})
    return known, aliases


def watched_settings():
    text = (ROOT / "agents/claude/settings/weakens.cc").read_text()
    lists = re.findall(r"constexpr WordList \w+\((.*?)\);", text, re.S)
    words = "".join(re.findall(r'"([^"]*)"', "".join(lists))).split("\\n")
    return {word[1:].replace("/", ".") for word in words if word}


def watched_variables():
    text = (ROOT / "agents/claude/settings/env.cc").read_text()
    return set(re.findall(r"[A-Z_]{3,}[A-Z0-9_]*", "\n".join(re.findall(r'"([^"]*)"', text))
                          .replace("\\n", "\n")))


def is_covered(field, pointers):
    """True if the name is at or below the pointer, whose "*" stands for an element and adds
    nothing."""
    names = [pointer[1:].replace("/*", "").replace("/", ".") for pointer in pointers]
    return any(field == name or field.startswith(name + ".") for name in names)


class Review:
    def __init__(self):
        self._old = json.loads(REVIEWED.read_text())
        self._new = {"tools": {}, "settings": set(), "variables": set()}

    def tool(self, tool, field):
        self._new["tools"].setdefault(tool, set()).add(field)
        return field in self._old["tools"].get(tool, [])

    def other(self, kind, name):
        self._new[kind].add(name)
        return name in self._old[kind]

    def save(self):
        merged = {"tools": dict(self._old["tools"])}
        for tool, fields in self._new["tools"].items():
            merged["tools"][tool] = sorted(fields | set(merged["tools"].get(tool, [])))
        for kind in ("settings", "variables"):
            merged[kind] = sorted(self._new[kind] | set(self._old[kind]))
        REVIEWED.write_text(json.dumps(merged, indent=1, sort_keys=True) + "\n")


# -- fixtures ---------------------------------------------------------------------------------------

@pytest.fixture(name="program", scope="module")
def fixture_program():
    try:
        return client.find()
    except client.Unavailable as reason:
        pytest.skip(str(reason))


@pytest.fixture(name="schema", scope="module")
def fixture_schema(program):
    return bundle.Bundle(program)


@pytest.fixture(name="found", scope="module")
def fixture_found(schema):
    """The client's tools, by name."""
    return tools.client_tools(schema)


@pytest.fixture(name="review", scope="module")
def fixture_review(pytestconfig):
    review = Review()
    yield review
    if pytestconfig.option.review:
        review.save()


# -- tests ------------------------------------------------------------------------------------------

def test_the_schema_can_be_read(found, schema):
    """Fewer than these means that the client can no longer be parsed."""
    keys = settings.client_settings(schema)
    expected = {"Agent", "Bash", "Edit", "Monitor", "Read", "REPL", "Skill", "StructuredOutput",
                "WebFetch", "Write", "propose_skills"}
    assert expected <= found.keys()
    for name, field in (("Bash", "command"), ("Bash", "allowed_domains"), ("Read", "file_path"),
                        ("Monitor", "ws.url"), ("WebFetch", "url"), ("REPL", "code")):
        assert field in found[name].fields, name
    assert len(found) >= 90
    assert len(keys) >= 400
    for key in ("apiKeyHelper", "statusLine.command", "sandbox.network.allowedDomains", "env"):
        assert key in keys


def test_tools(found, review, checks):
    known, aliases = known_tools()
    for name, tool in sorted(found.items()):
        checks.check(f"tool {name}", "; ".join(problems_of_tool(name, tool, known, aliases, review)))


def problems_of_tool(name, tool, known, aliases, review):  # pylint: disable=too-many-arguments
    if name not in known:
        yield "agents/claude/agent.cc has no such tool"
    pointers, runs_code = known.get(name, (set(), False))
    for alias in sorted(tool.aliases):
        if aliases.get(alias) != name:
            yield f'agents/claude/agent.cc: the alias "{alias}" is missing'
    if tool.runs_code and not runs_code:
        yield "the client says that it executes code; agents/claude/agent.cc does not"
    for field in sorted(tool.fields):
        if not is_covered(field, pointers) and not review.tool(name, field):
            yield f'argument "{field}" is new'


def new_names(kind, names, watched, review):
    return [name for name in sorted(names) if name not in watched
            and not any(name.startswith(other + ".") for other in watched)
            and not review.other(kind, name)]


def test_settings(schema, review):
    assert not new_names("settings", settings.client_settings(schema), watched_settings(), review)


def test_variables(schema, review):
    variables = {name for name in settings.client_variables(schema) if TELLING.search(name)}
    assert not new_names("variables", variables, watched_variables(), review)


@pytest.mark.parametrize("session", offered.SESSIONS)
def test_tools_offered(session, program, found):
    problems = offered.problems(program, session, found)
    assert not problems, problems
