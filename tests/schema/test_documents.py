"""The schema, docs/policy-format.md and the man page describe each key as its row in the table
does.

`pytest tests/schema --update-documents` writes all three. The keys of tests/support/test_keys.h,
which exist nowhere else, must appear everywhere: in the loader, in its suggestions for a
misspelt key, and in the documents.
"""

import json
import subprocess

import pytest

from key_documents import formatted, item_of, row_of, with_items, with_keys, with_rows
from policy_files import ROOT, Loader
from test_schema import OTHER_VALUES, Schema, jsonschema

SCHEMA = ROOT / "policy/policy.schema.json"
DOCUMENT = ROOT / "docs/policy-format.md"
PAGE = ROOT / "docs/man/ringfence-policy.5"
TEST_KEYS = 7
# Limits of the test keys' values, in addition to those in test_schema.py.
MORE_VALUES = (2, 3, 19, 20, 3.5, "full", "landlock", "1499K", "1500K", "1M", "2M", "001500K",
               "1536000", "1535999", "999999", "0G", ["/x", "~/y"], ["/x", "y"], ["/x*"], ["a=b"],
               ["a\u0000b"])


def table(load_policy, *options):
    done = subprocess.run([load_policy, *options, "--keys"], capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


FILES = (
    (SCHEMA, lambda text, keys: formatted(with_keys(json.loads(text), keys)) + "\n"),
    (DOCUMENT, with_rows),
    (PAGE, with_items))


@pytest.fixture(name="load_policy")
def fixture_load_policy(pytestconfig):
    return pytestconfig.option.load_policy


@pytest.mark.parametrize("file, made", FILES, ids=[file.name for file, _ in FILES])
def test_the_file_matches_the_table(file, made, load_policy, pytestconfig):
    text = file.read_text(encoding="utf-8")
    wanted = made(text, table(load_policy))
    if pytestconfig.option.update_documents:
        file.write_text(wanted, encoding="utf-8")
    else:
        assert wanted == text, f"run pytest tests/schema --update-documents: {file}"


def policy_with(name, value):
    for key in reversed(name.split(".")):
        value = {key: value}
    return {"version": 1, **value}


def check_loader(loader, key, report):
    """A misspelt name, and a value that the key never accepts."""
    name = key["name"]
    pointer = "/" + name.replace(".", "/")
    last = name.rsplit(".", 1)[-1]
    texts = [json.dumps(policy_with(*case)) for case in ((name + "x", 1), (name, None), (name, {}))]
    misspelt, *wrong = [mistakes[0].text if mistakes else ""
                        for mistakes in loader.read_texts(texts)]
    suggested = f'{pointer}x is not a known key; did you mean "{last}"?'
    report.check(f"{name}: suggestion", "" if misspelt.endswith(suggested) else misspelt or "none")
    for text in wrong:
        report.check(f"{name}: place", "" if f": {pointer} must be " in text else text or "no mistake")


def check_values(loader, schema, key, report):
    """Loader and schema give the same verdict on each value; they accept some and refuse others."""
    policies = [policy_with(key["name"], value) for value in OTHER_VALUES + MORE_VALUES]
    verdicts = [not mistakes for mistakes in loader.read_texts(list(map(json.dumps, policies)))]
    differ = [policy for policy, verdict in zip(policies, verdicts)
              if schema.validator.is_valid(policy) != verdict]
    report.check(f"{key['name']}: schema and loader", "".join(map(str, differ[:3])))
    report.check(f"{key['name']}: both verdicts", "" if len(set(verdicts)) == 2 else f"{verdicts[0]}")


def test_added_keys_appear_in_all_documents(load_policy, checks):
    known = {key["name"] for key in table(load_policy)}
    keys = [key for key in table(load_policy, "--with-test-keys") if key["name"] not in known]
    checks.check("keys of the tests", "" if len(keys) == TEST_KEYS else f"{keys}")
    loader = Loader(load_policy, "--with-test-keys")
    document = with_rows(DOCUMENT.read_text(encoding="utf-8"), keys).split("\n")
    page = with_items(PAGE.read_text(encoding="utf-8"), keys)
    schema = with_keys(json.loads(SCHEMA.read_text(encoding="utf-8")), keys)
    for key in keys:
        check_loader(loader, key, checks)
        checks.check(f"{key['name']}: document", "" if row_of(key) in document else "has no line")
        item = "\n" + "\n".join(item_of(key)) + "\n."
        checks.check(f"{key['name']}: man page", "" if item in page else "has no item")
        if jsonschema:
            check_values(loader, Schema(schema), key, checks)
