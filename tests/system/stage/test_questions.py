"""The questions at the end of a staged command, answered by keys on a terminal."""

import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

from stage_world import tree_of, wait_for
from terminal_session import TerminalSession

QUESTION = "Apply these changes? [a]pply [c]ancel [d]iff [f]ile by file "


@pytest.fixture(name="session")
def fixture_session(own_world):
    sessions = []

    def start(script, *options):
        command = [own_world.programs.ringfence, "stage", "run", *options, "--", "sh", "-c", script]
        sessions.append(TerminalSession(command, own_world))
        return sessions[-1]

    yield start
    for session in sessions:
        session.__exit__()


def test_apply(own_world, session):
    own_world.put("a.txt", "1\n")
    terminal = session("echo 2 >> a.txt; exit 3")
    terminal.wait(QUESTION)
    assert "a.txt (+1 line)" in terminal.seen
    terminal.say("a\n", "applied 1 change")
    assert terminal.status() == 3
    assert (own_world.project / "a.txt").read_text() == "1\n2\n"


def test_cancel_asks_before_it_discards(own_world, session):
    own_world.put("a.txt", "1\n")
    before = tree_of(own_world.project)
    terminal = session("echo 2 >> a.txt")
    terminal.wait(QUESTION)
    terminal.say("c\n", "Discard the changes? Otherwise they are kept. [y/N] ")
    terminal.say("n\n", "the changes are kept as stage")
    assert terminal.status() == 0 and len(own_world.stages()) == 1
    terminal = session("echo 2 >> a.txt")
    terminal.wait(QUESTION)
    terminal.say("cancel\n", "[y/N] ")
    terminal.say("y\n")
    assert terminal.status() == 0 and len(own_world.stages()) == 1
    assert tree_of(own_world.project) == before


@pytest.mark.parametrize("key", ["\x03", "\x04", "x\ny\nz\n"])
def test_anything_else_keeps_the_stage(own_world, session, key):
    own_world.put("a.txt", "1\n")
    before = tree_of(own_world.project)
    terminal = session("echo 2 >> a.txt")
    terminal.wait(QUESTION)
    terminal.say(key, "the changes are kept as stage")
    assert terminal.status() == 0
    assert tree_of(own_world.project) == before and len(own_world.stages()) == 1


def test_the_diff_can_be_seen_first(own_world, session):
    own_world.put("a.txt", "1\n")
    terminal = session("echo 2 >> a.txt")
    terminal.wait(QUESTION)
    terminal.say("d\n", "+2")
    terminal.wait(QUESTION)
    terminal.say("a\n", "applied 1 change")
    assert terminal.status() == 0


def test_the_diff_leaves_gits_own_files_out(own_world, session):
    own_world.put("a.txt", "1\n")
    git = "git -c user.name=n -c user.email=e"
    begun = own_world.start(["sh", "-c", f"git init -q . && {git} add . && {git} commit -qm one"])
    assert begun.returncode == 0, begun
    terminal = session(f"echo 2 >> a.txt; {git} commit -qam two")
    terminal.wait(QUESTION)
    terminal.say("d\n", "+2")
    terminal.wait(QUESTION)
    assert ".git/index" not in terminal.seen, terminal.seen
    terminal.say("a\n", "applied 2 changes")
    assert terminal.status() == 0


def test_file_by_file(own_world, session):
    for name in "abcd":
        own_world.put(name, "1\n")
    terminal = session("for f in a b c d; do echo $f >> $f; done")
    terminal.wait(QUESTION)
    terminal.say("f\n", "a (+1 line): apply? [y]es [n]o [d]iff [a]ll the rest [q]uit ")
    terminal.say("d\n", "+a")
    terminal.say("y\n", "b (+1 line): apply? ")
    terminal.say("n\n", "c (+1 line): apply? ")
    terminal.say("a\n", "applied 3 changes")
    assert terminal.status() == 0
    changed = [name for name in "abcd" if (own_world.project / name).read_text() != "1\n"]
    assert changed == ["a", "c", "d"]
    assert own_world.changes(own_world.stages()[0]["id"]) == {"b": "modified"}


def test_changes_that_are_all_refused_are_kept(own_world, session):
    own_world.put("a", "1\n")
    terminal = session("echo 2 >> a")
    terminal.wait(QUESTION)
    terminal.say("f\n", "apply? ")
    terminal.say("n\n", "the changes are kept as stage")
    assert terminal.status() == 0 and kept(own_world) in terminal.seen


def test_a_refused_directory_is_refused_with_its_contents(own_world, session):
    terminal = session("mkdir -p d/e; echo 1 > d/f; echo 2 > d/e/g; echo 3 > h")
    terminal.wait(QUESTION)
    terminal.say("f\n", "d/ (directory): apply? ")
    terminal.say("n\n", "h (+1 line): apply? ")
    terminal.say("y\n", "applied 1 change")
    assert terminal.status() == 0 and tree_of(own_world.project).keys() == {"h"}


def test_what_is_in_a_new_directory_can_be_refused(own_world, session):
    terminal = session("mkdir d; echo 1 > d/f; echo 2 > d/g")
    terminal.wait(QUESTION)
    terminal.say("f\n", "d/ (directory): apply? ")
    terminal.say("y\n", "d/f (+1 line): apply? ")
    terminal.say("n\n", "d/g (+1 line): apply? ")
    terminal.say("y\n", "applied 2 changes")
    assert terminal.status() == 0 and tree_of(own_world.project).keys() == {"d", "d/g"}


def test_a_move_is_one_question(own_world, session):
    own_world.put("old", "text\n")
    own_world.put("dir/f", "another text\n")
    terminal = session("mv old new; cp -r dir elsewhere; rm -r dir")
    terminal.wait(QUESTION)
    terminal.say("f\n", "elsewhere/ (moved from dir, with all that is in it): apply? ")
    terminal.say("n\n", "new (moved from old): apply? ")
    terminal.say("y\n", "applied 2 changes")
    assert terminal.status() == 0
    assert tree_of(own_world.project).keys() == {"new", "dir", "dir/f"}


def test_commits_are_one_question(own_world, session):
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")
    own_world.put("a", "1\n")
    for words in (("init", "-q", "-b", "main"), ("add", "a"), ("commit", "-qm", "1")):
        done = own_world.start([*git, *words])
        assert done.returncode == 0, done
    commit = "git -c user.name=a -c user.email=a@example.org commit -qam 2"
    terminal = session(f"echo 2 >> a; {commit}")
    terminal.wait(QUESTION)
    terminal.say("f\n", ".git/ (new commits on main, as branch stage/")
    terminal.wait("apply? ")
    terminal.say("n\n", "a (+1 line): apply? ")
    terminal.say("y\n", "applied 1 change")
    assert terminal.status() == 0 and "are the new branch" not in terminal.seen
    branches = own_world.start(["git", "branch"]).stdout
    assert branches == "* main\n"


def conflict(world, session):
    """A stage whose change of `a` does not fit to the user's."""
    world.put("a", "1\n2\n3\n")
    world.put("b", "1\n")
    stage = world.stage("printf '1\\n2 staged\\n3\\n' > a; echo 2 >> b")
    world.put("a", "1\n2 mine\n3\n")
    terminal = TerminalSession([world.programs.ringfence, "stage", "apply", stage], world)
    terminal.wait("a: changed in the stage and in the project. Which version? "
                  "[s]taged [m]ine [e]dit s[k]ip [d]iff [q]uit ")
    return terminal


@pytest.mark.parametrize("key,text", [("s", "1\n2 staged\n3\n"), ("m", "1\n2 mine\n3\n"),
                                      ("k", "1\n2 mine\n3\n")])
def test_a_conflict_is_resolved_by_a_key(own_world, session, key, text):
    terminal = conflict(own_world, session)
    terminal.say("d\n", "2 staged")
    terminal.wait("[q]uit ")
    terminal.say(key + "\n", "applied ")
    assert terminal.status() == 0
    assert (own_world.project / "a").read_text() == text
    assert (own_world.project / "b").read_text() == "1\n2\n"


def test_a_conflict_is_resolved_in_the_editor(own_world, session):
    editor = own_world.write("editor", "#!/bin/sh\n")
    editor.chmod(0o755)
    own_world.environment["EDITOR"] = str(editor)
    terminal = conflict(own_world, session)
    terminal.say("e\n", "the text still has conflict markers")
    terminal.wait("[q]uit ")
    editor.write_text("#!/bin/sh\ncp \"$1\" \"$(dirname \"$0\")/seen\"\n"
                      "printf '1\\n2 both\\n3\\n' > \"$1\"\n")
    terminal.say("e\n", "applied 2 changes")
    assert terminal.status() == 0
    assert (own_world.project / "a").read_text() == "1\n2 both\n3\n"
    seen = (own_world.base / "seen").read_text()
    assert seen == ("1\n<<<<<<< working tree\n2 mine\n||||||| base\n2\n=======\n2 staged\n"
                    ">>>>>>> stage\n3\n")


def test_quitting_leaves_everything_as_it_is(own_world, session):
    terminal = conflict(own_world, session)
    terminal.say("q\n", "the changes are kept as stage")
    assert terminal.status() == 1
    assert (own_world.project / "a").read_text() == "1\n2 mine\n3\n"
    assert (own_world.project / "b").read_text() == "1\n"


def kept(world):
    """Only its project's stage is left, and nothing was applied."""
    [stage] = world.stages()
    assert stage["state"] == "ended" and (world.project / "a").read_text() == "1\n"
    return f"the changes are kept as stage {stage['id']}; "


SIGNALS = [signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("keys", [(), (("c\n", "[y/N] "),), (("f\n", "a (+1 line): apply? "),)])
@pytest.mark.parametrize("buffer", ["disk", "memory"])
def test_a_signal_at_a_question_keeps_the_stage(own_world, session, number, keys, buffer):
    if buffer == "memory":
        own_world.keep_changes_in_memory()
    own_world.put("a", "1\n")
    terminal = session("echo 2 >> a; exit 3")
    terminal.wait(QUESTION)
    for key, question in keys:
        terminal.say(key, question)
    os.kill(terminal.pid, number)
    terminal.wait("ringfence stage discard")
    assert terminal.status() == 128 + number
    assert kept(own_world) in terminal.seen


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_at_the_question_about_a_conflict_keeps_the_stage(own_world, session, number):
    terminal = conflict(own_world, session)
    os.kill(terminal.pid, number)
    terminal.wait("the changes are kept as stage")
    assert terminal.status() == 128 + number
    assert (own_world.project / "a").read_text() == "1\n2 mine\n3\n"


def test_a_signal_while_the_diff_is_shown_keeps_the_stage(own_world, session):
    """The pager ends as usual, and the question that follows has no answer."""
    pager = own_world.write("pager", "#!/bin/sh\ncat\necho shown\nread line < /dev/tty\n")
    pager.chmod(0o755)
    own_world.environment["PAGER"] = str(pager)
    own_world.put("a", "1\n")
    terminal = session("echo 2 >> a")
    terminal.wait(QUESTION)
    terminal.say("d\n", "shown")
    os.kill(terminal.pid, signal.SIGTERM)
    terminal.say("\n", "the changes are kept as stage")
    assert terminal.status() == 128 + signal.SIGTERM
    assert kept(own_world) in terminal.seen


@pytest.mark.parametrize("buffer", ["disk", "memory"])
def test_the_pager_gets_no_other_files(own_world, session, buffer):
    """It gets only the text, and what the whole session has inherited."""
    if buffer == "memory":
        own_world.keep_changes_in_memory()
    pager = own_world.write("pager", "#!/bin/sh\nfor f in /proc/$$/fd/*; do echo \"<${f##*/} $(readlink $f)>\"; done\n")
    pager.chmod(0o755)
    own_world.environment["PAGER"] = str(pager)
    own_world.put("a", "1\n")
    terminal = session("echo 2 >> a")
    inherited = {os.readlink(path) for path in pathlib.Path("/proc/self/fd").iterdir() if path.is_symlink()}
    terminal.wait(QUESTION)
    terminal.say("d\n", QUESTION)
    seen = dict(re.findall("<(\\d+) (.*?)>", terminal.seen))
    more = {name for number, name in seen.items() if int(number) > 2} - inherited - {str(pager)}
    assert [name for name in more if not name.startswith("pipe:")] == [], seen  # the shell's own pipe
    terminal.say("c\n", "[y/N] ")
    terminal.say("y\n")
    assert terminal.status() == 0


def test_a_closed_terminal_keeps_the_stage(own_world, session):
    own_world.keep_changes_in_memory()
    own_world.put("a", "1\n")
    terminal = session("echo 2 >> a")
    terminal.wait(QUESTION)
    os.close(terminal.master)
    status = os.waitstatus_to_exitcode(os.waitpid(terminal.pid, 0)[1])
    terminal.master, terminal.ended = os.open("/dev/null", os.O_RDONLY), status
    assert status == 128 + signal.SIGHUP
    kept(own_world)
    own_world.good("stage", "apply")
    assert (own_world.project / "a").read_text() == "1\n2\n"


@pytest.fixture(name="screen")
def fixture_screen(own_world):
    """Runs a command in a terminal of tmux(1). Returns a function that reads its screen."""
    if not shutil.which("tmux"):
        pytest.skip("tmux is not installed")
    tmux = ["tmux", "-S", str(own_world.base / "tmux"), "-f", "/dev/null"]

    def start(*command):
        subprocess.run([*tmux, "new-session", "-d", "-x", "80", "-y", "24", "-c", own_world.project, *map(str, command)],
                       check=True, env=own_world.environment)
        return lambda: subprocess.run([*tmux, "capture-pane", "-p"], check=True, capture_output=True, text=True).stdout

    start.facts = lambda: subprocess.run(
        [*tmux, "display-message", "-p", "#{alternate_on} #{mouse_any_flag} #{mouse_sgr_flag} #{keypad_cursor_flag} #{keypad_flag}"],
        check=True, capture_output=True, text=True).stdout
    yield start
    subprocess.run([*tmux, "kill-server"], check=False)


@pytest.mark.parametrize("hides", [r"\033P", r"\033]0;", r"\033_", r"\033[", r"\033[8m", r"\033[1;1H\033[2J",
                                   r"\033[23;24r\033[24;1H", r"\033(0", r"\033[4h\033[1;1H", r"\033[?7l\033[1;79H"])
def test_what_the_command_prints_hides_no_change(own_world, screen, hides):
    """The command prints a list and a question of its own, and tries to hide the real ones."""
    own_world.put("a.txt", "1\n")
    script = (f"echo 2 >> a.txt; for i in 1 2 3 4; do echo 1 > new-$i; done; "
              f"printf '  other (+1 line)\\n{QUESTION}{hides}'")
    read = screen(own_world.programs.ringfence, "stage", "run", "--", "sh", "-c", script)
    shown = ["  a.txt (+1 line)", *(f"  new-{i} (+1 line)" for i in range(1, 5)), QUESTION.rstrip()]
    wait_for(lambda: "\n".join(shown) in read())


FULL_SCREEN = r"\033[?1049h\033[?1h\033=\033[?1000h\033[?1003h\033[?1006h\033[?2004h\033[2J\033[5;30Hfull"


def test_a_full_screen_program_that_is_killed_leaves_the_usual_screen(own_world, screen):
    script = f"echo 1 > f; printf 'before\\n{FULL_SCREEN}'; kill -9 $$"
    read = screen(own_world.programs.ringfence, "stage", "run", "--", "sh", "-c", script)
    wait_for(lambda: QUESTION.rstrip() in read())
    lines = [line for line in read().splitlines() if line.strip()]
    assert lines[0] == "before" and lines[-2:] == ["  f (+1 line)", QUESTION.rstrip()], lines
    assert "full" not in read() and 'ringfence: "sh" was ended by signal 9 (Killed)' in lines
    assert screen.facts() == "0 0 0 0 0\n"


def test_the_screen_of_a_program_that_ended_properly_stays(own_world, screen):
    """The cursor stays where it is, also if an earlier program has used the alternate screen."""
    script = f"echo 1 > f; printf 'before{FULL_SCREEN}\\033[?1049l\\nmore\\nlast'"
    read = screen(own_world.programs.ringfence, "stage", "run", "--", "sh", "-c", script)
    wait_for(lambda: QUESTION.rstrip() in read())
    lines = [line for line in read().splitlines() if line.strip()]
    assert lines == ["before", "more", "last", "  f (+1 line)", QUESTION.rstrip()], lines
