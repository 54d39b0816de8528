"""The schema for editors gives every policy the same verdict as the loader.

Policies: those of fixtures/policies, each of them with one value replaced by another, and those
in the documents. A file of fixtures/policies/bad has one mistake, and NAME.txt beside it has the
loader's message; UPDATE_FIXTURES=1 rewrites the messages. Checking the schema needs
python3-jsonschema.
"""

import copy
import json
import os

import pytest

from policy_files import ROOT, Loader, examples, without_comments

try:
    import jsonschema
except ImportError:
    jsonschema = None

FIXTURES = ROOT / "fixtures/policies"
DOCUMENTS = (ROOT / "README.md", ROOT / "docs/policy-format.md")
LEAST_GOOD, LEAST_BAD = 20, 40
# Replacements for each value of each good policy.
OTHER_VALUES = (None, True, False, 0, 1, -1, 2.5, 1e7, "", ".", "..", "a/../b", "~user", " a", "a ",
                "\u00a0a", "!a", "\\a", "C:\\a", "$HOME/a", "a/$b", "a$b", "@secrets", "@nothing",
                "@tmp", "@session-tools", "@agent-hosts", "*", "[a", "[[:digit:]]", "[[:digits:]]",
                "a\\", "[]a]", "/", "~", "~/x", "/x*", "git", "allow", "ask", "sandbox", "64M",
                "0", "1000000K", "host.example:443", "host:0", "10.0.0.256", "10.0.0.1:80",
                "1host", "*.host", "[::1]", "[]", "mcp__a b", "a\u0000b", "/p", "a" * 300,
                "mcp__" + "a" * 300, "a." * 150 + "a", [], ["x"], [5], [""],
                {}, {"a": "b"}, {"allow": []}, {"subagent": True}, {"a": {}})
OTHER_KEYS = ("", "x", "allow", "when", "mcp__a__b", "version")


def values_of(node, path=()):
    """The path of every value below `node`; only the first element of a list."""
    if path:
        yield path
    members = (node.items() if isinstance(node, dict) else
               enumerate(node[:1]) if isinstance(node, list) else ())
    for key, value in members:
        yield from values_of(value, path + (key,))


def inside(policy, path):
    for key in path:
        policy = policy[key]
    return policy


def changed(policy, seen):
    """`policy` with one value replaced, removed or renamed; each place once."""
    for path in values_of(policy):
        if path in seen:
            continue
        seen.add(path)
        for value in OTHER_VALUES:
            other = copy.deepcopy(policy)
            inside(other, path[:-1])[path[-1]] = value
            yield other
        other = copy.deepcopy(policy)
        del inside(other, path[:-1])[path[-1]]
        yield other
        if isinstance(path[-1], str):
            for key in OTHER_KEYS:
                other = copy.deepcopy(policy)
                around = inside(other, path[:-1])
                around[key] = around.pop(path[-1])
                yield other


class Schema:
    def __init__(self, schema):
        jsonschema.Draft202012Validator.check_schema(schema)
        self.validator = jsonschema.Draft202012Validator(schema)

    def permits(self, text):
        try:
            return self.validator.is_valid(policy_in(text))
        except ValueError:
            return False

    def mistake(self, text):
        """The schema's first complaint, or nothing."""
        try:
            policy = policy_in(text)
        except ValueError as error:
            return f"not JSON: {error}"
        error = jsonschema.exceptions.best_match(self.validator.iter_errors(policy))
        return f"{error.json_path}: {error.message}"[:300] if error else ""


def policy_in(text):
    text.encode()  # bytes that are not UTF-8 were read as surrogates
    return json.loads(without_comments(text))


def compare(name, mistakes, schema, text):
    """The problem, if the two do not agree."""
    if schema.permits(text) != bool(mistakes):
        return ""
    loaders = mistakes[0].text if mistakes else "ok"
    return f"{name}: the schema says {schema.mistake(text) or 'ok'}, the loader {loaders}"


def check_bad(file, mistakes):
    """Compares the one mistake of a bad fixture with the file beside it."""
    if len(mistakes) != 1:
        return f"{len(mistakes)} mistakes: {[mistake.text for mistake in mistakes]}"
    wanted = file.with_suffix(".txt")
    if os.environ.get("UPDATE_FIXTURES") == "1":
        wanted.write_text(f"{mistakes[0]}\n", encoding="utf-8")
    if not wanted.exists():
        return f"{wanted.name} is missing"
    text = wanted.read_text(encoding="utf-8")
    return "" if text == f"{mistakes[0]}\n" else f"the loader says {str(mistakes[0])!r}"


def check_fixtures(loader, schema, report):
    for kind, least in (("good", LEAST_GOOD), ("bad", LEAST_BAD)):
        files = sorted((FIXTURES / kind).glob("*.json"))
        report.check(kind, "" if len(files) >= least else f"only {len(files)} files")
        for file, mistakes in zip(files, loader.read_files(files)):
            name = f"{kind}/{file.name}"
            problem = check_bad(file, mistakes) if kind == "bad" else "; ".join(map(str, mistakes))
            report.check(f"{name}, loader", problem)
            if schema:
                text = file.read_text(encoding="utf-8", errors="surrogateescape")
                report.check(f"{name}, schema", compare(name, mistakes, schema, text))
    for file in sorted((FIXTURES / "bad").glob("*.txt")):
        report.check(file.name, "" if file.with_suffix(".json").exists() else "has no policy")


def check_changed(loader, schema, report):
    """Every change of every good policy; each fixture is one test."""
    seen = set()
    for file in sorted((FIXTURES / "good").glob("*.json")):
        policy = json.loads(without_comments(file.read_text(encoding="utf-8")))
        texts = [json.dumps(other) for other in changed(policy, seen)]
        problems = (compare(text[:200], mistakes, schema, text)
                    for text, mistakes in zip(texts, loader.read_texts(texts)))
        problems = list(filter(None, problems))
        report.check(f"changes of {file.name}",
                     f"{len(problems)} of {len(texts)}: {problems[0]}" if problems else "")


def check_documents(loader, schema, report):
    for document in DOCUMENTS:
        blocks = list(examples(document))
        report.check(f"{document.name}: examples", "" if blocks else "there are none")
        for (line, text), mistakes in zip(blocks, loader.read_texts([text for _, text in blocks])):
            name = f"{document.name}:{line}"
            report.check(f"{name}, loader", "; ".join(map(str, mistakes)))
            if schema:
                report.check(f"{name}, schema", schema.mistake(text))


@pytest.fixture(name="loader", scope="module")
def fixture_loader(pytestconfig):
    return Loader(pytestconfig.option.load_policy)


@pytest.fixture(name="schema", scope="module")
def fixture_schema():
    if jsonschema is None:
        return None
    return Schema(json.loads((ROOT / "policy/policy.schema.json").read_text(encoding="utf-8")))


def test_jsonschema_is_installed():
    if jsonschema is None:
        pytest.skip("python3-jsonschema is not installed")


@pytest.mark.parametrize("check", (check_fixtures, check_documents, check_changed))
def test_policies(check, loader, schema, checks):
    if schema is None and check is check_changed:
        pytest.skip("python3-jsonschema is not installed")
    check(loader, schema, checks)
