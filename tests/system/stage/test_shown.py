"""What is applied is shown: permissions, attributes, and changes among many others."""

import os
import struct
import subprocess

import pytest

from stage_world import tree_of

SET = "python3 -c 'import os, sys; os.setxattr(sys.argv[1], sys.argv[2], sys.argv[3].encode())'"
MANY = "mkdir -p node_modules/new; for i in $(seq 30); do echo $i > node_modules/new/$i; done;"


@pytest.fixture(name="attributes")
def fixture_attributes(world):
    """A world whose files can have attributes of users."""
    try:
        os.setxattr(world.project, b"user.ringfence-test", b"")
        os.removexattr(world.project, b"user.ringfence-test")
    except OSError as problem:
        pytest.skip(f"this file system has no user attributes: {problem}")
    return world


def end_of(world, script):
    """Runs the script in a stage. Returns the list at its end and the stage."""
    done = world.good("stage", "run", "--keep", "--", "sh", "-ec", script)
    return done.stderr, world.stages()[-1]["id"]


def test_permissions_of_what_was_moved(world):
    world.put("old/run", "text\n")
    world.put("old/other", "other\n")
    world.put("single", "some text\n")
    shown, stage = end_of(world, "mv old new; chmod 755 new/run; chmod 700 new; mv single moved; chmod 600 moved")
    assert "  new/ (moved from old, mode 755 -> 700)\n" in shown, shown
    assert "  new/run (moved from old/run, mode 644 -> 755)\n" in shown
    assert "  moved (moved from single, mode 644 -> 600)\n" in shown
    assert "other" not in shown
    diff = world.good("stage", "diff", stage).stdout
    assert "# moved: mode 644 -> 600\n" in diff and "# new: mode 755 -> 700\n" in diff, diff
    page = world.good("stage", "review", stage).stdout
    assert "moved from old/run, mode 644 -&gt; 755" in page and "moved from old, mode 755" in page


def test_a_fold_counts_kinds_and_hides_no_change_of_what_was_there(world):
    for name in ("edited", "tool", "kept"):
        world.put(f"node_modules/{name}", "1\n")
    (world.project / "node_modules/link").symlink_to("kept")
    world.give(world.project)
    shown, stage = end_of(world, MANY + "cd node_modules; echo 2 >> edited; chmod 755 tool; ln -sfn tool link; ln -s x new/l")
    assert "  node_modules/ (+30 files, +1 link, 2 changed, 1 mode)\n" in shown, shown
    assert "    node_modules/edited (+1 line)\n" in shown
    assert '    node_modules/link (link to "tool")\n' in shown
    assert "    node_modules/tool (mode 644 -> 755)\n" in shown
  


def test_a_fold_of_many_edits_names_each(world):
    for number in range(30):
        world.put(f"src/{number}", "1\n")
    world.put("src/run", "1\n")
    world.put("src/plain", "1\n")
    shown, stage = end_of(world, "cd src; for i in $(seq 0 29); do echo 2 >> $i; done; chmod +x run;"
                                 " rm plain; ln -s /etc/passwd plain")
    assert "  src/ (31 changed, 1 mode)\n" in shown, shown
    assert "    src/run (mode 644 -> 755)\n" in shown and "    src/plain (file -> link)\n" in shown
    assert "    src/1 (+1 line)\n" in shown
    page = world.good("stage", "review", stage).stdout
    assert "<code>run</code> <span class=\"badge changed\">mode</span>" in page


def test_a_long_list_is_cut_after_what_the_project_has(world):
    world.put("zzz", "1\n")
    shown, stage = end_of(world, "for i in $(seq 1500); do echo $i > f$i; done; echo 2 >> zzz")
    lines = [line for line in shown.splitlines() if line.startswith("  ")]
    assert len(lines) == 101, len(lines)
    assert "  zzz (+1 line)" in lines
    assert lines[-1] == f"  1,401 more lines; to see them: ringfence stage diff --stat {stage}"
    assert len(world.good("stage", "diff", "--stat", stage).stdout.splitlines()) == 1501


def test_permissions_in_the_diff(world):
    world.put("secret", "1\n")
    world.put("run", "1\n")
    world.put("sub/f", "1\n")
    stage = world.stage("chmod 600 secret; chmod 700 run; chmod 700 sub; mkdir -m 755 empty; echo 1 > new; chmod 666 new")
    diff = world.good("stage", "diff", stage).stdout
    assert "diff --git a/secret b/secret\nold mode 100644\nnew mode 100600\n" in diff, diff
    assert "new file mode 100666\n" in diff
    assert "# sub: mode 755 -> 700\n" in diff
    assert "# empty: new directory, mode 755\n" in diff
    copy = world.base / "copy"
    subprocess.run(["cp", "-a", world.project, copy], check=True)
    subprocess.run(["git", "apply", "-"], cwd=copy, input=diff, text=True, check=True)
    assert (copy / "run").stat().st_mode & 0o100 and (copy / "new").exists()


@pytest.mark.parametrize("is_copy", (False, True))
def test_attributes_are_a_change(attributes, is_copy):
    world = attributes
    for name in ("only", "both", "moved", "sub/f", "gone"):
        world.put(name, f"{name}\n")
    for name in ("sub", "gone"):
        os.setxattr(world.project / name, b"user.old", b"0")
    if is_copy:
        world.forbid_overlay()
    before = tree_of(world.project)
    shown, stage = end_of(world, f"{SET} only user.note 1; echo 2 >> both; {SET} both user.note 1; mv moved there;"
                                 f" {SET} there user.note 1; {SET} sub user.old 1; {SET} sub user.new 2; rm gone;"
                                 f" echo 1 > new; {SET} new user.note 1; touch sub/f")
    for line in ("only (attributes changed (user.note))", "both (+1 line, attributes changed (user.note))",
                 "there (moved from moved, attributes changed (user.note))",
                 "sub/ (attributes changed (user.new, user.old))", "new (+1 line)"):
        assert f"  {line}\n" in shown, f"{line}: {shown}"
    assert world.changes(stage)["only"] == "attributes"
    diff = world.good("stage", "diff", stage).stdout
    assert '# only: attribute "user.note" changed\n' in diff and '# sub: attribute "user.new" changed\n' in diff
    assert '# new: attribute "user.note" set\n' in diff
    world.good("stage", "apply", stage)
    for name in ("only", "both", "there", "new"):
        assert os.getxattr(world.project / name, "user.note") == b"1", name
    assert os.getxattr(world.project / "sub", "user.old") == b"1"
    assert os.getxattr(world.project / "sub", "user.new") == b"2"
    assert not world.changes(stage)
    world.good("stage", "undo", stage)
    assert tree_of(world.project) == before
    assert os.listxattr(world.project / "only") == [] and os.listxattr(world.project / "sub") == ["user.old"]
    assert os.getxattr(world.project / "sub", "user.old") == b"0"
    assert os.getxattr(world.project / "gone", "user.old") == b"0"


def test_an_undo_leaves_attributes_that_were_changed_since(attributes):
    world = attributes
    world.put("sub/f", "1\n")
    stage = world.stage(f"{SET} sub user.x 1")
    world.good("stage", "apply", stage)
    os.setxattr(world.project / "sub", b"user.x", b"mine")
    done = world.call("stage", "undo", stage)
    assert done.returncode == 1 and "changed since: sub" in done.stderr, done
    assert os.getxattr(world.project / "sub", "user.x") == b"mine"


def test_a_merged_file_keeps_the_attributes_of_the_stage(attributes):
    world = attributes
    world.put("f", "1\n2\n3\n4\n5\n6\n7\n")
    stage = world.stage(f"sed -i 's/7/7 staged/' f; {SET} f user.note 1")
    world.put("f", "1 mine\n2\n3\n4\n5\n6\n7\n")
    world.good("stage", "apply", stage)
    assert (world.project / "f").read_text() == "1 mine\n2\n3\n4\n5\n6\n7 staged\n"
    assert os.getxattr(world.project / "f", "user.note") == b"1"


def test_attributes_of_more_than_a_page(attributes):
    world = attributes
    world.put("f", "1\n")
    stage = world.stage(f"for i in $(seq 20); do {SET} f user.$i $(head -c 100 /dev/zero | tr '\\0' x); done")
    assert world.changes(stage) == {"f": "attributes"}
    assert "and 17 more" in world.good("stage", "diff", "--stat", stage).stdout
    world.good("stage", "apply", stage)
    assert len(os.listxattr(world.project / "f")) == 20


def acl(*named):
    """The bytes of an access control list that gives users more: the owner's and others' entries, and theirs."""
    anyone = 0xffffffff
    entries = [(1, 7, anyone), *((2, 7, user) for user in named), (4, 5, anyone), (0x10, 7, anyone), (0x20, 5, anyone)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


@pytest.mark.parametrize("is_copy", (False, True))
def test_access_control_lists(attributes, is_copy):
    """A new file in the project gets no list from its directory that it does not have in the stage."""
    world = attributes
    world.put("d/f", "1\n")
    world.put("g", "1\n")
    user = world.as_user.get("user", 12345)
    try:
        os.setxattr(world.project / "d", "system.posix_acl_default", acl(user))
        os.setxattr(world.project / "d/f", "system.posix_acl_access", acl(user))
    except OSError as problem:
        pytest.skip(f"this file system has no access control lists: {problem}")
    if is_copy:
        world.forbid_overlay()
    shown, stage = end_of(world, "python3 -c 'import os\n"
                          "os.removexattr(\"d/f\", \"system.posix_acl_access\")\n"
                          "open(\"d/plain\", \"w\").close()\n"
                          "os.removexattr(\"d/plain\", \"system.posix_acl_access\")\n"
                          "open(\"d/new\", \"w\").close()\n"
                          f"os.setxattr(\"g\", \"system.posix_acl_access\", bytes.fromhex(\"{acl(user).hex()}\"))'")
    assert "attributes changed (system.posix_acl_access))\n" in shown, shown
    world.good("stage", "apply", stage)
    lists = {name: os.listxattr(world.project / name) for name in ("d/f", "d/plain", "d/new", "g", "d")}
    access = ["system.posix_acl_access"]
    assert lists == {"d/f": [], "d/plain": [], "d/new": access, "g": access, "d": ["system.posix_acl_default"]}
    assert not world.changes(stage)
    world.good("stage", "undo", stage)
    assert os.listxattr(world.project / "d/f") == access and os.listxattr(world.project / "g") == []


def test_a_large_text_is_compared(world):
    lines = [f"line {number} of a text that is larger than a mebibyte\n" for number in range(40000)]
    world.put("large", "".join(lines))
    shown, stage = end_of(world, "sed -i 's/^line 39000 /evil /' large")
    assert "  large (+1 line, -1 line)\n" in shown, shown
    assert "\n+evil of a text" in world.good("stage", "diff", stage).stdout


def test_a_text_that_is_too_large_to_be_compared_is_named_so(world):
    world.put("huge", "line\n" * (4 << 20))
    shown, stage = end_of(world, "echo evil >> huge")
    assert "  huge (too large to compare, " in shown, shown
    diff = world.good("stage", "diff", stage).stdout
    assert "# huge: larger than 16 MiB, so the text is not compared\n" in diff


def test_a_text_with_too_many_lines_is_not_compared(world):
    """Comparing millions of random lines takes minutes."""
    write = "import random; open('many', 'w').write(''.join(random.choices(['a\\n', 'b\\n'], k=%d)))"
    world.put("many", "a\n" * 500_001)
    shown, stage = end_of(world, f"python3 -c \"{write % 8_000_000}\"; yes | head -n 600000 > new")
    assert "  many (too many lines to compare, 1.0 MB -> 16 MB)\n" in shown, shown
    assert "  new (+600,000 lines)\n" in shown, shown
    diff = world.good("stage", "diff", stage).stdout
    for name in ("many", "new"):
        assert f"# {name}: more than 500,000 lines, so the text is not compared\ndiff --git a/{name}" in diff, diff[:500]
    assert len(diff) < 1000
    assert len(world.good("stage", "review", stage).stdout) < 100_000


def test_what_all_users_may_write_is_named(world):
    shown, _ = end_of(world, "umask 0; echo 1 > f; mkdir open; mkdir in; for i in $(seq 30); do echo 1 > in/$i; done;"
                             " chmod 755 in; chmod 644 in/*; chmod 666 in/7; ln -s f link")
    for line in ("  f (+1 line, mode 666, which lets all users write)",
                 "  open/ (directory, mode 777, which lets all users write)", "  in/ (+30 files)",
                 "    in/7 (+1 line, mode 666, which lets all users write)", '  link (link to "f")'):
        assert line + "\n" in shown, shown
    assert "in/8" not in shown


BLANKS = "\u00a0\u2003\u3000\u3164\u115f\u1160\uffa0\u2800\u202f"


@pytest.mark.parametrize("blank", BLANKS, ids=[f"{ord(blank):04x}" for blank in BLANKS])
def test_no_name_imitates_a_line_of_the_list(world, blank):
    name = f"Makefile{blank}(+1{blank}line)"
    quoted = '"' + name.replace(blank, f"\\u{ord(blank):04x}") + '"'
    world.put("target", "text\n")
    shown, stage = end_of(world, f"echo 1 > '{name}'; mv target '{blank}'")
    assert f"  {quoted} (+1 line)\n" in shown, shown
    assert f'  "\\u{ord(blank):04x}" (moved from target)\n' in shown
    for shown in (world.good("stage", "diff", stage, "--stat").stdout, world.good("stage", "diff", stage, "--name-only").stdout,
                  world.good("stage", "review", stage).stdout, world.good("stage", "list").stdout):
        assert blank not in shown, shown
    world.put(name, "mine\n")
    done = world.call("stage", "apply", stage)
    assert f"conflict: {quoted}: " in done.stderr, done


def test_the_text_of_a_diff_keeps_spaces_of_other_languages(world):
    stage = world.stage("printf '\\343\\200\\200text\\n' > f")
    assert "+\u3000text\n" in world.good("stage", "diff", stage).stdout
    assert "+\u3000text\n" in world.good("stage", "review", stage).stdout


def test_what_was_moved_has_one_line(world):
    world.put("old", "text\n")
    world.put("some dir/a", "a\n")
    world.put("gone", "1\n")
    stage = world.stage("mv old new; chmod 600 new; mv 'some dir' there; rm gone")
    lines = world.good("stage", "diff", stage, "--stat").stdout.splitlines()
    assert lines == ["  gone (deleted, -1 line)", "  old => new (moved, mode 644 -> 600)", '  "some dir" => there (moved)',
                     '  "some dir/a" => there/a (moved)'], lines
    assert world.good("stage", "diff", stage, "old", "--stat").stdout == "  old (deleted, -1 line)\n"
    assert world.good("stage", "diff", stage, "new", "--stat").stdout == "  old => new (moved, mode 644 -> 600)\n"
    names = world.good("stage", "diff", stage, "--name-only").stdout.splitlines()
    assert "old" in names and "new" in names, names


@pytest.mark.parametrize("mask,mode", [(0o22, 0o644), (0o77, 0o600), (0o02, 0o644)])
def test_a_new_page_follows_the_umask(world, mask, mode):
    stage = world.stage("echo 1 > f")
    page = world.home / "page.html"
    world.call("stage", "review", stage, "--output", page, umask=mask)
    assert page.stat().st_mode & 0o777 == mode
    page.chmod(0o640)
    world.call("stage", "review", stage, "--output", page, umask=mask)
    assert page.stat().st_mode & 0o777 == 0o640
