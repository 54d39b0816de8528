"""Runs the bypass cases against the built hook, and other projects' JSON if available.

fixtures/bypass/bypass.jsonl has one case per line (described in corpus_case.py); the policies are
made from policy-template.json beside it. An answer is read as the client reads it. A question (ask)
counts as stopping a case that must be denied, and as failing one that must pass.

With --corpora every file of json-test-suite/test_parsing there goes to the hook as well: as the
event, as the policy and as the arguments of a tool.
"""

import json

import pytest

import corpus_case
import corpus_json
from repository import ROOT

CASES = ROOT / "fixtures/bypass/bypass.jsonl"


def pytest_generate_tests(metafunc):
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", load(), ids=lambda case: f"{case['id']}: {case['class']}")
    if "use" in metafunc.fixturenames:
        folder = metafunc.config.option.corpora
        uses = corpus_json.uses(folder) if folder else [pytest.param(None, id="none")]
        metafunc.parametrize("use", uses, ids=lambda use: use.name)


def load():
    """The id names a case, so it occurs only once."""
    cases = {}
    for number, line in enumerate(CASES.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        case = json.loads(line)
        assert case["id"] not in cases, f"{CASES}:{number}: a second case {case['id']}"
        assert case["expect"] in ("allow", "deny", "error"), f"{CASES}:{number}: {case['expect']!r}"
        cases[case["id"]] = case
    return list(cases.values())


@pytest.fixture(name="template", scope="module")
def fixture_template():
    return CASES.with_name("policy-template.json").read_text(encoding="utf-8")


def test_bypass(case, template, programs):
    if reason := corpus_case.skip_reason(case):
        pytest.skip(f"{case['id']}: {reason}")
    with corpus_case.Tree(case, template) as tree:
        answer = tree.run(programs.hook)
    problem = corpus_case.problem(case, answer)
    assert not problem, f"{case['why']}: {problem}"


def test_third_party_json(use, programs):
    if use is None:
        pytest.skip("--corpora names no folder")
    problem = corpus_json.problem(use, programs.hook)
    assert not problem, problem
