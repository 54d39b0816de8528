"""Real programs in a stage, and the real tree once it is applied."""

import shutil
import subprocess

import pytest

from stage_world import tree_of

CMAKE = """cmake_minimum_required(VERSION 3.16)
project(sample C)
add_library(part STATIC part.c)
add_executable(sample main.c)
target_link_libraries(sample part)
"""


def need(*programs):
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")


def good(world, *command):
    done = world.start(command, env={"HOME": str(world.home)})
    assert done.returncode == 0, done
    return done.stdout


def test_a_cmake_build(world):
    need("cmake", "make", "cc")
    world.put("CMakeLists.txt", CMAKE)
    world.put("part.c", "int part(void) { return 41; }\n")
    world.put("main.c", "#include <stdio.h>\nint part(void);\n"
                        "int main(void) { printf(\"%d\\n\", part()); return 0; }\n")
    before = tree_of(world.project)
    stage = world.stage("cmake -S . -B build -G 'Unix Makefiles' && cmake --build build && ./build/sample")
    assert tree_of(world.project) == before
    world.good("stage", "apply", stage)
    assert good(world, "build/sample") == "41\n"
    # Nothing is compiled again: the times are those of the stage.
    assert "Building" not in good(world, "cmake", "--build", "build")
    world.put("part.c", "int part(void) { return 42; }\n")
    said = good(world, "cmake", "--build", "build")
    assert "part.c" in said and "main.c" not in said
    assert good(world, "build/sample") == "42\n"


def test_commits_checkouts_and_a_rebase(world):
    need("git")
    world.put("a", "".join(f"{number}\n" for number in range(30)))
    subject = ["-c", "user.name=n", "-c", "user.email=e", "-c", "core.editor=true"]
    good(world, "git", "init", "-q", "-b", "main")
    good(world, "git", "add", "-A")
    good(world, "git", *subject, "commit", "-qm", "one")
    good(world, "git", "gc", "-q")  # packs the reference of the branch
    git = "git " + " ".join(subject)
    stage = world.stage(f"""
{git} checkout -q -b topic
sed -i s/^5$/five/ a; echo new > b; {git} add -A; {git} commit -qm topic
{git} checkout -q main
sed -i s/^25$/twenty-five/ a; {git} commit -qam main
{git} checkout -q topic; {git} rebase -q main
{git} tag -a -m tag v1; git gc -q
""")
    head = good(world, "git", "rev-parse", "main")
    world.good("stage", "apply", stage)
    assert good(world, "git", "rev-parse", "main") == head
    assert good(world, "git", "log", "--format=%s", "topic").split() == ["topic", "main", "one"]
    assert good(world, "git", "show", "topic:a") == (world.project / "a").read_text()
    assert (world.project / "b").read_text() == "new\n"
    good(world, "git", "fsck", "--strict")
    assert good(world, "git", "log", "--format=%s", f"stage/{stage}").split() == ["main", "one"]
    good(world, "git", "reset", "-q", "topic")
    assert good(world, "git", "status", "--porcelain") == ""


def test_a_tag_a_stash_and_commits_in_a_submodule_are_named(world):
    """They stay in the stage, and the user could miss them."""
    need("git")
    git = ["git", "-c", "user.name=n", "-c", "user.email=e", "-c", "protocol.file.allow=always"]
    world.put("a", "1\n")
    for words in (["init", "-q", "-b", "main"], ["add", "a"], ["commit", "-qm", "one"],
                  ["submodule", "--quiet", "add", "./", "lib"], ["commit", "-qm", "two"]):
        good(world, *git, *words)
    call = " ".join(git)
    done = world.good("stage", "run", "--apply", "--", "sh", "-ec", f"""
{call} tag v1
(cd lib; echo 2 >> a; {call} commit -qam three)
echo 2 >> a; {call} stash -q
""")
    lost = ("refs/tags/v1: tags, notes and stashes are not applied",
            "refs/stash: tags, notes and stashes are not applied",
            "modules/lib/refs/heads/main: commits in a submodule are not applied")
    for line in lost:
        assert f"ringfence: not applied: .git/{line}\n" in done.stderr, done
    assert (world.project / "lib/a").read_text() == "1\n2\n"


def test_files_of_an_archive(world):
    """tar sets modes, times and links as root would."""
    world.put("x", "1\n")
    stage = world.stage("mkdir in; echo 1 > in/f; chmod 640 in/f; ln -s f in/l;"
                        " touch -d 2001-02-03 in/f; tar cf t.tar in; mkdir out; tar xpf t.tar -C out")
    world.good("stage", "apply", stage)
    listed = subprocess.run(["tar", "df", "t.tar", "-C", "out"], cwd=world.project, capture_output=True,
                            text=True, check=False)
    assert listed.returncode == 0 and not listed.stdout, listed
