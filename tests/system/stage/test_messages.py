"""What the commands say about stages, and their exit status."""

import json
import os
import shutil
import signal

import pytest

from command_world import error_of


def git(world, *arguments):
    done = world.start(["git", "-C", world.project, "-c", "user.name=n", "-c", "user.email=e",
                        *arguments], env={"HOME": str(world.home)})
    assert done.returncode == 0, done
    return done.stdout


def state(world):
    [stage] = world.stages()
    return stage["state"], stage["changes"]


def test_a_part_that_is_applied_is_listed_as_such(world):
    stage = world.stage("echo 1 > a; echo 2 > b")
    assert state(world) == ("ended", 2)
    world.good("stage", "apply", stage, "a")
    assert state(world) == ("partly applied", 1)
    assert f"{stage}  partly applied  " in world.good("stage", "list").stdout
    world.good("stage", "apply", stage)
    assert state(world) == ("applied", 0)
    world.good("stage", "undo", stage)
    assert state(world) == ("partly applied", 1)
    world.good("stage", "undo", stage)
    assert state(world) == ("ended", 2)


def test_a_stage_without_its_project_is_listed(world):
    stage = world.stage("echo 1 > a")
    moved = world.project.with_name("moved")
    world.project.rename(moved)
    done = world.call("stage", "list", "--json", cwd=moved)
    moved.rename(world.project)
    [listed] = json.loads(done.stdout)["stages"]
    assert (listed["id"], listed["state"], listed["changes"]) == (stage, "unusable", None)
    assert f"warning: stage {stage}: " in done.stderr and done.returncode == 0


@pytest.mark.parametrize("now,what", [("moved", "does not exist any more"),
                                      ("file", "is not a directory any more"),
                                      ("link", "is a symbolic link now")])
def test_a_missing_project_is_named_with_what_can_be_done(world, now, what):
    stage = world.stage("echo 1 > a")
    moved = world.project.with_name("moved")
    world.project.rename(moved)
    if now == "file":
        world.project.write_text("")
    if now == "link":
        world.project.symlink_to(moved)
    for command in ("diff", "review", "apply", "undo"):
        done = world.call("stage", command, stage, cwd=moved)
        error_of(done, 2, f"{world.project}: the project {what}",
                 f"move it back to this path, or remove the stage: ringfence stage discard {stage}")
    listed = world.call("stage", "list", cwd=moved)
    assert f"warning: stage {stage}: {world.project}: the project {what}" in listed.stderr, listed
    assert f"{stage}  unusable" in listed.stdout
    if now != "moved":
        world.project.unlink()
    moved.rename(world.project)
    world.good("stage", "apply", stage)
    assert (world.project / "a").read_text() == "1\n"
    stage = world.stage("echo 2 > a")
    world.project.rename(moved)
    done = world.call("stage", "discard", stage, cwd=moved)
    moved.rename(world.project)
    assert done.returncode == 0, done
    assert stage not in [listed["id"] for listed in world.stages()]


@pytest.mark.parametrize("side,said", [("staged", "the stage's version is taken"),
                                       ("mine", "your version is kept")])
def test_conflicts_that_an_option_resolves_are_named_as_resolved(world, side, said):
    world.put("a", "1\n")
    world.put("b", "1\n")
    stage = world.stage("echo 2 > a; echo 2 > b")
    world.put("a", "3\n")
    done = world.good("stage", "apply", stage, "--conflicts", side)
    assert f"conflict resolved: a: changed in the stage and in the project; {said}\n" in done.stderr, done
    assert "conflict: " not in done.stderr
    assert (world.project / "a").read_text() == ("2\n" if side == "staged" else "3\n")


def test_a_conflict_names_what_resolves_it(world):
    world.put("a", "1\n")
    stage = world.stage("echo 2 > a; echo 2 > b")
    world.put("a", "3\n")
    error_of(world.call("stage", "apply", stage), 1, "nothing is applied, because of 1 conflict",
             f"ringfence stage apply {stage} --conflicts staged (or mine)", f"ringfence stage apply {stage} PATH")
    world.good("stage", "apply", stage, "b")
    world.good("stage", "apply", stage, "--conflicts", "staged")
    assert (world.project / "a").read_text() == "2\n"


@pytest.mark.parametrize("mechanism", ["overlay", "copy"])
@pytest.mark.parametrize("options", [(), ("--apply",), ("--keep",), ("--json",)])
def test_a_program_that_was_not_run_is_all_that_is_said(world, mechanism, options):
    if mechanism == "copy":
        world.forbid_overlay()
    world.put("not-executable", "")
    for program, status, why in (("no-such-program", 127, "not found in PATH"),
                                 ("./not-executable", 126, "it is not an executable file")):
        done = world.call("stage", "run", *options, "--", program)
        assert done.returncode == status and f'"{program}" could not be run: {why}' in done.stderr, done
        assert "changed nothing" not in done.stderr and "kept as stage" not in done.stderr, done
        if options == ("--json",):
            assert json.loads(done.stdout)["changes"] == []
    assert world.stages() == []
    done = world.call("stage", "run", *options, "--", "sh", "-c", "exit 127")
    assert done.returncode == 127 and ("changed nothing" in done.stderr) == (options != ("--json",))


def test_apply_and_undo_count_alike(world):
    world.put("old/a", "1\n")
    world.put("old/b", "2\n")
    world.put("kind/c", "3\n")
    stage = world.stage("mkdir -p new/deep; echo 1 > new/f; echo 2 > new/deep/g; rm -r old;"
                        "rm -r kind; echo 4 > kind")
    changes = len(world.changes(stage))
    assert f"applied {changes} changes of stage {stage}" in world.good("stage", "apply").stdout
    assert f"took back {changes} changes of stage {stage}" in world.good("stage", "undo").stdout


def test_a_command_elsewhere_says_which_stage_it_takes(world):
    stage = world.stage("mkdir sub; echo 1 > sub/f")
    inner = world.put("inner/x", "").parent
    note = f'note: this is stage {stage} of the project "{world.project}"'
    for arguments in (["diff"], ["review"], ["apply"], ["undo"], ["discard"]):
        done = world.call("stage", *arguments, cwd=inner)
        assert done.returncode == 0 and done.stderr.count(note) == 1, f"{arguments}: {done}"
    stage = world.stage("echo 1 > f")
    assert "note: " not in world.good("stage", "diff").stderr
    assert "note: " not in world.call("stage", "diff", stage, cwd=inner).stderr
    done = world.call("stage", "diff", cwd=world.home)
    error_of(done, 2, "this project has no stage", "ringfence stage list")


ODD = {"with space": '"with space"', "line\nbreak": '"line\\nbreak"', "back\\slash": '"back\\\\slash"',
       'quo"te': '"quo\\"te"', "plain": "plain"}


def test_unusual_names_are_quoted(world):
    for name in ODD:
        world.put(name, "1\n")
    stage = world.stage("for f in *; do echo 2 >> \"$f\"; done")
    for shown in (world.good("stage", "diff", stage, "--stat").stdout,
                  world.call("stage", "run", "--discard", "--", "sh", "-c",
                             "for f in *; do echo 2 >> \"$f\"; done").stderr):
        for quoted in ODD.values():
            assert f"  {quoted} (+1 line)\n" in shown, shown
    names = world.good("stage", "diff", stage, "--name-only").stdout.splitlines()
    assert sorted(names) == sorted(quoted.strip('"') if quoted == '"with space"' else quoted
                                   for quoted in ODD.values())
    for name in ODD:
        world.put(name, "3\n")
    done = world.call("stage", "apply", stage)
    assert done.returncode == 1 and 'conflict: "line\\nbreak": changed in' in done.stderr, done
    assert "conflict: plain: changed in" in done.stderr
    world.good("stage", "discard", stage)
    stage = world.stage("for f in *; do echo 4 >> \"$f\"; done")
    world.user_policy(write={"deny": ["back*"]})
    done = world.good("stage", "apply", stage)
    assert 'held back by the policy: "back\\\\slash": ' in done.stderr, done


def test_what_is_held_back_is_in_the_result(world):
    world.put("a", "1\n")
    world.put("b", "1\n")
    stage = world.stage("echo 2 > a; echo 2 > b; echo 2 > c; mkfifo p")
    world.user_policy(write={"deny": ["b"]})
    done = world.good("stage", "apply", stage, "--json")
    result = json.loads(done.stdout)
    assert (result["id"], result["changes"], result["conflicts"], result["branches"]) == (stage, 2, [], [])
    assert [held["path"] for held in result["held_back"]] == ["b"] and result["held_back"][0]["why"]
    assert [left["path"] for left in result["not_applied"]] == ["p"]


def test_conflicts_are_in_the_result(world):
    world.put("a", "1\n")
    stage = world.stage("echo 2 > a; echo 2 > c")
    world.put("a", "3\n")
    done = world.call("stage", "apply", stage, "--json")
    assert done.returncode == 1
    result = json.loads(done.stdout)
    assert (result["id"], result["changes"]) == (stage, 0)
    assert [conflict["path"] for conflict in result["conflicts"]] == ["a"]
    assert not (world.project / "c").exists()


def test_branches_are_in_the_result_and_each_has_its_command(world):
    world.put("a", "1\n")
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"],
                      ["branch", "other"], ["branch", "third;x"]):
        git(world, *arguments)
    stage = world.stage(
        "c='git -c user.name=n -c user.email=e commit -qam';"
        " echo 2 >> a; $c two; for b in other 'third;x'; do git checkout -q \"$b\"; echo 3 >> a;"
        " $c three; done; git checkout -q main")
    done = world.good("stage", "apply", stage, "--json")
    branches = {branch["name"]: branch["becomes"] for branch in json.loads(done.stdout)["branches"]}
    assert branches.keys() == {"main", "other", "third;x"}
    said = done.stderr
    assert f"to move the current branch there: git reset {branches['main']}\n" in said, said
    assert f"to move other there: git branch -f other {branches['other']}\n" in said
    assert f"git branch -f 'third;x' '{branches['third;x']}'\n" in said
    assert said.count("current branch") == 1
    git(world, "reset", branches["main"])
    git(world, "branch", "-f", "other", branches["other"])
    assert git(world, "log", "-1", "--format=%s", "main") == "two\n"
    assert git(world, "log", "-1", "--format=%s", "other") == "three\n"


def test_names_that_are_not_utf8(world):
    names = [b"\xff", b"\xfe%"]
    for name in names:
        with open(os.path.join(os.fsencode(world.project), name), "wb") as file:
            file.write(b"1\n")
    world.give(world.project)
    stage = world.stage("for f in *; do echo 2 >> \"$f\"; done")
    done = world.good("stage", "diff", stage, "--json")
    changes = json.loads(done.stdout.encode().decode("utf-8", "strict"))["changes"]
    assert {change["path_encoded"] for change in changes} == {"%FF", "%FE%25"}
    assert "path_encoded" not in json.dumps(json.loads(
        world.good("stage", "diff", world.stage("echo 1 > plain"), "--json", "plain").stdout))


def test_a_path_needs_an_id_where_a_project_has_several_stages(world):
    one, other = world.stage("echo 1 > a"), world.stage("echo 2 > a")
    for command in ("diff", "apply"):
        error_of(world.call("stage", command, "./a"), 2, '"./a" is not a stage, and this project has several: ',
                 one, other, "put the ID of one of them before the path")
    assert "+1" in world.good("stage", "diff", one, "./a").stdout


def test_a_missing_command_has_a_hint_for_stages(world):
    done = world.call("stage", "run")
    error_of(done, 2, "no command is given", "ringfence stage run -- COMMAND")
    done = world.call("stage", "true")
    error_of(done, 2, '"true" is not a command', "ringfence stage run -- COMMAND")
    error_of(world.call("stage", "lst"), 2, 'did you mean "list"', "ringfence stage --help")


@pytest.mark.parametrize("options", [["--keep"], ["--apply"], [], ["--json"]])
def test_changes_that_cannot_be_listed_are_kept(world, options):
    """The policy that says what would be applied cannot be read any more."""
    with world.begin("stage", "run", *options, "--", "sh", "-c", "echo 1 > f; echo ready >&2; cat") as running:
        assert running.stderr.readline() == "ready\n"
        [stage] = world.stages()
        world.write(world.policy, "{")
        out, errors = running.communicate("", timeout=60)
    assert running.returncode == 1 and f"the changes are kept as stage {stage['id']}; " in errors, errors
    assert not list(world.project.iterdir())
    if options == ["--json"]:
        assert json.loads(out) == {"id": stage["id"], "outcome": "kept", "status": 0, "changes": None}
    assert world.stages() == [stage | {"state": "ended", "status": 0}]
    world.good("stage", "discard", stage["id"])


def kept_line(world):
    [stage] = world.stages()
    return f"the changes are kept as stage {stage['id']}; to see them: ringfence stage diff {stage['id']}"


@pytest.mark.parametrize("options", [(), ("--apply",)])
def test_an_interrupted_command_says_that_its_stage_is_kept(own_world, run_on_terminal, options):
    terminal = run_on_terminal("sh", "-c", "echo 1 > f; echo ready; sleep 60", options=options)
    terminal.wait("ready")
    terminal.press("\x03", "the changes are kept as stage")
    assert terminal.status() == -signal.SIGINT
    assert kept_line(own_world) in terminal.seen and "[a]pply" not in terminal.seen
    assert not (own_world.project / "f").exists()


def test_an_interrupted_command_can_be_discarded(own_world, run_on_terminal):
    terminal = run_on_terminal("sh", "-c", "echo 1 > f; echo ready; sleep 60", options=["--discard"])
    terminal.wait("ready")
    terminal.press("\x03", "f (+1 line)")
    assert terminal.status() == -signal.SIGINT
    assert own_world.stages() == [] and not (own_world.project / "f").exists()


@pytest.mark.parametrize("name", ["TERM", "HUP"])
def test_a_signal_to_the_launcher_keeps_the_stage(own_world, run_on_terminal, name):
    terminal = run_on_terminal("sh", "-c", "echo 1 > f; echo ready; sleep 60", options=["--apply"])
    terminal.wait("ready")
    number = signal.Signals["SIG" + name]
    os.kill(terminal.pid, number)
    terminal.wait("the changes are kept as stage")
    assert terminal.status() == 128 + number
    assert kept_line(own_world) in terminal.seen
    assert not (own_world.project / "f").exists()


def test_a_signal_without_a_terminal_keeps_the_stage(world):
    with world.started("sh", "-c", "echo 1 > f; echo ready; sleep 60") as running:
        assert running.stdout.readline() == "ready\n"
        running.send_signal(signal.SIGTERM)
        said = running.communicate(timeout=30)[1]
    assert kept_line(world) in said, said
    assert not (world.project / "f").exists()


def test_without_an_id_what_is_applied_is_not_meant(world):
    world.put("f", "1\n")
    one = world.stage("echo 1 > one")
    world.good("stage", "apply")
    two = world.stage("echo 2 > two")
    note = f"note: this is stage {two}, the only one that has changes to apply"
    for arguments in (["diff"], ["diff", "two"], ["diff", "--stat"], ["review"], ["apply", "two"]):
        done = world.good("stage", *arguments)
        assert note in done.stderr, f"{arguments}: {done}"
    world.good("stage", "undo", one)
    done = world.good("stage", "undo")
    assert f"note: this is stage {two}, the only one that is applied" in done.stderr, done
    error_of(world.call("stage", "diff"), 2, "several stages", one, two)
    world.good("stage", "apply", one)
    world.good("stage", "apply", two)
    error_of(world.call("stage", "undo"), 2, "several stages", one, two)
    error_of(world.call("stage", "discard"), 2, "several stages", one, two)
    world.stage("echo 3 > three")
    world.good("stage", "discard")
    assert {stage["id"] for stage in world.stages()} == {one, two}


def test_an_agents_command_is_listed_as_it_was_typed(world):
    """Its own sandbox is switched off by more arguments."""
    claude = world.base / "bin/claude"
    claude.write_text("#!/bin/sh\necho $# > arguments\n")
    claude.chmod(0o755)
    done = world.call("run", "--stage", "--keep", "--", claude, "--resume", "x")
    assert done.returncode == 0, done
    assert [stage["command"] for stage in json.loads(world.good("stage", "list", "--json").stdout)["stages"]] == [
        [str(claude), "--resume", "x"]]
    assert "+4\n" in world.good("stage", "diff").stdout


@pytest.mark.parametrize("command", [["stage", "run"], ["run", "--stage"]])
@pytest.mark.parametrize("words", [[], ["--"], ["--", ""]])
def test_a_stage_needs_a_command(world, command, words):
    error_of(world.call(*command, *words), 2, "no command is given", "ringfence stage run -- COMMAND")
    assert world.stages() == []


@pytest.mark.parametrize("name", ["KILL", "SEGV", "TERM", "PIPE"])
def test_a_command_that_was_killed_is_reported(world, name):
    number = signal.Signals["SIG" + name]
    done = world.call("stage", "run", "--keep", "--", "sh", "-c", f"echo 1 > f; kill -{number} $$")
    assert done.returncode == 128 + number, done
    said = f'ringfence: "sh" was ended by signal {number} ({signal.strsignal(number)})\n'
    assert (said in done.stderr) == (name in ("KILL", "SEGV")), done
    assert "f (+1 line)" in done.stderr


@pytest.mark.parametrize("program", [None, "not a program"])
def test_a_stage_is_named_if_its_program_cannot_be_started(world, program):
    place = world.base / "alone"
    place.mkdir()
    shutil.copy(world.programs.ringfence, place / "ringfence")
    if program:
        (place / "ringfence-stage").write_text(program)
        (place / "ringfence-stage").chmod(0o755)
    world.give(place)
    done = world.start([place / "ringfence", "stage", "run", "--keep", "--", "sh", "-c", "echo 1 > f"],
                       env={"HOME": str(world.home)})
    [stage] = world.stages()
    error_of(done, 2, f"the changes are kept as stage {stage['id']}", "install ringfence again",
             f"ringfence stage diff {stage['id']}")
    assert stage["state"] == "ended" and "+1" in world.good("stage", "diff").stdout
