"""What stages write to the audit log: who let which file be changed, from what to what, and when."""

import hashlib
import json
import os
import subprocess

from command_world import error_of
from stage_world import tree_of


def log_of(world, stage=None):
    """The lines of stages, or those of one."""
    file = world.state / "audit.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    return [line for line in lines if line.get("stage") and stage in (None, line["stage"])]


def events(world, stage=None):
    return [line["event"] for line in log_of(world, stage)]


def changes_of(world, stage):
    """The lines about changes, by the path in the project."""
    return {os.path.relpath(line["paths"][0], world.project): line
            for line in log_of(world, stage) if line["event"] == "StageChange"}


def sha256(text):
    return hashlib.sha256(text if isinstance(text, bytes) else text.encode()).hexdigest()


def is_sound(world):
    done = world.call("log", "verify")
    assert done.returncode == 0 and "sound" in done.stdout, done


FIRST = "first\n"
SCRIPT = """
printf 'first\\nmore\\n' > a.txt
chmod 755 run.sh
rm -r old
mkdir new
echo 1 > new/file
ln -s a.txt link
printf 'a\\0b' > binary
"""


def test_each_change_is_logged_with_its_digests(world):
    world.put("a.txt", "first\n")
    world.put("run.sh", "#!/bin/sh\n")
    world.put("old/x", "x\n")
    stage = world.stage(SCRIPT + "\nexit 0")
    start, end = log_of(world)
    assert (start["event"], end["event"], start["verdict"]) == ("StageStart", "StageEnd", "permit")
    assert start["stage"] == end["stage"] == stage and start["paths"] == [str(world.project)]
    assert '"sh"' in start["why"] and "mechanism overlay, watermark 2" in start["why"]
    assert "first" not in start["why"], "the arguments of a command are not logged"
    world.good("stage", "apply", stage)

    lines = log_of(world, stage)[2:]
    assert [lines[0]["event"], lines[0]["number"], lines[0]["by"]] == ["StageApply", 1, "stage apply"]
    changes = changes_of(world, stage)
    assert {path: (line["change"], line["result"]) for path, line in changes.items()} == {
        "a.txt": ("modified", "applied"), "run.sh": ("mode", "applied"),
        "old": ("removed", "applied"), "old/x": ("removed", "applied"),
        "new": ("added", "applied"), "new/file": ("added", "applied"),
        "link": ("added", "applied"), "binary": ("added", "applied")}
    assert all(line["number"] == 1 and line["by"] == "stage apply" and line["verdict"] == "permit"
               for line in changes.values())
    file = {"kind": "file", "mode": "644"}
    assert changes["a.txt"]["before"] == {**file, "size": 6, "sha256": sha256("first\n")}
    assert changes["a.txt"]["after"] == {**file, "size": 11, "sha256": sha256("first\nmore\n")}
    script = {"kind": "file", "size": 10, "sha256": sha256("#!/bin/sh\n")}
    assert changes["run.sh"]["before"] == {**script, "mode": "644"}
    assert changes["run.sh"]["after"] == {**script, "mode": "755"}
    assert changes["old/x"]["before"]["sha256"] == sha256("x\n") and "after" not in changes["old/x"]
    assert changes["link"]["after"] == {"kind": "link", "target": "a.txt"}
    assert changes["new"]["after"] == {"kind": "directory", "mode": "755"}
    assert changes["binary"]["after"]["sha256"] == sha256(b"a\0b")
    assert "before" not in changes["binary"]
    is_sound(world)

    shown = world.good("log", "--stage", stage).stdout
    assert f"stage {stage}, apply 1: modified, applied: file 644 6 bytes {sha256(FIRST)[:12]}" in shown
    assert "; by stage apply" in shown and len(shown.splitlines()) == len(log_of(world, stage))
    assert not world.good("log", "--stage", "zzzz").stdout


def test_undo_and_discard_are_logged(world):
    world.put("a.txt", "1\n")
    stage = world.stage("echo 2 >> a.txt")
    world.good("stage", "apply", stage)
    world.good("stage", "undo", stage)
    world.good("stage", "apply", stage)
    world.good("stage", "discard", stage)
    assert events(world, stage) == ["StageStart", "StageEnd", "StageApply", "StageChange", "StageUndo",
                                    "StageApply", "StageChange", "StageDiscard"]
    numbers = [line.get("number") for line in log_of(world, stage)]
    assert numbers == [None, None, 1, 1, 1, 2, 2, None]
    assert log_of(world)[-1]["by"] == "stage discard"
    is_sound(world)


def test_old_stages_that_are_removed_are_logged(world):
    world.put("a.txt", "1\n")
    stage = world.stage("echo 2 >> a.txt")
    world.good("stage", "apply", stage)
    world.good("stage", "gc", "--days", "0")
    assert (events(world)[-1], log_of(world)[-1]["by"]) == ("StageDiscard", "stage gc")


def test_who_decided_at_the_end_of_the_command(world):
    world.good("stage", "run", "--apply", "--", "sh", "-c", "echo > f")
    assert [line["by"] for line in log_of(world)[-2:]] == ["--apply", "--apply"]
    world.good("stage", "run", "--discard", "--", "sh", "-c", "echo > g")
    assert (events(world)[-1], log_of(world)[-1]["by"]) == ("StageDiscard", "--discard")
    done = world.call("stage", "run", "--", "sh", "-c", "exit 3")
    assert done.returncode == 3
    end = log_of(world)[-1]
    assert (end["event"], end["status"], end["why"]) == ("StageEnd", 3, "the command changed nothing")


def test_how_conflicts_were_resolved(world):
    for name in "abc":
        world.put(f"{name}.txt", "1\n")
    world.put("both.txt", "1\n2\n3\n4\n5\n")
    before = tree_of(world.project)
    # The sleep gives the copies of the versions before time to be made.
    stage = world.stage("sleep 1; for n in a b; do echo staged > $n.txt; done; sed -i s/1/one/ both.txt; sleep 1")
    world.put("a.txt", "mine\n")
    world.put("b.txt", "mine\n")
    world.put("both.txt", "1\n2\n3\n4\nfive\n")
    assert tree_of(world.project) != before
    error_of(world.call("stage", "apply", stage), 1, "because of 2 conflicts")
    assert "StageApply" not in events(world), "what is refused before anything is decided is not an apply"
    world.good("stage", "apply", stage, "--conflicts", "staged", "a.txt", "both.txt")
    world.good("stage", "apply", stage, "--conflicts", "mine", "b.txt")
    changes = changes_of(world, stage)
    assert (changes["a.txt"]["result"], changes["a.txt"]["by"]) == ("staged", "--conflicts staged")
    assert changes["a.txt"]["before"]["sha256"] == sha256("mine\n")
    merged = (world.project / "both.txt").read_text()
    assert merged == "one\n2\n3\n4\nfive\n"
    assert (changes["both.txt"]["result"], changes["both.txt"]["by"]) == ("merged", "stage apply")
    assert changes["both.txt"]["after"]["sha256"] == sha256(merged)
    assert "b.txt" not in changes, "nothing was applied"


def test_what_stays_is_logged_with_its_reason(world):
    world.write(world.project / ".ringfence.json", json.dumps({"version": 1}))
    world.put("a.txt", "1\n")
    stage = world.stage("echo 2 >> a.txt; mkfifo pipe; printf x > held.txt")
    policy = world.write(world.base / "policy.json", json.dumps(
        {"version": 1, "write": {"deny": ["held.txt"]}}))
    world.good("stage", "apply", stage, "--policy", policy)
    changes = changes_of(world, stage)
    assert (changes["held.txt"]["result"], changes["held.txt"]["verdict"]) == ("held", "deny")
    assert changes["held.txt"]["why"] and changes["held.txt"]["after"]["sha256"] == sha256("x")
    assert (changes["pipe"]["result"], changes["pipe"]["verdict"]) == ("skipped", "deny")
    assert "FIFO" in changes["pipe"]["why"] and changes["pipe"]["after"]["kind"] == "special"
    assert "2 not applied" in [line for line in log_of(world) if line["event"] == "StageApply"][0]["why"]


def test_a_change_in_the_last_moment_is_logged(world):
    """Only what was not done has a second line."""
    world.put("a.txt", "1\n")
    stage = world.stage("echo 2 >> a.txt")
    world.good("stage", "apply", stage)
    world.put("a.txt", "mine\n")
    error_of(world.call("stage", "undo", stage), 1, "nothing is undone")
    begun, failed = log_of(world)[-2:]
    assert (begun["event"], begun["verdict"]) == ("StageUndo", "permit")
    assert (failed["event"], failed["verdict"], failed["number"]) == ("StageUndo", "error", 1)
    assert failed["why"].startswith("nothing is changed: ")


def required(world, log):
    return world.write(world.base / "required.json", json.dumps(
        {"version": 1, "audit": {"required": True, "file": str(log)}}))


def test_without_the_required_log_nothing_starts(world):
    world.put("a.txt", "1\n")
    before = tree_of(world.project)
    policy = required(world, "/proc/none/audit.jsonl")
    done = world.call("stage", "run", "--keep", "--policy", policy, "--", "sh", "-c", "echo 2 > a.txt")
    assert done.returncode == 125, done
    assert tree_of(world.project) == before and not world.stages()


def test_without_the_required_log_nothing_is_applied_or_undone(world):
    world.put("a.txt", "1\n")
    stage = world.stage("echo 2 >> a.txt")
    before = tree_of(world.project)
    policy = required(world, "/proc/none/audit.jsonl")
    error_of(world.call("stage", "apply", stage, "--policy", policy), 2, "audit log: ")
    assert tree_of(world.project) == before and [s["state"] for s in world.stages()] == ["ended"]
    world.good("stage", "apply", stage)
    after = tree_of(world.project)

    settings = world.write(world.home / ".config/ringfence/policy.json", json.dumps(
        {"version": 1, "audit": {"required": True, "file": "/proc/none/audit.jsonl"}}))
    error_of(world.call("stage", "undo", stage), 2, "audit log: ")
    error_of(world.call("stage", "discard", stage), 2, "audit log: ")
    assert tree_of(world.project) == after and len(world.stages()) == 1
    settings.unlink()
    world.good("stage", "undo", stage)


def test_a_log_that_is_not_required_only_warns(world):
    world.put("a.txt", "1\n")
    stage = world.stage("echo 2 >> a.txt")
    policy = world.write(world.base / "elsewhere.json", json.dumps(
        {"version": 1, "audit": {"file": "/proc/none/audit.jsonl"}}))
    done = world.good("stage", "apply", stage, "--policy", policy)
    assert "warning: this is not logged: audit log: " in done.stderr
    assert (world.project / "a.txt").read_text() == "1\n2\n"


def test_a_stage_of_a_project_that_is_gone_is_logged(world):
    stage = world.stage("echo > f")
    world.good("stage", "list")
    (world.project).rename(world.base / "moved")
    world.project.mkdir()
    world.project.rmdir()
    done = subprocess.run([world.programs.ringfence, "stage", "discard", stage], cwd=world.base,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(world.home)}, text=True,
                          capture_output=True, timeout=60, check=False, **world.as_user)
    assert done.returncode == 0, done
    assert events(world)[-1] == "StageDiscard"


def test_thousands_of_changes_are_one_chain(world):
    stage = world.stage("mkdir many; for i in $(seq 1500); do echo $i > many/$i; done")
    world.good("stage", "apply", stage)
    changes = changes_of(world, stage)
    assert len(changes) == 1501
    assert changes["many/1500"]["after"]["sha256"] == sha256("1500\n")
    is_sound(world)


def test_an_interrupted_apply_is_logged_as_undone(world):
    """A journal of an apply that was killed before anything was in place."""
    world.put("a.txt", "1\n")
    stage = world.stage("echo 2 >> a.txt")
    world.good("stage", "apply", stage)
    folder = world.state / "stages" / stage
    # The same steps, as if they had not been committed.
    (folder / "undo-1/steps").rename(folder / "journal")
    assert world.call("stage", "undo", stage).returncode != 0
    line = [found for found in log_of(world) if found["event"] == "StageRecover"]
    assert line and line[0]["by"] == "recovery" and line[0]["stage"] == stage


def test_no_stage_changes_the_log(world):
    """The command could write the name, since the policy named another log then."""
    world.put("log/other", "x\n")
    stage = world.stage("echo forged > log/audit.jsonl; echo 1 > log/f")
    policy = world.write(world.base / "policy.json", json.dumps(
        {"version": 1, "audit": {"file": str(world.project / "log/audit.jsonl")}}))
    world.give(world.base)
    done = world.good("stage", "apply", stage, "--policy", policy)
    assert "held back by the policy: log/audit.jsonl: " in done.stderr, done.stderr
    assert (world.project / "log/f").read_text() == "1\n"
    log = (world.project / "log/audit.jsonl").read_text()
    assert "forged" not in log and "StageApply" in log
