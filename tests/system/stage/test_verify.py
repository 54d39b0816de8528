"""The policy's "stage.verify": commands that check the merged result before it counts."""

import json

import pytest

from command_world import error_of
from stage_world import tree_of, wait_for

TEXT = "1\n2\n3\n4\n5\n"


@pytest.mark.parametrize("mechanism", ("overlay", "copy"))
def test_the_merged_result_is_checked(world, mechanism):
    """The check sees both sides' changes, new files and removed ones; the project has neither."""
    if mechanism == "copy":
        world.forbid_overlay()
    world.put("a.txt", TEXT)
    world.put("old/x", "x\n")
    world.put("gone", "x\n")
    world.put("dir/sub/kept", "x\n")
    world.put("check.sh", """set -e
grep -q '^5 staged$' a.txt
grep -q '^1 mine$' a.txt
test ! -e old
test ! -e gone
test -e dir/sub/kept
test "$(cat dir/sub/new/file)" = 3
test "$(stat -c %a dir)" = 750
test -L link
pwd > where
touch dir/sub/made
""")
    world.user_policy(stage={"verify": ["sh check.sh", "true  and 'no' shell; exit 1"]})
    stage = world.stage("sed -i 's/5/5 staged/' a.txt; rm -r old gone; mkdir dir/sub/new;"
                        " echo 3 > dir/sub/new/file; ln -s a.txt link; chmod 750 dir")
    world.put("a.txt", TEXT.replace("1", "1 mine"))
    before = tree_of(world.project)
    applied = world.good("stage", "apply", stage)
    assert "verify: sh check.sh\n" in applied.stderr
    after = tree_of(world.project)
    assert "where" not in after and "dir/sub/made" not in after
    assert after["a.txt"][1] == b"1 mine\n2\n3\n4\n5 staged\n"
    assert not (world.state / "stages" / stage / "merged").exists()
    world.good("stage", "undo", stage)
    assert tree_of(world.project) == before


def test_nothing_is_applied_if_the_check_fails(world):
    world.put("a.txt", TEXT)
    world.user_policy(stage={"verify": ["true", "sh -c false", "touch never"]})
    done = world.call("stage", "run", "--apply", "--", "sh", "-c", "echo 6 >> a.txt")
    error = '"sh -c false" ended with status 1; nothing is applied'
    assert done.returncode == 1 and error in done.stderr, done
    assert (world.project / "a.txt").read_text() == TEXT
    [stage] = world.stages()
    error_of(world.call("stage", "apply"), 1, error, f"ringfence stage diff {stage['id']}")
    assert "+6" in world.good("stage", "diff", stage["id"]).stdout
    assert "verify: touch never" not in done.stderr
    world.user_policy(stage={"verify": ["true"]})
    world.good("stage", "apply")
    assert (world.project / "a.txt").read_text() == TEXT + "6\n"


def test_the_check_is_confined(world):
    world.put("a.txt", TEXT)
    secret = world.home / "secret"
    world.put("check.sh", f"touch {secret} .git/hooks/x; test ! -e {secret} && test -e .git")
    world.put(".git/hooks")
    world.user_policy(stage={"verify": ["sh check.sh"]})
    world.stage("echo 6 >> a.txt")
    world.good("stage", "apply")
    assert not secret.exists()


@pytest.mark.parametrize("begin", ["run", "apply"])
def test_the_check_gets_the_variables_of_a_run(world, begin):
    """As in `ringfence run`: the policy's list, or the usual ones."""
    world.put("check.sh", "printenv TOKEN EDITOR; printenv OTHER || echo none")
    variables = {"TOKEN": "secret", "OTHER": "another", "EDITOR": "ed"}
    for policy, seen in (({"sandbox": {"env": ["PATH", "TOKEN"]}}, "secret\nnone\n"),
                         ({}, "ed\nnone\n")):
        world.user_policy(stage={"verify": ["sh check.sh"]}, **policy)
        assert world.call("run", "--", "sh", "check.sh", variables=variables).stdout == seen
        if begin == "apply":
            stage = world.stage("echo 1 >> f")
            done = world.call("stage", "apply", stage, variables=variables)
        else:
            done = world.call("stage", "run", "--apply", "--", "sh", "-c", "echo 1 >> f", variables=variables)
        assert done.returncode == 0 and "verify: sh check.sh\n" + seen in done.stderr, done


def test_variables_do_not_reach_the_program_that_applies(world):
    """It is linked dynamically: the loader would report here what it loads."""
    report = world.base / "report"
    report.mkdir(mode=0o777)
    report.chmod(0o777)
    stage = world.stage("echo 1 > f")
    loader = {"LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": str(report / "of"), "LD_PRELOAD": "/no/such.so"}
    done = world.call("stage", "apply", stage, variables=loader)
    assert done.returncode == 0 and "such.so" not in done.stderr and list(report.iterdir()) == [], done


def test_a_check_ends_with_the_command_that_waits_for_it(world):
    world.put("check.sh", "echo ready >&2; sleep 1000")
    world.user_policy(stage={"verify": ["sh check.sh"]})
    stage = world.stage("echo 1 > f")
    with world.begin("stage", "apply", stage) as applying:
        assert "ready\n" in iter(applying.stderr.readline, "")
        applying.terminate()
        applying.wait(timeout=30)
    wait_for(lambda: world.call("stage", "discard", stage).returncode == 0)
    assert not (world.project / "f").exists()


def test_an_untrusted_project_checks_nothing(world):
    world.put("a.txt", TEXT)
    world.put(".ringfence/policy.json", json.dumps({"version": 1, "stage": {"verify": ["false"]}}))
    world.stage("echo 6 >> a.txt")
    assert "verify" not in world.good("stage", "apply").stderr
    assert world.trust().returncode == 0
    world.stage("echo 7 >> a.txt")
    error_of(world.call("stage", "apply", world.stages()[-1]["id"]), 1, '"false" ended')


def test_the_output_of_checks_goes_to_standard_error(world):
    world.put("a.txt", TEXT)
    world.user_policy(stage={"verify": ["echo text"]})
    done = world.good("stage", "run", "--apply", "--json", "--", "sh", "-c", "echo 6 >> a.txt")
    assert "text" in done.stderr and "text" not in done.stdout


def test_without_a_mount_changes_are_not_applied_unchecked(world):
    world.put("a.txt", TEXT)
    world.user_policy(stage={"verify": ["true"]})
    world.stage("echo 6 >> a.txt", "--layers", "landlock")
    error_of(world.call("stage", "apply"), 1, "worked in a copy of the project",
             'remove "verify" from "stage" in the policy')
    assert (world.project / "a.txt").read_text() == TEXT
    world.user_policy()
    world.good("stage", "apply")
    assert (world.project / "a.txt").read_text() == TEXT + "6\n"


@pytest.mark.parametrize("mechanism", ("overlay", "copy"))
def test_the_check_sees_the_permissions_of_an_inner_directory(world, mechanism):
    if mechanism == "copy":
        world.forbid_overlay()
    world.put("a/b/c/f", "1\n")
    world.put("a/b/g", "1\n")
    world.put("check.sh", 'test "$(stat -c %a a/b/c)" = 750 && test -e a/b/g && test -e a/b/c/f')
    world.user_policy(stage={"verify": ["sh check.sh"]})
    stage = world.stage("chmod 750 a/b/c")
    world.good("stage", "apply", stage)
    assert (world.project / "a/b/c").stat().st_mode & 0o777 == 0o750
