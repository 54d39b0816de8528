"""Checks what `ringfence check` prints for other programs: SARIF and workflow commands."""

import collections
import json
import re

import pytest

import npm_package
from action_runner import commands_of
from repository import ROOT

LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def reports(world, *arguments):
    """The findings, the run in SARIF and the workflow commands: they must agree."""
    def output(kind):
        done = world.run("check", "--hook", world.programs.hook, "--format", kind, *arguments)
        assert done.returncode in (0, 1) and not done.stderr, done
        return done.stdout
    findings = json.loads(output("json"))["findings"]
    sarif = json.loads(output("sarif"))
    commands = commands_of(output("github"))
    results = sarif["runs"][0]["results"]
    assert [(one["ruleId"], one["level"]) for one in results] == [
        (one["code"], one["severity"]) for one in findings]
    assert [(one.name, one.properties["title"]) for one in commands] == [
        (LEVELS[one["severity"]], "ringfence check: " + one["code"]) for one in findings]
    for finding, result, command in zip(findings, results, commands):
        for text in (result["message"]["text"], command.message):
            assert finding["what"] in text and finding.get("hint", "") in text, (finding, text)
    rules = [rule["id"] for rule in sarif["runs"][0]["tool"]["driver"]["rules"]]
    assert sorted(rules) == sorted({one["code"] for one in findings}), rules
    return findings, sarif, commands


def place(result):
    physical = result["locations"][0]["physicalLocation"]
    return physical["artifactLocation"]["uri"], physical["region"]


def test_findings_about_the_whole_project_have_places(world):
    world.init("--no-client-sandbox")
    world.user.write_text(world.user.read_text().replace('"timeout": 10', '"timeout": 900', 1))
    findings, sarif, _ = reports(world)
    validate(sarif)
    results = dict(zip((one["code"] for one in findings), sarif["runs"][0]["results"]))
    uri, region = place(results["timeout"])
    assert uri == "file://" + str(world.user), uri
    where, = [one["where"] for one in findings if one["code"] == "timeout"]
    assert where.endswith(f":{region['startLine']}:{region['startColumn']}"), (where, region)


def validate(sarif):
    try:
        import jsonschema
        schema = npm_package.folder("@microsoft/jest-sarif", "1.0.0-beta.0") / "lib/schemas/sarif-2.1.0-rtm.5.json"
    except (ImportError, npm_package.Unavailable) as reason:
        pytest.skip(str(reason))
    mistakes = [error.message for error in jsonschema.Draft7Validator(
        json.loads(schema.read_text())).iter_errors(sarif)]
    assert not mistakes, mistakes[:3]


def test_names_of_files_are_escaped(world):
    name = "a:5,b %0A::error::x.json"
    world.write(world.project / name, '{"version": 1,\n "reed": {}}\n')
    world.write(world.project / "a", '{"version": 1,\n\n "reed": {}}\n')
    _, sarif, commands = reports(world, "./" + name, "a")
    assert [(one.properties["file"], one.properties["line"], one.properties["col"]) for one in commands] == [
        (name, "2", "2"), ("a", "3", "2")]
    (uri, region), (other, _) = map(place, sarif["runs"][0]["results"])
    assert uri == "a%3A5%2Cb%20%250A%3A%3Aerror%3A%3Ax.json" and other == "a", (uri, other)
    assert region == {"startLine": 2, "startColumn": 2}, region


def test_every_code_is_described():
    source = (ROOT / "cli/check/annotated.cc").read_text()
    table = collections.Counter(re.findall(r'^    \{"([a-z-]+)",', source, re.M))
    rows = re.findall(r"^\| (`.*?`) \|", (ROOT / "docs/check.md").read_text().split("###")[0], re.M)
    documented = {code for row in rows for code in re.findall(r"`([a-z-]+)`", row)}
    assert max(table.values()) == 1 and set(table) - {"client-fence"} == documented, set(table) ^ documented
