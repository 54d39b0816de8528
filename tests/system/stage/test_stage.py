"""`ringfence stage`, from outside: run, list, diff, apply, discard, undo."""

import contextlib
import json
import os
import subprocess
import time

import pytest

from command_world import error_of
from stage_world import tree_of, wait_for

SCRIPT = """
echo more >> a.txt
chmod 755 run.sh
rm -r old
mkdir -p new/deep
echo 1 > new/deep/file
ln -s a.txt link
printf 'a\\0b' > binary
"""


def fill(world):
    world.put("a.txt", "first\n")
    world.put("run.sh", "#!/bin/sh\n")
    world.put("old/x", "x\n")


def test_nothing_changes_before_the_changes_are_applied(world):
    fill(world)
    before = tree_of(world.project)
    stage = world.stage(SCRIPT)
    assert tree_of(world.project) == before
    assert world.changes(stage) == {
        "a.txt": "modified", "binary": "added", "link": "added", "new": "added", "new/deep": "added",
        "new/deep/file": "added", "old": "removed", "old/x": "removed", "run.sh": "mode"}
    shown = world.good("stage", "diff", stage).stdout
    assert "\n@@ -1 +1,2 @@\n first\n+more\n" in shown
    assert "old mode 100644\nnew mode 100755\n" in shown

    world.good("stage", "apply", stage)
    assert (world.project / "a.txt").read_text() == "first\nmore\n"
    assert (world.project / "new/deep/file").read_text() == "1\n"
    assert os.readlink(world.project / "link") == "a.txt"
    assert not (world.project / "old").exists()
    assert (world.project / "run.sh").stat().st_mode & 0o777 == 0o755
    assert [found["state"] for found in world.stages()] == ["applied"]

    world.good("stage", "undo", stage)
    assert tree_of(world.project) == before
    world.good("stage", "apply", stage)
    assert (world.project / "new/deep/file").read_text() == "1\n"
    world.good("stage", "discard", stage)
    assert not world.stages()


def test_the_diff_is_one_that_git_applies(world):
    fill(world)
    world.put("odd \t\"name", "1\n2\n3\n")
    stage = world.stage(SCRIPT.replace("printf 'a\\0b' > binary", "")
                        + "printf '1\\n3\\nno newline' > 'odd \t\"name'\n")
    diff = world.good("stage", "diff", stage).stdout
    copy = world.base / "copy"
    subprocess.run(["cp", "-a", world.project, copy], check=True)
    subprocess.run(["git", "apply", "-"], cwd=copy, input=diff, text=True, check=True)
    world.good("stage", "apply", stage)
    assert tree_of(copy) == tree_of(world.project)


def test_a_command_that_changes_nothing_leaves_no_stage(world):
    fill(world)
    done = world.call("stage", "run", "--", "cat", "a.txt")
    assert done.returncode == 0 and done.stdout == "first\n", done
    assert done.stderr == "ringfence: the command changed nothing in the project\n"
    assert not world.stages()


def test_the_status_is_the_commands(world):
    fill(world)
    for options in (["--keep"], ["--discard"], ["--apply"], []):
        done = world.call("stage", "run", *options, "--", "sh", "-c", "echo >> a.txt; exit 3")
        assert done.returncode == 3, f"{options}: {done}"
    assert world.call("run", "--stage", "--", "sh", "-c", "exit 4").returncode == 4


def test_what_is_done_at_the_end(world):
    fill(world)
    world.good("stage", "run", "--discard", "--", "sh", "-c", "echo 1 > f")
    assert not world.stages() and not (world.project / "f").exists()
    world.good("run", "--stage", "--apply", "--", "sh", "-c", "echo 1 > f")
    assert (world.project / "f").read_text() == "1\n"
    kept = world.good("stage", "run", "--", "sh", "-c", "echo 2 > f")  # without a terminal
    stage = world.stages()[-1]["id"]
    assert f"ringfence stage apply {stage}" in kept.stderr
    assert (world.project / "f").read_text() == "1\n"


def test_with_json_only_the_result_is_on_standard_output(world):
    fill(world)
    done = world.good("stage", "run", "--json", "--discard", "--", "sh", "-c", "echo out; echo > f")
    assert json.loads(done.stdout)["changes"] == [{"path": "f", "change": "added", "what": "+1 line"}]
    assert done.stderr.startswith("out\n")


def test_only_some_changes_are_applied(world):
    fill(world)
    stage = world.stage(SCRIPT)
    world.good("stage", "apply", stage, "new", "a.txt")
    assert (world.project / "new/deep/file").exists() and (world.project / "old/x").exists()
    assert set(world.changes(stage)) == {"binary", "link", "old", "old/x", "run.sh"}
    world.good("stage", "apply", stage)
    assert not world.changes(stage)
    world.good("stage", "undo", stage)
    assert (world.project / "old/x").exists() and (world.project / "new").exists()
    world.good("stage", "undo", stage)
    assert not (world.project / "new").exists()
    error_of(world.call("stage", "undo", stage), 2, "is not applied")


def test_a_file_is_applied_with_the_new_directories_that_it_is_in(world):
    world.put("was", "a file\n")
    stage = world.stage("mkdir -p new/deep; echo 1 > new/deep/f; echo 2 > new/deep/g; rm was; mkdir was; echo 1 > was/f")
    world.good("stage", "apply", stage, "new/deep/f", "was/f")
    assert sorted(tree_of(world.project)) == ["new", "new/deep", "new/deep/f", "was", "was/f"]
    world.good("stage", "apply", stage)
    assert (world.project / "new/deep/g").read_text() == "2\n"


def test_changes_of_both_sides_are_a_conflict(world):
    fill(world)
    stage = world.stage("echo staged > a.txt; rm old/x; echo 1 > f")
    world.put("a.txt", "the user's\n")
    world.put("old/x", "the user's\n")
    before = tree_of(world.project)
    done = world.call("stage", "apply", stage)
    error_of(done, 1, "because of 2 conflicts", "a.txt: changed in the stage and in the project",
             "old/x: deleted in the stage, changed in the project")
    assert tree_of(world.project) == before
    world.good("stage", "apply", stage, "f")
    assert (world.project / "f").exists()


def test_what_was_changed_after_the_apply_is_not_undone(world):
    fill(world)
    stage = world.stage(SCRIPT)
    world.good("stage", "apply", stage)
    world.put("a.txt", "the user's\n")
    before = tree_of(world.project)
    error_of(world.call("stage", "undo", stage), 1, "a.txt", "nothing is undone")
    assert tree_of(world.project) == before


def edit_quietly(path):
    """Writes another text of the same length, and sets the times back."""
    facts = path.stat()
    path.write_text("#" * facts.st_size)
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))


@pytest.mark.parametrize("name", ["a.txt", "new/deep/file", "new"])
def test_an_edit_that_keeps_size_and_mtime_is_not_undone(world, name):
    fill(world)
    stage = world.stage(SCRIPT)
    world.good("stage", "apply", stage)
    if name == "new":
        world.put("new/mine", "1\n")
    else:
        edit_quietly(world.project / name)
    before = tree_of(world.project)
    error_of(world.call("stage", "undo", stage), 1, f"changed since: {name.split('/')[0]}",
             "nothing is undone")
    assert tree_of(world.project) == before


def test_a_file_with_another_ctime_and_the_same_content_is_undone(world):
    fill(world)
    before = tree_of(world.project)
    stage = world.stage(SCRIPT)
    world.good("stage", "apply", stage)
    for name in ("a.txt", "new/deep/file"):
        path = world.project / name
        os.link(path, world.base / "link")
        (world.base / "link").unlink()
    # Another stage moves the file away and back.
    other = world.stage("echo other > a.txt")
    world.good("stage", "apply", other)
    world.good("stage", "undo", other)
    world.good("stage", "undo", stage)
    assert tree_of(world.project) == before


def test_an_edit_of_a_restored_file_that_keeps_size_and_mtime_is_a_conflict(world):
    fill(world)
    stage = world.stage("rm a.txt")
    world.good("stage", "apply", stage)
    world.good("stage", "undo", stage)
    edit_quietly(world.project / "a.txt")
    error_of(world.call("stage", "apply", stage), 1, "because of 1 conflict", "a.txt")


def test_which_stage_is_meant(world):
    fill(world)
    error_of(world.call("stage", "diff"), 2, "this project has no stage")
    one = world.stage("echo 1 > f")
    assert "+1" in world.good("stage", "diff").stdout
    other = world.stage("echo 2 > f")
    error_of(world.call("stage", "diff"), 2, "several stages", one, other)
    assert "+2" in world.good("stage", "diff", other).stdout
    error_of(world.call("stage", "diff", "zzzz9"), 2, "no stage is named")
    world.good("stage", "discard", one)
    world.good("stage", "discard", other)


def test_a_stage_in_use_is_left_alone(world):
    fill(world)
    command = [world.programs.ringfence, "stage", "run", "--keep", "--", "sh", "-c",
               "echo 1 > f; echo ready; cat"]
    with subprocess.Popen(command, cwd=world.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True, env={"PATH": "/usr/bin:/bin", "HOME": str(world.home)},
                          **world.as_user) as running:
        assert running.stdout.readline() == "ready\n"
        stage = world.stages()[0]
        assert stage["state"] == "running"
        assert world.changes(stage["id"]) == {"f": "added"}
        for command in ("apply", "discard"):
            error_of(world.call("stage", command, stage["id"]), 2, "is in use")
        running.stdin.close()
        assert running.wait(30) == 0
    world.good("stage", "apply", stage["id"])
    assert (world.project / "f").read_text() == "1\n"


def test_a_launcher_that_was_killed_leaves_the_stage(world):
    fill(world)
    command = [world.programs.ringfence, "stage", "run", "--", "sh", "-c", "echo 1 > f; echo ready; cat"]
    with subprocess.Popen(command, cwd=world.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True, env={"PATH": "/usr/bin:/bin", "HOME": str(world.home)},
                          **world.as_user) as running:
        assert running.stdout.readline() == "ready\n"
        running.kill()
        running.wait(30)
    assert [found["state"] for found in world.stages()] == ["interrupted"]
    world.good("stage", "apply")
    assert (world.project / "f").read_text() == "1\n"


def test_wrong_usage(world):
    fill(world)
    for arguments, part in (
            (["run", "--apply", "--", "true"], "--apply needs --stage"),
            (["stage", "run", "--apply", "--keep", "--", "true"], "exclude each other"),
            (["run", "--stage", "--trial", "--", "true"], "nothing to stage"),
            (["stage", "lst"], 'did you mean "list"')):
        done = world.call(*arguments)
        assert done.returncode in (2, 125) and part in done.stderr, f"{arguments}: {done}"
    assert not world.stages()


def git(world, *arguments):
    return world.start(["git", "-C", world.project, "-c", "user.name=n", "-c", "user.email=e",
                        *arguments], env={"HOME": str(world.home)})


def test_commits_become_a_branch(world):
    world.put("a.txt", "1\n")
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"]):
        assert git(world, *arguments).returncode == 0, arguments
    index = (world.project / ".git/index").read_bytes()
    stage = world.stage("echo 2 >> a.txt; echo 3 > new; git add .;"
                        " git -c user.name=n -c user.email=e commit -qm two; git branch other")
    applied = world.good("stage", "apply", stage)
    assert f"git reset stage/{stage}" in applied.stderr, applied
    assert (world.project / ".git/index").read_bytes() == index
    assert git(world, "log", "--format=%s", "main").stdout == "one\n"
    assert git(world, "log", "--format=%s", f"stage/{stage}").stdout == "two\none\n"
    assert git(world, "log", "--format=%s", "other").stdout == "two\none\n"
    assert git(world, "fsck", "--strict").returncode == 0
    assert git(world, "reset", "-q", f"stage/{stage}").returncode == 0
    assert git(world, "status", "--porcelain").stdout == ""
    assert git(world, "log", "--format=%s").stdout == "two\none\n"


def test_the_beginning_of_another_projects_id_can_be_a_path(world):
    other = world.base / "other"
    other.mkdir()
    world.give(other)
    with world.started("sh", "-c", "echo 1 > f", options=("--keep", "--json"), cwd=other) as running:
        taken = json.loads(running.communicate(timeout=30)[0])["id"]
    name = taken[:2]
    stage = world.stage(f"echo 1 > {name}; echo 2 > no.id")
    if not stage.startswith(name):
        assert world.good("stage", "diff", name, "--name-only").stdout == f"{name}\n"
        world.good("stage", "apply", name)
        assert tree_of(world.project).keys() == {name}
    assert world.good("stage", "diff", taken, "--name-only").stdout == "f\n"


def test_a_branch_that_the_policy_holds_back_is_not_reported(world):
    world.put("a.txt", "1\n")
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"]):
        assert git(world, *arguments).returncode == 0, arguments
    stage = world.stage("echo 2 >> a.txt; git -c user.name=n -c user.email=e commit -qam two")
    world.user_policy(write={"deny": [".git/refs/heads/stage"]})
    applied = world.good("stage", "apply", stage, "--json")
    assert "held back by the policy: .git/refs/heads/stage" in applied.stderr, applied
    assert "new branch" not in applied.stderr and json.loads(applied.stdout)["branches"] == []
    assert git(world, "branch", "--format=%(refname:short)").stdout == "main\n"


@pytest.mark.parametrize("is_packed", [False, True], ids=["loose", "packed"])
def test_commits_have_a_branch_beside_one_with_the_usual_name(world, is_packed):
    """A branch "stage" leaves no room for "stage/ID"."""
    world.put("a.txt", "1\n")
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"], ["branch", "stage"],
                      *([["pack-refs", "--all"]] if is_packed else [])):
        assert git(world, *arguments).returncode == 0, arguments
    stage = world.stage("echo 2 >> a.txt; git -c user.name=n -c user.email=e commit -qam two")
    world.good("stage", "apply", stage)
    assert git(world, "log", "--format=%s", f"stage-{stage}").stdout == "two\none\n"
    assert git(world, "fsck", "--strict").returncode == 0


POISON = """
import hashlib, pathlib, struct, sys, zlib
kind, victim = sys.argv[1], bytes.fromhex(sys.argv[2])
objects, evil = pathlib.Path(".git/objects"), b"evil\\n"
if kind == "loose":
    folder = objects / victim.hex()[:2]
    folder.mkdir(exist_ok=True)
    (folder / victim.hex()[2:]).write_bytes(zlib.compress(b"blob %d\\0" % len(evil) + evil))
    sys.exit()
packed = bytes([0x30 | len(evil)]) + zlib.compress(evil)
pack = b"PACK" + struct.pack(">II", 2, 1) + packed
pack += hashlib.sha1(pack).digest()
counts = b"".join(struct.pack(">I", int(victim[0] <= first)) for first in range(256))
index = (b"\\xfftOc" + struct.pack(">I", 2) + counts + victim + struct.pack(">I", zlib.crc32(packed))
         + struct.pack(">I", 12) + pack[-20:])
index += hashlib.sha1(index).digest()
name = f"pack-{pack[-20:].hex()}"
(objects / "pack" / (name + ".pack")).write_bytes(pack)
(objects / "pack" / (name + ".idx")).write_bytes(index)
"""


@pytest.mark.parametrize("kind", ("loose", "pack"))
def test_no_object_of_git_replaces_what_was_committed(world, kind):
    """Git reads packs first, and does not compute the names of their objects again."""
    world.put("a.txt", "1\n")
    world.put("poison.py", POISON)
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"]):
        assert git(world, *arguments).returncode == 0, arguments
    victim = git(world, "rev-parse", "HEAD:a.txt").stdout.strip()
    if kind == "loose":
        victim = "12" * 20  # not there yet
    stage = world.stage("echo 2 >> a.txt; git -c user.name=n -c user.email=e commit -qam two;"
                        f" python3 poison.py {kind} {victim}")
    applied = world.good("stage", "apply", stage)
    assert "git's object does not have what its name says" in applied.stderr, applied
    assert git(world, "cat-file", "-p", "HEAD:a.txt").stdout == "1\n"
    assert git(world, "cat-file", "-e", "12" * 20).returncode != 0
    assert f"stage/{stage}" not in git(world, "branch", "-a").stdout
    assert git(world, "fsck", "--strict").returncode == 0


def test_the_preview_pairs_moves_and_counts_directories(world):
    for name in ("x", "y"):
        world.put(f"old/{name}", f"text of {name}\n")
    world.put("single", "some text\n")
    done = world.good("stage", "run", "--keep", "--", "sh", "-ec",
                      "mv old new; mv single other; mkdir node_modules;"
                      " for i in $(seq 30); do echo $i > node_modules/$i; done")
    assert "  new/ (moved from old)\n" in done.stderr, done.stderr
    assert "  other (moved from single)\n" in done.stderr
    assert "  node_modules/ (+30 files)\n" in done.stderr
    assert "old/x" not in done.stderr and "deleted" not in done.stderr


def test_what_the_user_changes_after_the_command_is_merged(world):
    world.put("a.txt", "1\n2\n3\n4\n5\n6\n7\n")
    world.put("b.txt", "1\n2\n3\n")
    stage = world.stage("sed -i 's/7/7 staged/' a.txt; sed -i 's/2/2 staged/' b.txt")
    world.put("a.txt", "1 mine\n2\n3\n4\n5\n6\n7\n")
    world.put("b.txt", "1\n2 mine\n3\n")
    error_of(world.call("stage", "apply", stage), 1, "because of 1 conflict", "b.txt")
    assert (world.project / "a.txt").read_text() == "1 mine\n2\n3\n4\n5\n6\n7\n"
    world.good("stage", "apply", stage, "--conflicts", "mine")
    assert (world.project / "a.txt").read_text() == "1 mine\n2\n3\n4\n5\n6\n7 staged\n"
    assert (world.project / "b.txt").read_text() == "1\n2 mine\n3\n"
    world.good("stage", "apply", stage, "b.txt", "--conflicts", "staged")
    assert (world.project / "b.txt").read_text() == "1\n2 staged\n3\n"
    world.good("stage", "undo", stage)
    assert (world.project / "b.txt").read_text() == "1\n2 mine\n3\n"


@pytest.mark.parametrize("staged,mine", [("true", 0o755), ("chmod 755 a.txt", 0o644), ("chmod o-r a.txt", 0o755)])
def test_a_merged_file_has_the_permissions_of_the_side_that_changed_them(world, staged, mine):
    path = world.put("a.txt", "1\n2\n3\n4\n5\n6\n7\n")
    path.chmod(0o644)
    stage = world.stage("sed -i 's/7/7 staged/' a.txt; " + staged)
    world.put("a.txt", "1 mine\n2\n3\n4\n5\n6\n7\n")
    path.chmod(mine)
    world.good("stage", "apply", stage)
    assert path.read_text() == "1 mine\n2\n3\n4\n5\n6\n7 staged\n"
    assert oct(path.stat().st_mode & 0o777) == oct(0o751 if "o-r" in staged else 0o755)


@contextlib.contextmanager
def running(world, script):
    """Starts a script in a stage; yields the stage's id when it has printed a line.
    The script ends when its standard input is closed."""
    with world.begin("stage", "run", "--keep", "--", "sh", "-c", script) as process:
        assert process.stdout.readline() != ""
        yield world.stages()[0]["id"]
        process.stdin.close()
        assert process.wait(30) == 0


def test_what_the_user_changes_while_the_command_runs_is_merged(world):
    """The version before both is copied when the stage first changes the file."""
    world.put("a.txt", "1\n2\n3\n4\n5\n6\n7\n")
    script = "sleep 0.5; sed -i 's/7/7 staged/' a.txt; echo changed; cat; echo end >> a.txt"
    with running(world, script) as stage:
        wait_for(lambda: any((world.state / "stages" / stage).glob("base/*")))
        world.put("a.txt", "1 mine\n2\n3\n4\n5\n6\n7\n")
    world.good("stage", "apply", stage)
    assert (world.project / "a.txt").read_text() == "1 mine\n2\n3\n4\n5\n6\n7 staged\nend\n"


def test_what_the_user_changes_before_the_command_does_is_merged_with_what_git_has(world):
    tracked = "1\n2\n3\n4\n5\n6\n7\n"
    for name in ("clean", "dirty", "staged"):
        world.put(name, tracked)
    time.sleep(0.05)
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        assert git(world, *arguments).returncode == 0, arguments
    world.put("dirty", tracked + "8\n")
    world.put("staged", tracked + "8\n")
    time.sleep(0.05)  # an index that was written in the same moment shows nothing
    assert git(world, "add", "staged").returncode == 0
    script = "echo ready; cat; for f in clean dirty staged; do sed -i 's/4/4 staged/' $f; done"
    with running(world, script) as stage:
        wait_for((world.state / "stages" / stage / "git-base").exists)
        for name in ("clean", "dirty", "staged"):
            text = (world.project / name).read_text()
            world.put(name, text.replace("1", "1 mine"))
        # The index is newer than the stage, so it does not count.
        assert git(world, "add", "clean").returncode == 0
    world.put("clean", (world.project / "clean").read_text() + "8 mine\n")
    error_of(world.call("stage", "apply", stage), 1, "because of 1 conflict", "dirty")
    world.good("stage", "apply", stage, "staged", "clean")
    assert (world.project / "clean").read_text() == "1 mine\n2\n3\n4 staged\n5\n6\n7\n8 mine\n"
    assert (world.project / "staged").read_text() == "1 mine\n2\n3\n4 staged\n5\n6\n7\n8\n"


def test_paths_are_those_of_changes(world):
    world.put("sub/a", "1\n")
    stage = world.stage("echo 2 >> sub/a; echo 1 > b; echo 1 > c")
    for arguments in (["apply", stage, "nothing"], ["diff", stage, "/etc/passwd"]):
        error_of(world.call("stage", *arguments), 2, f"stage {stage} does not change")
    assert [found["state"] for found in world.stages()] == ["ended"]
    world.good("stage", "apply", stage, world.project / "b")
    assert world.call("stage", "apply", stage, "a", cwd=world.project / "sub").returncode == 0
    assert set(world.changes(stage)) == {"c"}
    world.good("stage", "apply", stage)
    assert "has nothing to apply" in world.good("stage", "apply", stage).stdout


def test_with_json_each_command_prints_one_result(world):
    world.put("a", "1\n")
    done = world.good("stage", "run", "--json", "--apply", "--", "sh", "-c", "echo 2 >> a")
    stage = json.loads(done.stdout)["id"]
    assert json.loads(world.good("stage", "undo", stage, "--json").stdout) == {"id": stage, "undone": True}
    assert json.loads(world.good("stage", "apply", stage, "--json").stdout) == {
        "id": stage, "changes": 1, "conflicts": [], "held_back": [], "not_applied": [], "branches": []}
    assert (world.project / "a").read_text() == "1\n2\n"
    assert json.loads(world.good("stage", "discard", stage, "--json").stdout) == {"id": stage, "discarded": True}


def test_an_empty_word_means_no_stage_and_no_path(world):
    """A script's variable that is not set."""
    world.put("a", "1\n")
    stage = world.stage("echo 2 >> a")
    for arguments in (["discard", ""], ["apply", ""], ["undo", ""], ["diff", ""], ["apply", stage, ""]):
        error_of(world.call("stage", *arguments), 2, "is empty")
    assert [found["state"] for found in world.stages()] == ["ended"]
    assert (world.project / "a").read_text() == "1\n"


def test_without_a_command_the_stages_are_listed(world):
    world.put("a", "1\n")
    assert world.good("stage").stdout == world.good("stage", "list").stdout


def test_a_path_can_stand_for_the_only_stage_of_the_project(world):
    fill(world)
    stage = world.stage("echo more >> a.txt; echo 1 > f.txt; echo 1 > sub")
    assert "+more" in world.good("stage", "diff", "a.txt").stdout
    assert world.good("stage", "diff", "a.txt", "f.txt", "--name-only").stdout == "a.txt\nf.txt\n"
    error_of(world.call("stage", "diff", "no.thing"), 2, f"stage {stage} does not change \"no.thing\"")
    world.good("stage", "apply", "f.txt")
    assert (world.project / "f.txt").exists() and set(world.changes(stage)) == {"a.txt", "sub"}
    # The beginning of an id is an id, whatever the project has.
    other = world.stage(f"echo 1 > {stage}")
    world.good("stage", "discard", stage)
    assert world.good("stage", "diff", other[:2], "--name-only").stdout == stage + "\n"
    assert world.good("stage", "diff", "./" + stage, "--name-only").stdout == stage + "\n"
    error_of(world.call("stage", "undo", "f.txt"), 2, "no stage is named")
