"""What overlay mounts do to unusual files, and what becomes of it when a stage is applied."""

import os
import stat

from stage_world import tree_of


def test_a_renamed_directory(world):
    """rename(2) of the project's directories fails with EXDEV; mv copies."""
    world.put("d/x", "x\n")
    world.put("d/y", "y\n")
    stage = world.stage("mv d e")
    world.good("stage", "apply", stage)
    assert set(tree_of(world.project)) == {"e", "e/x", "e/y"}


def test_a_directory_that_was_removed_and_made_again(world):
    for name in ("a", "b", "sub/c"):
        world.put("d/" + name, name)
    stage = world.stage("rm -r d; mkdir d; echo new > d/b; mkdir d/other; echo 1 > d/other/f")
    assert world.changes(stage) == {"d/a": "removed", "d/b": "modified", "d/other": "added",
                                    "d/other/f": "added", "d/sub": "removed", "d/sub/c": "removed"}
    world.good("stage", "apply", stage)
    assert set(tree_of(world.project)) == {"d", "d/b", "d/other", "d/other/f"}


def test_a_new_directory_where_a_file_was_and_the_other_way_round(world):
    world.put("file", "f")
    world.put("folder/x", "x")
    stage = world.stage("rm file; mkdir file; echo 1 > file/y; rm -r folder; echo 2 > folder")
    world.good("stage", "apply", stage)
    assert (world.project / "file/y").read_text() == "1\n"
    assert (world.project / "folder").read_text() == "2\n"
    world.good("stage", "undo", stage)
    assert (world.project / "file").read_text() == "f"
    assert (world.project / "folder/x").read_text() == "x"


def test_hard_links_are_separate_files_afterwards(world):
    world.put("one", "text\n")
    os.link(world.project / "one", world.project / "two")
    stage = world.stage("echo more >> one")
    assert world.changes(stage) == {"one": "modified"}
    world.good("stage", "apply", stage)
    assert (world.project / "one").read_text() == "text\nmore\n"
    assert (world.project / "two").read_text() == "text\n"


def test_files_that_were_only_touched_are_no_changes(world):
    for number in range(5):
        world.put(f"f{number}", "same\n")
    stage = world.stage("touch f0; chmod 600 f1; chmod 644 f1; echo same > f2; cp f3 t; mv t f3;"
                        " sh -c ': >> f4'; echo 1 > new")
    assert world.changes(stage) == {"new": "added"}


def test_fifos_and_sockets_are_never_applied(world):
    world.put("f", "1")
    stage = world.stage("mkfifo pipe; python3 -c 'import socket; socket.socket(socket.AF_UNIX)"
                        ".bind(\"socket\")'; mkdir d; mkfifo d/pipe; echo 1 > d/f")
    done = world.good("stage", "apply", stage)
    assert set(tree_of(world.project)) == {"f", "d", "d/f"}
    for name in ("pipe", "socket", "d/pipe"):
        assert f"not applied: {name}: a FIFO, a socket or a device" in done.stderr


def test_programs_that_run_as_their_owner_are_never_applied(world):
    world.put("f", "1")
    stage = world.stage("cp /bin/true t; chmod 4755 t || true")
    if "t" in world.changes(stage):
        world.good("stage", "apply", stage)
    for path in world.project.iterdir():
        assert not path.stat().st_mode & (stat.S_ISUID | stat.S_ISGID), path


def test_the_project_itself_keeps_its_permissions(world):
    world.put("f", "1")
    os.chmod(world.project, 0o751)
    seen = world.good("stage", "run", "--", "stat", "-c", "%a", ".")
    assert seen.stdout == "751\n"


def test_names_of_any_bytes(world):
    name = b"odd \xff\n\"'\\$\t"
    world.put("f", "1")
    stage = world.stage("mkdir x; printf 1 > \"x/$(printf 'odd \\377\\n\"\\x27\\134$\\tx')\"; echo 2 > f", shell="bash")
    world.good("stage", "apply", stage)
    assert os.listdir(os.fsencode(world.project / "x")) == [name + b"x"]
    world.good("stage", "undo", stage)
    assert set(tree_of(world.project)) == {"f"}


def test_files_and_directories_without_permissions(world):
    world.put("f", "1")
    world.put("secret", "2")
    stage = world.stage("mkdir closed; echo 1 > closed/x; chmod 000 closed/x; chmod 000 closed;"
                        " echo 3 > secret; chmod 000 secret")
    assert set(world.changes(stage)) == {"closed", "closed/x", "secret"}
    world.good("stage", "apply", stage)
    modes = {name: facts[0] for name, facts in tree_of_closed(world).items()}
    assert modes == {"closed": "0o40000", "secret": "0o100000", "f": modes["f"]}
    world.good("stage", "undo", stage)
    assert (world.project / "secret").read_text() == "2"
    assert not (world.project / "closed").exists()


def tree_of_closed(world):
    found = {}
    for path in world.project.iterdir():
        found[path.name] = (oct(path.lstat().st_mode), "")
    return found


def test_times_are_kept_for_make(world):
    world.put("source", "1")
    stage = world.stage("touch -d 2020-01-02T03:04:05 old; echo 1 > object; touch -d 2021-01-01 d || true")
    world.good("stage", "apply", stage)
    assert (world.project / "old").stat().st_mtime == 1577934245


def test_a_stage_inside_a_stage(world):
    world.put("f", "1")
    done = world.call("stage", "run", "--keep", "--", world.programs.ringfence, "stage", "run", "--", "true")
    assert done.returncode == 125 and "another sandbox" in done.stderr, done


def test_a_large_file_that_is_copied_whole_is_named(world):
    for name in ("large", "small"):
        world.put(name, "1\n")
    os.truncate(world.project / "large", 300 << 20)
    done = world.good("stage", "run", "--keep", "--", "sh", "-c", "echo 2 >> large; echo 2 >> small")
    assert "note: large (315 MB) was copied whole into the stage before" in done.stderr, done
    assert "small (" not in done.stderr.replace("  small (", "")


def test_a_long_time_later_the_stage_still_applies(world):
    """The record says what is known about the start; nothing else is needed."""
    world.put("f", "1\n")
    stage = world.stage("echo 2 > f")
    folder = world.state / "stages" / stage
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    os.utime(folder / "record", (0, 0))
    world.good("stage", "apply", stage)
    assert (world.project / "f").read_text() == "2\n"
