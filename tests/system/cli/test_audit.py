"""Runs `ringfence audit`: fixtures, captured events and the audit log, in every format."""

import json
import pathlib
import subprocess
import xml.etree.ElementTree as xml

from command_world import error_of
from repository import ROOT

POLICY = {"version": 1, "read": {"allow": ["."], "deny": ["private"]},
          "write": {"allow": ["."], "deny": ["docs"]},
          "profiles": {"worker": {"write": {"allow": ["src"]}}}}


def call(tool, path, **more):
    return {"files": {}, "event": {"tool_name": tool, "tool_input": {"file_path": path}}, **more}


def fixtures(world, *rows):
    text = "".join(json.dumps({"name": f"case {i}", **row}) + "\n" for i, row in enumerate(rows))
    return world.write(world.project / "calls.jsonl", text)


def policy(world, name="policy.json", **changes):
    return world.write(world.project / name, json.dumps({**POLICY, **changes}) + "\n")


def audit(world, *arguments, status=0):
    done = world.run("audit", *arguments)
    assert done.returncode == status, f"status {done.returncode}: {done.stdout}{done.stderr}"
    return done.stdout


def test_the_decision_fixtures_pass(world):
    out = audit(world, ROOT / "fixtures/decisions")
    assert "all as expected" in out, out


def test_connections_are_decided_as_the_proxy_decides(world):
    out = audit(world, ROOT / "fixtures/connections")
    assert "all as expected" in out, out
    rows = fixtures(world, {"connect": "a.example:443", "expect": {"decision": "permit"}})
    user = policy(world, network={"allow": ["b.example"]})
    report = json.loads(audit(world, rows, "--policy", user, "--json", status=1))
    decision, = report["rows"][0]["decisions"]
    assert decision["decision"] == "deny", decision
    assert 'the host "a.example" is not listed' in decision["reason"]


def test_a_connection_that_cannot_be_read_is_an_error(world):
    for row, said in (({"connect": "a.example"}, "must be a host and a port"),
                      ({"connect": "a.example:0"}, "must be a host and a port"),
                      ({"connect": ":80"}, "must be a host and a port"),
                      ({"connect": 80}, "must be a string"),
                      ({"connect": "a.example:80", "event": {}}, "write one of the two")):
        done = world.run("audit", fixtures(world, row))
        assert done.returncode == 2 and said in done.stderr, (row, done.stderr)


def test_captured_events_work_as_fixtures(world):
    out = json.loads(audit(world, ROOT / "fixtures/events/captured", "--in-memory", "--json"))
    assert out["fixtures"] > 60 and out["mismatches"] == 0, out["fixtures"]
    by_name = {row["name"].rsplit("/", 1)[1]: row["decisions"][0]["decision"] for row in out["rows"]}
    assert by_name["PreToolUse.Read"] == "permit"
    assert by_name["PreToolUse.Bash.dangerouslyDisableSandbox"] == "deny"
    assert any("SessionStart decides nothing" in line for line in out["skipped"])


def test_the_audit_agrees_with_the_hook(world):
    """Compares, for every captured call, the hook as the client starts it with the audit, on the
    same disk."""
    world.write(world.policy, json.dumps(POLICY))
    folder = world.base / "captured"
    for source in (ROOT / "fixtures/events/captured").glob("PreToolUse.*.json"):
        text = source.read_text().replace("/home/dev/project", str(world.project))
        world.write(folder / source.name, text)
    rows = json.loads(audit(world, folder, "--json"))["rows"]
    assert len(rows) > 60
    for row in rows:
        event = pathlib.Path(row["file"]).read_bytes()
        done = run_hook(world, event)
        said = "permit"
        if done.returncode == 2:
            said = "error"
        elif done.stdout:
            answer = json.loads(done.stdout)["hookSpecificOutput"]
            said = {"allow": "permit"}.get(answer["permissionDecision"], answer["permissionDecision"])
        assert said == row["decisions"][0]["decision"], (row["name"], said, row["decisions"])


def test_the_matrix_has_each_policy_and_profile(world):
    policy(world, "old.json")
    policy(world, "new.json", write={"allow": ["."]})
    calls = fixtures(world, call("Write", "docs/x"), call("Write", "src/x"), call("Read", "a"))
    out = json.loads(audit(world, calls, "--policy", "old.json", "--policy", "new.json", "--profile", "",
                           "--profile", "worker", "--json"))
    table = [[cell["decision"] for cell in row["decisions"]] for row in out["rows"]]
    assert table == [["deny", "deny", "permit", "deny"], ["permit"] * 4, ["permit"] * 4], table
    text = audit(world, calls, "--policy", "old.json", "--policy", "new.json")
    assert "[2] new.json" in text and "case 0  deny     permit" in text, text


def test_a_baseline_reports_changed_decisions(world):
    policy(world)
    calls = fixtures(world, call("Write", "docs/x"), call("Write", "src/x"))
    arguments = (calls, "--policy", "policy.json", "--baseline", "matrix.json")
    error_of(world.run("audit", *arguments), 2, "matrix.json", "--update")
    audit(world, *arguments, "--update")
    baseline = (world.project / "matrix.json").read_text()
    assert '"rule": "policy.json /write/deny"' in baseline, baseline
    assert "as in matrix.json" in audit(world, *arguments)
    # An additional line changes no decision.
    world.write(world.project / "policy.json", "// why\n" + json.dumps(POLICY))
    audit(world, *arguments)
    policy(world, write={"allow": ["."], "deny": ["src"]})
    out = audit(world, *arguments, status=1)
    assert "CHANGED case 0 (policy.json): was deny (policy.json /write/deny), is permit" in out, out
    assert (world.project / "matrix.json").read_text() == baseline
    fixtures(world, call("Write", "docs/x"))
    out = audit(world, *arguments, status=1)
    assert "GONE case 1" in out, out
    audit(world, *arguments, "--update")
    audit(world, *arguments)


def test_a_baseline_includes_the_answer_and_the_call(world):
    policy(world)
    calls = fixtures(world, call("Read", "src/x"))
    arguments = (calls, "--policy", "policy.json", "--baseline", "matrix.json")
    audit(world, *arguments, "--update")
    policy(world, permitted="allow")
    out = audit(world, *arguments, status=1)
    assert 'is permit, says "allow"' in out, out
    policy(world)
    fixtures(world, call("Read", "src/y"))
    out = audit(world, *arguments, status=1)
    assert "of another call" in out, out


def test_an_invalid_fixture_is_an_error(world):
    policy(world)
    folder = world.project / "f"
    folder.mkdir()
    one = call("Read", "src/x")
    for text, told in (({**one, "hook_event_name": "PostToolUse"}, "/hook_event_name"),
                       ({**one, "event": {**one["event"], "hook_event_name": "Stop"}}, "not an event that is decided"),
                       ({"name": "a", "evnt": one["event"]}, "neither a fixture nor an event"),
                       ({"expect": {"decision": "deny"}}, 'has no "event"')):
        world.write(folder / "x.JSON", json.dumps(text))
        error_of(world.run("audit", folder, "--policy", "policy.json"), 2, "x.JSON:1:", told)


def test_an_invalid_event_is_not_as_expected(world):
    """Otherwise an audit of fixtures that are no calls would pass."""
    policy(world)
    for expect, status in (({}, 1), ({"expect": {"decision": "error"}}, 0)):
        world.write(world.project / "f/x.json", json.dumps({"event": {}, **expect}))
        done = world.run("audit", world.project / "f", "--policy", "policy.json")
        assert done.returncode == status, done
        assert status == 0 or "it cannot be decided: event: tool_name is missing" in done.stdout, done


def test_a_file_that_is_not_a_baseline_is_not_overwritten(world):
    policy(world)
    calls = fixtures(world, call("Read", "a"))
    world.write(world.project / "notes.json", '{"mine": 1}\n')
    arguments = (calls, "--policy", "policy.json", "--baseline", "notes.json")
    for more in ((), ("--update",)):
        error_of(world.run("audit", *arguments, *more), 2, "notes.json:1:1", "is not a baseline")
    assert (world.project / "notes.json").read_text() == '{"mine": 1}\n'
    world.write(world.project / "notes.json", "buy milk\n")
    error_of(world.run("audit", *arguments, "--update"), 2, "notes.json:1:1", "remove this one")
    world.write(world.project / "notes.json", "")
    audit(world, *arguments, "--update")
    audit(world, *arguments)
    error_of(world.run("audit", calls, "--update"), 2, "--update needs --baseline")


def test_coverage_lists_unmatched_rules(world):
    policy(world)
    calls = fixtures(world, call("Read", "a"), call("Write", "docs/x"))
    out = audit(world, calls, "--policy", "policy.json", "--coverage")
    never = [line for line in out.splitlines() if line.startswith("never met")]
    assert never == [f"never met: policy.json:1 {rule}" for rule in (
        '/profiles/worker/write/allow "src"', '/read/deny "private"', '/write/allow "."')], never


def test_a_mismatch_is_reported(world):
    policy(world)
    calls = fixtures(world, call("Write", "docs/x", expect={"decision": "permit"}),
                     call("Write", "docs/y", expect={"decision": "deny", "rule": "/write/allow"}))
    out = audit(world, calls, "--policy", "policy.json", status=1)
    assert "FAIL" in out and 'calls.jsonl:1: case 0: it should be "permit" and is "deny"' in out, out
    assert 'the rule should be "/write/allow"' in out and "2 not as expected" in out, out


def test_junit_sarif_and_json_can_be_parsed(world):
    policy(world)
    calls = fixtures(world, call("Write", "docs/<x> & \"y\"\u202e", expect={"decision": "permit"}),
                     call("Read", "a", expect={"decision": "permit"}))
    arguments = (calls, "--policy", "policy.json", "--coverage")
    suite = xml.fromstring(audit(world, *arguments, "--format", "junit", status=1)).find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert 'it should be "permit"' in suite.find("testcase/failure").get("message")
    sarif = json.loads(audit(world, *arguments, "--format", "sarif", status=1))
    results = sarif["runs"][0]["results"]
    assert sarif["version"] == "2.1.0"
    assert [one["ruleId"] for one in results] == ["decision-differs"] + ["rule-never-met"] * 3
    place = results[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("/calls.jsonl")
    assert place["region"] == {"startLine": 1}
    report = world.project / "report.json"
    audit(world, *arguments, "--json", "--output", report, status=1)
    assert json.loads(report.read_text())["mismatches"] == 1


def test_an_unwritable_report_path_is_an_error(world):
    policy(world)
    calls = fixtures(world, call("Read", "a"))
    for option in ("--output", "--baseline"):
        arguments = (calls, "--policy", "policy.json", *(["--update"] * (option == "--baseline")), option)
        error_of(world.run("audit", *arguments, "nowhere/deep/report"), 2,
                 option, f'the directory "{world.project}/nowhere/deep" does not exist')
        assert not (world.project / "nowhere").exists()
        (world.project / "folder").mkdir(exist_ok=True)
        error_of(world.run("audit", *arguments, "folder"), 2, "folder")


def test_a_baseline_is_written_through_a_link(world):
    policy(world)
    calls = fixtures(world, call("Read", "a"))
    target = world.write(world.base / "kept/baseline", "")
    target.chmod(0o640)
    link = world.project / "link"
    link.symlink_to(target)
    arguments = ("audit", calls, "--policy", "policy.json", "--baseline", "link", "--update")
    audit(world, *arguments[1:])
    assert link.is_symlink() and target.read_text()
    assert target.stat().st_mode & 0o7777 == 0o640, oct(target.stat().st_mode)
    link.unlink()
    link.symlink_to(world.base / "kept/nothing")
    error_of(world.run(*arguments), 2, "link", "is a dangling symbolic link")
    assert not (world.base / "kept/nothing").exists()


def test_a_report_replaces_a_link(world):
    """A link in a project can lead to any file of the user's."""
    policy(world)
    calls = fixtures(world, call("Read", "a"))
    target = world.write(world.base / "kept/file", "x")
    for place in (target, world.base / "kept/nothing"):
        link = world.project / "link"
        link.unlink(missing_ok=True)
        link.symlink_to(place)
        audit(world, calls, "--policy", "policy.json", "--output", "link")
        assert not link.is_symlink() and "decision" in link.read_text()
    assert target.read_text() == "x" and not (world.base / "kept/nothing").exists()


def test_input_files_are_not_overwritten(world):
    rules = policy(world)
    calls = fixtures(world, call("Read", "a"))
    before = calls.read_bytes()
    (world.project / "same.jsonl").hardlink_to(calls)
    (world.project / "folder").mkdir()
    (world.project / "folder/calls.jsonl").symlink_to(calls)
    for more in (("--output", calls), ("--output", "same.jsonl"), ("--output", "folder/calls.jsonl"),
                 ("--baseline", calls, "--update"), ("--output", rules),
                 ("--baseline", "new.json", "--update", "--output", "new.json")):
        error_of(world.run("audit", calls, "--policy", rules, *more), 2, "is one of the files of this audit")
    assert calls.read_bytes() == before and not (world.project / "new.json").exists()
    # A baseline among the fixtures is not a fixture.
    for more in (("--update",), (), ("--update",)):
        audit(world, calls, world.write(world.project / "f/b.json", json.dumps(call("Read", "b"))).parent,
              "--policy", rules, "--baseline", "f/matrix.json", *more)


def test_an_unknown_profile_is_an_error(world):
    policy(world, "with.json")
    policy(world, "without.json", profiles={})
    calls = fixtures(world, call("Read", "a"))
    error_of(world.run("audit", calls, "--policy", "with.json", "--policy", "without.json", "--profile", "wroker"),
             2, '--profile: no policy has a profile "wroker"; did you mean "worker"?')
    out = json.loads(audit(world, calls, "--policy", "with.json", "--policy", "without.json",
                           "--profile", "worker", "--json"))
    assert [cell["decision"] for cell in out["rows"][0]["decisions"]] == ["permit", "error"], out


def test_an_unused_policy_is_checked_too(world):
    fixtures(world, {**call("Read", "a"), "policy": POLICY, "expect": {"decision": "permit"}})
    audit(world, "calls.jsonl")
    audit(world, "calls.jsonl", "--policy", str(policy(world)))
    error_of(world.run("audit", "calls.jsonl", "--policy", "typo.json"), 2, "typo.json", "does not exist")


def test_fixture_errors_have_their_position(world):
    world.write(world.project / "f/a.json", '{"event": {},\n "expect": {"decision": "yes"}}\n')
    world.write(world.project / "f/b.jsonl", '{"event": {}}\n{"event": 5}\n')
    world.write(world.project / "f/c.json", '{"event": ')
    done = world.run("audit", "f")
    assert done.returncode == 2 and not done.stdout, done
    for part in ("f/a.json:2:25:", "f/b.jsonl:2:11:", "f/c.json:1:11:"):
        assert part in done.stderr, (part, done.stderr)
    error_of(world.run("audit", "nowhere.json"), 2, '"nowhere.json": does not exist')
    world.write(world.project / "g.json", '{"event": {}, "files": {\n"b/../c": "file"}}\n')
    error_of(world.run("audit", "g.json"), 2, "g.json:2:11: /files/b~1..~1c must name a file")
    error_of(world.run("audit"), 2, "no fixtures given")


def test_duplicate_fixture_names_are_an_error(world):
    world.write(world.project / "f.jsonl", '{"name":"x","event":{}}\n{"name":"x","event":{}}\n')
    error_of(world.run("audit", "f.jsonl"), 2, "f.jsonl:2", 'has the name "x" of f.jsonl:1')


def run_hook(world, event):
    return subprocess.run([world.programs.hook, "--home", str(world.home)], input=event,
                          capture_output=True, timeout=60,
                          env={"CLAUDE_PROJECT_DIR": str(world.project), "HOME": str(world.home)})


def event_of(world, tool, path):
    return json.dumps({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(world.project),
                       "permission_mode": "default", "tool_name": tool,
                       "tool_input": {"file_path": path}}).encode()


def test_fixtures_recorded_from_the_log_pass(world):
    world.write(world.policy, json.dumps(POLICY))
    for tool, path in (("Read", "a"), ("Write", "docs/x"), ("Write", "docs/x"), ("Write", "/etc/x")):
        assert run_hook(world, event_of(world, tool, path)).returncode == 0
    lines = audit(world, "--record").splitlines()
    assert len(lines) == 3, lines  # the same call twice is one fixture
    recorded = [json.loads(line) for line in lines]
    assert [one["expect"]["decision"] for one in recorded] == ["permit", "deny", "deny"]
    world.write(world.project / "recorded.jsonl", "\n".join(lines) + "\n")
    assert "3 fixtures, 3 decisions: all as expected" in audit(world, "recorded.jsonl")
    # The log itself, line by line.
    log = world.state / "audit.jsonl"
    assert "4 fixtures" in audit(world, log)


def test_recorded_captured_calls_pass(world):
    for source in sorted((ROOT / "fixtures/events/captured").glob("P*.json")):
        if not source.name.startswith("Post"):
            run_hook(world, source.read_text().replace("/home/dev/project", str(world.project)).encode())
    audit(world, "--record", "--output", "recorded.jsonl")
    out = audit(world, "recorded.jsonl")
    assert "all as expected" in out and "EnterWorktree" in (world.project / "recorded.jsonl").read_text(), out


def test_foreign_lines_in_the_log_are_skipped_and_counted(world):
    for path in ("a", "b"):
        run_hook(world, event_of(world, "Read", path))
    log = world.state / "audit.jsonl"
    text = log.read_text()
    world.write(log, '{"msg": "hello"}\n' + text + text[:80])
    done = world.run("audit", "--record")
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 2, done
    assert f"skipped 2 lines that are torn or not from the audit log, the first one {log}:1" in done.stderr, done
    error_of(world.run("audit", "--record", "--output", log), 2, "is one of the files of this audit")
    world.write(world.project / "other.jsonl", '{"msg": "hello"}\n')
    error_of(world.run("audit", "--record", "other.jsonl"), 2, "no line of an audit log", "other.jsonl")


def test_record_rejects_options_about_decisions(world):
    for more in (("--format", "json"), ("--json",), ("--baseline", "b"), ("--coverage",), ("--update",),
                 ("--profile", "x"), ("--in-memory",)):
        done = world.run("audit", "--record", *more)
        assert done.returncode == 2 and "--record" in done.stderr and more[0] in done.stderr, (more, done)
