"""Several programs at once: the user's editor beside a stage, stages beside each other. Whatever
the user has written last is in the project afterwards, also where the stage has changed the file;
what cannot be merged is reported, and then nothing is applied."""

import concurrent.futures
import contextlib
import ctypes
import json
import multiprocessing
import os
import random

import pytest

from command_world import error_of
from stage_world import tree_of, wait_for

FILES = [f"f{number:02}" for number in range(24)]
LINES = [f"{number}\n" for number in range(1, 21)]
SEEDS = range(20)


def edited(line, text):
    return "".join([*LINES[:line], text, *LINES[line + 1:]])


class Editor:
    """A process that changes files of the project at random, as editors do."""

    def __init__(self, world, seed):
        self.stop, self.result = multiprocessing.Event(), multiprocessing.Queue()
        self.process = multiprocessing.Process(target=self.run, args=(world.project, seed, world.as_user))
        self.process.start()

    def run(self, project, seed, user):
        if user:
            os.setresgid(*[user["group"]] * 3)
            os.setresuid(*[user["user"]] * 3)
        os.chdir(project)
        dice, written = random.Random(seed), {}
        for number in range(1000000):
            if self.stop.wait(dice.choice([0, 0, 0.001, 0.01])):
                break
            name = dice.choice(FILES)
            written[name] = self.change(name, f"user {number}\n", dice)
        self.result.put(written)

    @staticmethod
    def change(name, line, dice):
        """Returns the text that the file then has; nothing if it does not exist any more."""
        text, way = edited(0, line), dice.randrange(10)
        if way == 0:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)
            return None
        target = name if way < 5 else name + "~"
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)
        if target != name:
            os.rename(target, name)
        return text

    def written(self):
        """Ends the process. Returns what it has written last to each file."""
        self.stop.set()
        written = self.result.get(timeout=30)
        self.process.join(30)
        return written


def text_in(world, name):
    path = world.project / name
    return path.read_text() if path.exists() else None


def no_leftovers(world):
    left = [path for path in world.project.rglob("*") if ".ringfence-" in path.name]
    assert not left, left


def is_refused(done):
    """True if nothing was applied, and the user was told why."""
    if done.returncode == 0:
        return False
    assert done.returncode == 1, done
    assert "nothing is applied" in done.stderr or "was changed by another program" in done.stderr, done
    return True


def fill(world):
    for name in FILES:
        (world.project / name).write_text("".join(LINES))
    world.give(world.project)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_user_edits_while_a_stage_is_applied(world, pytestconfig, seed):
    seed += (pytestconfig.option.seed or 0) * 1000
    fill(world)
    stage = world.stage("for f in f*; do sed -i 's/^20$/staged/' $f; done; echo 1 > new")
    editor = Editor(world, seed)
    try:
        tries = [world.call("stage", "apply", stage) for _ in range(3)]
    finally:
        written = editor.written()
    applied = [not is_refused(done) for done in tries]
    assert "is in use" not in "".join(done.stderr for done in tries)
    for name in FILES:
        text = text_in(world, name)
        if name not in written:
            assert text in ("".join(LINES), edited(19, "staged\n")), f"seed {seed}: {name}: {text}"
            continue
        expected = written[name]
        merged = expected and expected.removesuffix("20\n") + "staged\n"
        assert text == expected or (any(applied) and text == merged), (
            f"seed {seed}: {name}: {text!r}, but the user wrote {expected!r}; {tries}")
    assert (world.project / "new").exists() == any(applied), f"seed {seed}: {tries}"
    no_leftovers(world)


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_the_user_edits_while_a_stage_runs(world, pytestconfig, seed):
    seed += (pytestconfig.option.seed or 0) * 1000
    fill(world)
    script = ("sleep 0.4; for f in f0*; do sed -i 's/^20$/staged/' $f; done; echo ready; cat;"
              " for f in f1*; do sed -i 's/^20$/staged/' $f; done; echo 1 > new")
    editor = Editor(world, seed)
    try:
        with world.begin("stage", "run", "--keep", "--", "sh", "-c", script) as running:
            assert running.stdout.readline() == "ready\n"
            running.stdin.close()
            assert running.wait(30) == 0, running.stderr.read()
    finally:
        written = editor.written()
    # The staged command may have seen a file in the middle of its replacement.
    stage = world.stages()[0]["id"]
    changed = set(world.changes(stage))
    before = tree_of(world.project)
    done = world.call("stage", "apply", stage)
    if is_refused(done):
        assert tree_of(world.project) == before, f"seed {seed}"
        listed = {line.split(": ")[2] for line in done.stderr.splitlines() if line.startswith("ringfence: conflict")}
        assert {name for name in listed if not name.endswith(" more")} & set(FILES), f"seed {seed}: {done}"
        world.good("stage", "apply", stage, "--conflicts", "mine")
    for name, expected in written.items():
        text = text_in(world, name)
        if expected is None and name in changed:
            # Deleted before its base was kept, it is a new file of the stage's.
            assert text is None or text.endswith("staged\n"), f"seed {seed}: {name}: {text!r}"
            continue
        staged = expected and expected.removesuffix("20\n") + "staged\n"
        allowed = {expected, staged} if name in changed else {expected}
        assert text in allowed, f"seed {seed}: {name}: {text!r}, but the user wrote {expected!r}"
    world.good("stage", "undo", stage)
    assert tree_of(world.project) == before, f"seed {seed}"
    no_leftovers(world)


def test_a_file_that_the_user_deletes_while_a_stage_rewrites_it(world):
    """sed -i makes a new file, which does not look like an edit."""
    fill(world)
    with world.begin("stage", "run", "--keep", "--", "sh", "-c",
                     "sleep 0.5; sed -i s/20/staged/ f01; echo ready; cat") as running:
        assert running.stdout.readline() == "ready\n"
        stage = world.stages()[0]["id"]
        wait_for(lambda: any((world.state / "stages" / stage).glob("base/*")))
        (world.project / "f01").unlink()
        running.stdin.close()
        assert running.wait(30) == 0
    error_of(world.call("stage", "apply", stage), 1, "f01: changed in the stage, deleted in the project")
    assert not (world.project / "f01").exists()


def test_the_changes_are_listed_while_they_are_made(world):
    fill(world)
    world.put("folder/x", "x\n")
    script = ("exec 3<&0; (cat <&3; touch end) & echo ready; while [ ! -e end ]; do for i in 1 2 3 4; do mkdir -p t/$i; echo > t/$i/f; done;"
              " for f in f0*; do echo $f >> $f; mv $f $f~; mv $f~ $f; done; rm -rf t f1*; done")
    with world.begin("stage", "run", "--keep", "--", "sh", "-c", script) as running:
        assert running.stdout.readline() == "ready\n"
        for number in range(30):
            if number == 15:
                (world.project / "folder").rename(world.project / "other")
            for options in ([], ["--json"], ["--stat"]):
                world.good("stage", "diff", *options)
        running.stdin.close()
        assert running.wait(30) == 0


STAGES = 8


def begin_stages(world):
    """Stages whose commands all run at the same time. Returns their ids, by number."""
    with contextlib.ExitStack() as stack:
        running = [stack.enter_context(world.begin(
            "stage", "run", "--json", "--keep", "--", "sh", "-ec",
            f"echo ready >&2; cat; sed -i 's/^{10 * number + 5}$/staged {number}/' shared;"
            f" sed -i 's/^1$/one of {number}/' fought; rm old/{number}; mkdir -p new/deep;"
            f" echo {number} > new/deep/{number}; echo {number} > own{number}; chmod 75{number % 2} mode"))
                   for number in range(STAGES)]
        for command in running:
            assert command.stderr.readline() == "ready\n"
        for command in running:
            command.stdin.close()
        return [json.loads(command.stdout.read())["id"] for command in running]


def fill_for_stages(world):
    world.put("shared", "".join(f"{number}\n" for number in range(100)))
    for name in ("fought", "mode"):
        world.put(name, "1\n")
    for number in range(STAGES):
        world.put(f"old/{number}", "old\n")


def expected_after(numbers):
    """The content of each file after these stages were applied, in this order."""
    shared = {10 * number + 5: f"staged {number}" for number in numbers}
    return {"shared": "".join(f"{shared.get(number, number)}\n" for number in range(100)),
            "fought": f"one of {numbers[0]}\n",
            "mode": "1\n",
            **{f"new/deep/{number}": f"{number}\n" for number in numbers},
            **{f"own{number}": f"{number}\n" for number in numbers},
            **{f"old/{number}": "old\n" for number in range(STAGES) if number not in numbers}}


def files_in(folder):
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("seed", range(4))
def test_eight_stages_at_once(world, pytestconfig, seed):
    dice = random.Random((pytestconfig.option.seed or 0) * 1000 + seed)
    fill_for_stages(world)
    ids = begin_stages(world)
    order = dice.sample(range(STAGES), STAGES)
    trees = [tree_of(world.project)]
    for position, number in enumerate(order):
        if position > 0:
            error_of(world.call("stage", "apply", ids[number]), 1, "because of 1 conflict", "fought")
            assert tree_of(world.project) == trees[-1]
        world.good("stage", "apply", ids[number], "--conflicts", "mine")
        assert files_in(world.project) == expected_after(order[:position + 1]), f"order {order}"
        trees.append(tree_of(world.project))
    # What a later stage has changed again is not taken back.
    error_of(world.call("stage", "undo", ids[order[0]]), 1, "nothing is undone", "shared")
    assert tree_of(world.project) == trees[-1]
    for number in reversed(order):
        trees.pop()
        world.good("stage", "undo", ids[number])
        assert tree_of(world.project) == trees[-1], f"order {order}, {number}"
    no_leftovers(world)


@pytest.mark.parametrize("round_", range(4))
def test_stages_are_applied_at_the_same_time(world, round_):
    """Each is applied as a whole, or says that another was faster."""
    fill_for_stages(world)
    ids = begin_stages(world)
    waiting, applied = set(range(STAGES)), []
    with concurrent.futures.ThreadPoolExecutor(STAGES) as pool:
        for _ in range(STAGES):
            doing = {number: pool.submit(world.call, "stage", "apply", ids[number], "--conflicts", "mine")
                     for number in waiting}
            done = [number for number in waiting if not is_refused(doing[number].result())]
            applied += done
            waiting -= set(done)
            files = files_in(world.project)
            winner = files["fought"].removeprefix("one of ").strip()
            assert not applied or int(winner) in applied, f"round {round_}"
            if applied:
                first = sorted(applied, key=lambda number: number != int(winner))
                expected = expected_after(first)
                # Undoing an apply counts as a change of the files, so this may be a conflict then.
                assert {name: files[name] for name in expected} == expected, f"round {round_}"
                assert {name.split("/")[0] for name in files.keys() - expected.keys()} <= {"old"}
    assert not waiting, f"round {round_}: never applied: {waiting}"
    no_leftovers(world)


def shared_descriptor(process, path):
    """The process's own open file of this path, as a process that it has forked has it."""
    folder = f"/proc/{process}/fd"
    number = next(name for name in os.listdir(folder) if os.readlink(f"{folder}/{name}") == str(path))
    handle = os.pidfd_open(process)
    try:
        pidfd_getfd = 438
        shared = ctypes.CDLL(None, use_errno=True).syscall(pidfd_getfd, handle, int(number), 0)
    finally:
        os.close(handle)
    assert shared >= 0, os.strerror(ctypes.get_errno())
    return shared


def test_the_end_of_a_command_waits_for_the_lock_of_its_stage(world):
    """Processes of the run can have it for a moment longer."""
    with world.begin("stage", "run", "--keep", "--", "sh", "-c", "echo 1 > f; echo ready >&2; cat") as running:
        assert running.stderr.readline() == "ready\n"
        [stage] = world.stages()
        shared = shared_descriptor(running.pid, world.state / "stages" / stage["id"])
        running.stdin.close()
        assert "waiting for another process that uses stage" in running.stderr.readline()
        os.close(shared)
        assert f"the changes are kept as stage {stage['id']}; " in running.stderr.read()
        assert running.wait(timeout=60) == 0


def test_one_stage_is_applied_twice_at_the_same_time(world):
    fill(world)
    for number in range(8):
        stage = world.stage(f"for f in f*; do echo {number} >> $f; done")
        before = {name: text_in(world, name) for name in FILES}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            both = [pool.submit(world.call, "stage", "apply", stage) for _ in range(2)]
        results = sorted((done.result() for done in both), key=lambda done: done.returncode)
        assert results[0].returncode == 0, results
        assert ("has nothing to apply" in results[1].stdout + results[0].stdout
                or "is in use" in results[1].stderr), results
        assert {name: text_in(world, name) for name in FILES} == {
            name: f"{text}{number}\n" for name, text in before.items()}
        world.good("stage", "discard", stage)


@pytest.mark.parametrize("is_copy", (False, True))
def test_permissions_of_a_directory_that_only_the_user_has_changed_stay(world, is_copy):
    for name in ("mine", "both", "staged"):
        world.put(f"{name}/f", "1\n")
        (world.project / name).chmod(0o755)
    if is_copy:
        world.forbid_overlay()
    stage = world.stage("for d in *; do [ ! -d $d ] || echo 2 >> $d/f; done; chmod o-x both; chmod 750 staged")
    (world.project / "mine").chmod(0o700)
    (world.project / "both").chmod(0o775)
    world.good("stage", "apply", stage)
    modes = {name: oct((world.project / name).stat().st_mode & 0o777) for name in ("mine", "both", "staged")}
    assert modes == {"mine": "0o700", "both": "0o774", "staged": "0o750"}
    assert (world.project / "mine/f").read_text() == "1\n2\n"


@pytest.mark.parametrize("is_copy", (False, True))
def test_a_merged_file_gets_each_permission_from_the_side_that_has_changed_it(world, is_copy):
    for name in ("mine", "both", "staged", "same"):
        world.put(name, "".join(LINES))
        (world.project / name).chmod(0o664)
    if is_copy:
        world.forbid_overlay()
    stage = world.stage("sed -i 's/^20$/staged/' mine both staged same; chmod g-w both; chmod a-w staged")
    (world.project / "mine").chmod(0o444)
    (world.project / "both").chmod(0o464)
    for name in ("staged", "same"):
        (world.project / name).write_text(edited(0, "mine\n"))
    world.good("stage", "apply", stage)
    modes = {name: oct((world.project / name).stat().st_mode & 0o777) for name in ("mine", "both", "staged", "same")}
    assert modes == {"mine": "0o444", "both": "0o444", "staged": "0o444", "same": "0o664"}
    for name in modes:
        assert (world.project / name).read_text().endswith("19\nstaged\n"), name


def attributes_of(path):
    return {name: os.getxattr(path, name) for name in os.listxattr(path) if name.startswith("user.")}


SET_ATTRIBUTES = """
import os, sys
for path in sys.argv[1:]:
    os.setxattr(path, "user.a", b"staged")
"""


@pytest.mark.parametrize("is_copy", (False, True))
def test_attributes_that_only_the_user_has_changed_stay(world, is_copy):
    text = "".join(f"{number}\n" for number in range(9))
    for name in ("mine", "staged"):
        os.setxattr(world.put(f"{name}/f", text), "user.a", b"1")
        os.setxattr(world.project / name, "user.a", b"1")
    if is_copy:
        world.forbid_overlay()
    world.put("set.py", SET_ATTRIBUTES)
    stage = world.stage("for f in mine/f staged/f; do sed s/0/none/ $f > /tmp/f; cat /tmp/f > $f; echo > $f.new; done; "
                        "python3 set.py staged staged/f")
    for name in ("mine", "staged"):
        (world.project / name / "f").write_text(text.replace("8", "eight"))
    for path in ("mine", "mine/f"):
        os.setxattr(world.project / path, "user.a", b"mine")
        os.setxattr(world.project / path, "user.b", b"mine")
    world.good("stage", "apply", stage)
    for name in ("mine", "staged"):
        assert (world.project / name / "f").read_text() == text.replace("8", "eight").replace("0", "none")
    for path in ("mine", "mine/f"):
        assert attributes_of(world.project / path) == {"user.a": b"mine", "user.b": b"mine"}, path
    for path in ("staged", "staged/f"):
        assert attributes_of(world.project / path) == {"user.a": b"staged"}, path
    world.good("stage", "undo", stage)
    assert attributes_of(world.project / "mine/f") == {"user.a": b"mine", "user.b": b"mine"}
    assert attributes_of(world.project / "staged") == {"user.a": b"1"}


def test_attributes_of_a_directory_that_both_have_changed_are_a_conflict(world):
    world.put("d/f", "1\n")
    os.setxattr(world.project / "d", "user.a", b"1")
    world.put("set.py", SET_ATTRIBUTES)
    stage = world.stage("python3 set.py d")
    os.setxattr(world.project / "d", "user.a", b"mine")
    error_of(world.call("stage", "apply", stage), 1, "conflict: d: attributes changed in the stage and in the project")
    assert attributes_of(world.project / "d") == {"user.a": b"mine"}
    world.good("stage", "apply", stage, "--conflicts", "staged")
    assert attributes_of(world.project / "d") == {"user.a": b"staged"}
