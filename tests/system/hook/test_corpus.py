"""Runs the bypass cases against the built hook, and other projects' JSON if available.

fixtures/bypass/bypass.jsonl has one case per line (described in corpus_case.py); the policies are
made from policy-template.json beside it. An answer is read as the client reads it. A question (ask)
counts as stopping a case that must be denied, and as failing one that must pass.

With --corpora every file of json-test-suite/test_parsing there goes to the hook as well: as the
event, as the policy and as the arguments of a tool.
"""

import pytest

import corpus_case
import corpus_json


def pytest_generate_tests(metafunc):
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", corpus_case.load(), ids=lambda case: f"{case['id']}: {case['class']}")
    if "use" in metafunc.fixturenames:
        folder = metafunc.config.option.corpora
        uses = corpus_json.uses(folder) if folder else [pytest.param(None, id="none")]
        metafunc.parametrize("use", uses, ids=lambda use: use.name)


@pytest.fixture(name="template", scope="module")
def fixture_template():
    return corpus_case.template()


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
