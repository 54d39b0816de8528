"""The results of `ringfence stage` for programs, as docs/stage.md describes them."""

import json
import re

import pytest

from command_world import error_of

RUN_KEYS = ["id", "outcome", "status", "changes", "conflicts", "held_back", "not_applied", "branches"]


def result_of(done):
    return json.loads(done.stdout)


@pytest.mark.parametrize("options,outcome,states", [
    (["--apply"], "applied", ["applied"]), (["--discard"], "discarded", []), (["--keep"], "kept", ["ended"]),
    ([], "kept", ["ended"])])
def test_a_run_says_what_became_of_its_changes(world, options, outcome, states):
    done = world.call("stage", "run", "--json", *options, "--", "sh", "-c", "echo 1 > a; exit 3")
    result = result_of(done)
    assert list(result) == RUN_KEYS and done.returncode == 3
    assert (result["outcome"], result["status"]) == (outcome, 3)
    assert result["changes"] == [{"path": "a", "change": "added", "what": "+1 line"}]
    assert [stage["state"] for stage in world.stages()] == states


def test_a_run_without_changes_says_so(world):
    result = result_of(world.good("stage", "run", "--json", "--apply", "--", "true"))
    assert list(result) == RUN_KEYS and (result["outcome"], result["changes"]) == ("unchanged", [])
    assert world.stages() == []


@pytest.mark.parametrize("end,script,is_kept", [("--keep", "true", False), ("--discard", "echo 1 > a", False),
                                                ("--apply", "echo 1 > a", True), ("--keep", "echo 1 > b", True)])
def test_a_run_names_its_stage_only_if_it_remains(world, end, script, is_kept):
    result = result_of(world.good("stage", "run", "--json", end, "--", "sh", "-c", script))
    assert [result["id"]] == ([stage["id"] for stage in world.stages()] if is_kept else [None])


@pytest.mark.parametrize("script,verify,status", [("mkfifo p", [], 0), ("echo 1 > c", ["false"], 1)])
def test_a_run_whose_changes_are_not_applied_keeps_them(world, script, verify, status):
    world.user_policy(stage={"verify": verify})
    done = world.call("stage", "run", "--json", "--apply", "--", "sh", "-c", script)
    assert done.returncode == status and result_of(done)["outcome"] == "kept", done
    assert f"the changes are kept as stage {world.stages()[0]['id']}" in done.stderr
    if verify:
        assert done.stderr.index('"false" ended with status 1') < done.stderr.index("the changes are kept"), done.stderr
    assert list(world.project.iterdir()) == []


def test_a_moved_file_has_its_earlier_path(world):
    world.put("old", "text\n")
    world.put("x\n", "another\n")
    stage = world.stage("mv old new; mv x? \"$(printf 'y\\377')\"")
    result = result_of(world.good("stage", "diff", stage, "--json"))
    changes = {change["path"]: change for change in result["changes"]}
    assert changes["new"]["moved_from"] == "old" and changes["old"]["change"] == "removed"
    assert changes["y\ufffd"]["moved_from"] == "x\n" and changes["y\ufffd"]["path_encoded"] == "y%FF"
    assert "moved_from" not in changes["old"]


def test_the_list_says_when_a_stage_began_and_how_it_ended(world):
    stage = world.stage("echo 1 > a")
    [listed] = world.stages()
    assert list(listed) == ["id", "state", "project", "command", "started", "mechanism", "status", "changes"]
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ", listed["started"])
    assert (listed["id"], listed["status"]) == (stage, 0)
    world.good("stage", "discard", stage)
    with world.begin("stage", "run", "--keep", "--", "sh", "-c", "echo ready >&2; cat") as running:
        assert running.stderr.readline() == "ready\n"
        assert world.stages()[0]["status"] is None
        running.communicate("", timeout=60)


def test_short_results(world):
    stage = world.stage("echo 1 > a")
    applied = result_of(world.good("stage", "apply", "--json"))
    assert list(applied) == ["id", "changes", *RUN_KEYS[4:]] and applied["changes"] == 1
    assert result_of(world.good("stage", "undo", "--json")) == {"id": stage, "undone": True}
    assert result_of(world.good("stage", "discard", "--json")) == {"id": stage, "discarded": True}
    assert result_of(world.good("stage", "gc", "--json")) == {"removed": 0, "stages": []}


@pytest.mark.parametrize("option", ["--stat", "--name-only"])
def test_json_has_one_form(world, option):
    world.stage("echo 1 > a")
    error_of(world.call("stage", "diff", "--json", option), 2, "cannot be combined with")
