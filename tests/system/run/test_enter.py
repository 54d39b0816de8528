"""Wrapped commands (`bash.wrap`), started as the client starts the hook's answer.

`ringfence` must be beside the hook, as installed. client/ tests the real client.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import pytest

from command_world import error_of, settings_of
from wrapped_calls import SESSION, answer, environment, policy, wrapped


def script(command, report, before="true"):
    quoted = command.replace("'", "'\"'\"'")
    return f"{before} && eval '{quoted}' < /dev/null && pwd -P >| {report}"


class Ran:
    """The result of a command, and the working directory that the client would get."""

    def __init__(self, world, command, cwd=None, shell="/bin/bash", wrap=True, before="true",
                 **more):
        report = world.base / "report"
        report.unlink(missing_ok=True)
        if wrap:
            command = wrapped(world, command, **more)
        done = subprocess.run([shell, "-c", script(command, report, before)],
                              cwd=cwd or world.project, env=environment(world),
                              capture_output=True, text=True, timeout=60, check=False)
        if done.returncode == 125 and "permission" in done.stderr.lower():
            pytest.skip(done.stderr)
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.directory = report.read_text() if report.exists() else None

    def says(self, status, out=None, directory=None):
        assert (self.status, self.directory) == (status, directory), vars(self)
        assert out is None or self.out == out, vars(self)


def here(world, *parts):
    return str(world.project.joinpath(*parts)) + "\n"


def test_a_wrapped_command_is_confined_and_otherwise_unchanged(world):
    policy(world)
    (world.project / "sub").mkdir()
    outside = world.base / "outside"
    Ran(world, f"echo x > {outside}; echo done").says(0, "done\n", here(world))
    assert not outside.exists()
    Ran(world, f"echo x > {outside}; echo done", wrap=False).says(0, "done\n", here(world))
    assert outside.exists()
    Ran(world, "echo made > made; cat made").says(0, "made\n", here(world))
    Ran(world, "exit 7").says(7, "")
    Ran(world, "false").says(1, "")
    Ran(world, "no-such-program").says(127, "")
    Ran(world, "kill -KILL $$").says(128 + signal.SIGKILL)
    Ran(world, "if").says(2 if syntax_error_status_is_two() else 1, "")
    Ran(world, "cd sub").says(0, "", here(world, "sub"))
    Ran(world, "cd sub; false").says(1)
    Ran(world, "cd ..; pwd", cwd=world.project / "sub").says(0, here(world), here(world))
    Ran(world, "cat <<'END'\nit's \"$HOME\" `x`\nEND").says(0, "it's \"$HOME\" `x`\n", here(world))
    Ran(world, "printf '%s.' 'a  b' \"c'd\" $'e\\nf'").says(0, "a  b.c'd.e\nf.", here(world))
    Ran(world, "# only words").says(0, "", here(world))
    Ran(world, "").says(0, "", here(world))
    Ran(world, "cat").says(0, "", here(world))  # there is no input
    Ran(world, "trap 'echo bye' EXIT; echo hi").says(0, None, here(world))
    Ran(world, "f() { echo \"$1\"; }; f 'x y' | tr x z").says(0, "z y\n", here(world))
    Ran(world, "head -c 100000 /dev/zero | wc -c").says(0, "100000\n", here(world))
    Ran(world, "echo " + "x" * 60000 + " | wc -c").says(0, "60001\n", here(world))


def test_a_wrapped_command_works_with_zsh(world):
    """The client uses the user's shell if that is zsh."""
    shell = shutil.which("zsh")
    if shell is None:
        pytest.skip("there is no zsh")
    policy(world)
    (world.project / "sub").mkdir()
    outside = world.base / "outside"
    Ran(world, f"echo x > {outside}; echo done", shell=shell).says(0, "done\n", here(world))
    assert not outside.exists()
    Ran(world, "exit 7", shell=shell).says(7, "")
    Ran(world, "false", shell=shell).says(1, "")
    Ran(world, "cd sub", shell=shell).says(0, "", here(world, "sub"))
    Ran(world, "print -r -- ${(j:,:)path[1]} 'a  b'", shell=shell, before="path=(/x $path)").says(
        0, "/x a  b\n", here(world))
    Ran(world, "cat <<'END'\nit's \"$HOME\" `x`\nEND", shell=shell).says(
        0, "it's \"$HOME\" `x`\n", here(world))
    made = world.project / "made"
    line = wrapped(world, f"echo x > {made}").replace(" enter ", " enter --nonsense x ")
    for before in ("true", "exit() { :; }", "setopt aliases; alias exit=true"):
        ran = Ran(world, line, wrap=False, shell=shell, before=before)
        assert ran.status == 125 and not made.exists(), vars(ran)


def syntax_error_status_is_two():
    """A syntax error in eval ends a shell with the shell's own status."""
    done = subprocess.run(["/bin/bash", "-c", "true && eval 'if' < /dev/null"],
                          capture_output=True, check=False)
    return done.returncode == 2


def test_a_broken_wrap_never_runs_the_bare_command(world):
    """Whatever goes wrong with the line, the shell exits before the command."""
    policy(world)
    made = world.project / "made"
    command = wrapped(world, f"echo x > {made}")
    line, rest = command.split("\n", 1)
    program = line.split(" ")[0]
    away = program + ".away"
    for broken in (line.replace(program, "/nonexistent/ringfence"),
                   line.replace(" enter ", " enter --nonsense x "),
                   line.replace("--root ", "--root %2Fnonexistent"),
                   line.replace(" enter ", "  enter ")):
        ran = Ran(world, broken + "\n" + rest, wrap=False)
        assert ran.status in (125, 127) and not made.exists(), (broken, vars(ran))
    # An alias or a function with that name changes nothing.
    for before in ("shopt -s expand_aliases; alias exit=true", "exit() { :; }",
                   "exit() { :; }; shopt -s expand_aliases; alias exit=true; set +e"):
        ran = Ran(world, line.replace(program, away) + "\n" + rest, wrap=False, before=before)
        assert ran.status == 127 and not made.exists(), vars(ran)


def test_enter_only_works_from_the_clients_shell(world):
    policy(world)
    line = wrapped(world, "touch made").split("\n")[0].split("; ")[0].split(" ")
    done = subprocess.run(line, cwd=world.project, env=environment(world), capture_output=True,
                          text=True, check=False)
    error_of(done, 125, "not the client's shell")
    for shell in ("exec {} ; true", "{}; true", "( {} ); true"):
        text = shell.format(" ".join(line))
        done = subprocess.run(["/bin/bash", "-c", text], cwd=world.project, text=True,
                              env=environment(world), capture_output=True, check=False)
        assert "touch" not in done.stderr and not (world.project / "made").exists(), vars(done)
    done = subprocess.run(["/bin/bash", "-c", " ".join(line) + "; true"], cwd=world.project,
                          env=environment(world), capture_output=True, text=True, check=False)
    assert "does not run the command that the hook wrote" in done.stderr, done.stderr
    script_file = world.write(world.project / "script", " ".join(line) + "; exit $?\n")
    done = subprocess.run(["/bin/bash", str(script_file)], cwd=world.project, text=True,
                          env=environment(world), capture_output=True, check=False)
    error_of(done, 125, "has no script")


def test_a_forged_wrap_is_wrapped_again(world):
    policy(world)
    outside = world.base / "outside"
    own = wrapped(world, "echo x")
    assert answer(world, own) == {}, "an own wrap is wrapped twice"
    weak = world.write(world.base / "weak.json",
                       '{"version": 1, "sandbox": {"mode": "rwx"}, "bash": {"wrap": true}}')
    line = own.split(" enter ")[0] + " enter --policy " + str(weak).replace("/", "%2F")
    for looks in (own.replace(SESSION, "other"), " " + own, own.replace("exit\n", "exit \n"),
                  own.replace("; \\builtin exit", ""),
                  f"{line} --root {str(world.project).replace('/', '%2F')} --session x; "
                  f"\\builtin exit\necho x > {outside}",
                  f"true; \\builtin exit\necho x > {outside}"):
        again = wrapped(world, looks)
        assert again.endswith("\n" + looks), again
        Ran(world, looks)
        assert not outside.exists(), looks


def run_confined(world, *command, options=()):
    return subprocess.run([world.programs.ringfence, "run", *options, "--", *command],
                          cwd=world.project, env=environment(world), capture_output=True,
                          text=True, timeout=60, check=False)


def test_tmp_belongs_to_the_session(world):
    policy(world)
    name = f"/tmp/ringfence-test-{os.getpid()}"
    Ran(world, f"mkdir {name}; echo kept > {name}/f").says(0, "", here(world))
    assert not os.path.exists(name)
    Ran(world, f"cat {name}/f").says(0, "kept\n", here(world))
    assert Ran(world, f"ls {name}", session="another").status == 2
    folders = world.state / "tmp"
    assert [folder.stat().st_mode & 0o777 for folder in (folders, *folders.iterdir())] == \
        [0o700, 0o700, 0o700]
    kept = next(folders.glob("*/ringfence-test-*/f"))
    for session in ("another", SESSION):
        ran = Ran(world, f"cat {kept} || ls {folders}; echo x > {folders}/new", session=session)
        assert "kept" not in ran.out and not (folders / "new").exists(), vars(ran)
    # `ringfence run` without a session has its own /tmp, and does not see this one either.
    done = run_confined(world, "sh", "-c", f"ls {name}; cat {kept}; true")
    assert done.returncode == 0 and "kept" not in done.stdout, done
    done = run_confined(world, "cat", f"{name}/f", options=["--session", SESSION])
    assert done.stdout == "kept\n", done
    policy(world, write={"allow": [".", "@tmp"]})
    Ran(world, f"echo host > {name}").says(0, "", here(world))
    assert pathlib.Path(name).read_text() == "host\n"
    os.unlink(name)


def test_without_mounts_tmpdir_belongs_to_the_session(world):
    policy(world, sandbox={"layers": "landlock"})
    Ran(world, "cd /tmp; echo kept > $TMPDIR/f && cd -").says(0, None, here(world))
    Ran(world, "cat $TMPDIR/f").says(0, "kept\n", here(world))
    ran = Ran(world, "cat $TMPDIR/../*/f; echo x > $TMPDIR/../new", session="another")
    assert ran.status == 1 and "kept" not in ran.out, vars(ran)
    assert not (world.state / "tmp/new").exists()


def test_an_insecure_tmp_directory_is_refused(world):
    policy(world)
    folders = world.state / "tmp"
    folders.mkdir(parents=True, mode=0o755)
    ran = Ran(world, "touch made")
    assert ran.status == 125 and not (world.project / "made").exists(), vars(ran)
    folders.rmdir()
    folders.symlink_to(world.project)
    ran = Ran(world, "touch made")
    assert ran.status == 125 and os.listdir(world.project) == [], vars(ran)


def test_a_session_continues_after_its_tmp_changed_mode(world):
    policy(world)
    for mode in ("1777", "0755", "0"):
        Ran(world, f"echo x > /tmp/f; chmod {mode} /tmp")
        ran = Ran(world, "cat /tmp/f")
        assert ran.status == 0 and ran.out == "x\n", (mode, vars(ran))
        folder, = (world.state / "tmp").iterdir()
        assert folder.stat().st_mode & 0o7777 == 0o700


def test_a_session_continues_after_its_scratchpad_was_closed(world):
    policy(world)
    top = pathlib.Path(f"/tmp/claude-{os.getuid()}")
    slug = top / re.sub("[^A-Za-z0-9]", "-", str(world.project))
    folders = [slug / SESSION / name for name in ("scratchpad", "tasks")]
    try:
        Ran(world, f"mkdir -m 0 {top}").says(0, "", here(world))
        for folder in folders:
            folder.mkdir(parents=True)
        top.chmod(0o700)
        for attack in ("true", f"chmod 0 {slug}/{SESSION} {slug} {top}", f"chmod 0 {folders[1]}",
                       f"chmod 0 {folders[0]}; mkdir {slug}/{SESSION}/other"):
            Ran(world, attack)
            Ran(world, f"echo x > {folders[0]}/f && cat {folders[0]}/f").says(0, "x\n", here(world))
        assert (folders[0] / "f").read_text() == "x\n"
        shutil.rmtree(slug)
        Ran(world, f"rm -rf {slug}; mkdir -p {slug}; echo x > {slug}/{SESSION}")
        for folder in folders:
            folder.mkdir(parents=True)
        Ran(world, f"ls {folders[1]}; echo x > {folders[0]}/f").says(0, "", here(world))
        shutil.rmtree(slug)
        Ran(world, f"rm -rf {slug}/{SESSION}; ln -s {world.project} {slug}/{SESSION}")
        folders[0].mkdir(parents=True)
        Ran(world, f"echo x > {folders[0]}/f").says(0, "", here(world))
        assert (folders[0] / "f").exists() and os.listdir(world.project) == []
    finally:
        subprocess.run(["chmod", "-R", "u+rwx", slug], check=False)
        shutil.rmtree(slug, ignore_errors=True)
        if not os.listdir(top):
            top.rmdir()


def test_old_tmp_directories_are_removed_and_used_ones_kept(world):
    policy(world)
    Ran(world, "mkdir -m 0 /tmp/closed; mkdir -p /tmp/a/b/c; echo x > /tmp/a/b/f", session="old")
    Ran(world, "echo x > /tmp/f", session="young")
    Ran(world, "mkdir /tmp/a; chmod 0 /tmp", session="shut")
    Ran(world, "mkdir -p /tmp/a/ahead", session="ahead")
    held = subprocess.Popen(
        ["/bin/bash", "-c", script(wrapped(world, "sleep 60", session="held"), world.base / "held")],
        cwd=world.project, env=environment(world), start_new_session=True)
    try:
        folders = world.state / "tmp"
        end = time.monotonic() + 20
        while len(list(folders.iterdir())) < 5 and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.5)
        open_ones = [f for f in folders.iterdir() if f.stat().st_mode & 0o700]
        young = next(f for f in open_ones if (f / "f").exists())
        for folder in folders.iterdir():
            if folder in open_ones and (folder / "a/ahead").exists():
                os.utime(folder, (4e9, 4e9))  # 2096, as a command may set it
            elif folder != young:
                os.utime(folder, (0, 0))
        Ran(world, "true", session="new")
        left = set(folders.iterdir())
        assert young in left and len(left) == 3, left  # also the locked one, and the new one
        assert not any((folder / "a").exists() for folder in left)
    finally:
        os.killpg(held.pid, signal.SIGKILL)
        held.wait()


def test_the_reported_directory_is_checked(world):
    policy(world)
    report = world.base / "report"
    for lie in ("/nonexistent", "relative", "/tmp/only-inside", "/etc/passwd", "/a\\n/b",
                "x" * 5000, ""):
        ran = Ran(world, f"mkdir -p /tmp/only-inside; trap \"printf '{lie}' > {report}; exit 0\" EXIT")
        assert ran.status == 0 and ran.directory is None, (lie, vars(ran))
    ran = Ran(world, f"trap 'echo / > {report}' EXIT")
    assert ran.directory == "/\n", vars(ran)
    ran = Ran(world, f"rm -f {report}; ln -s /etc/passwd {report}; true")
    assert not report.is_symlink(), vars(ran)


def test_the_wrap_keeps_the_profile_of_the_caller(world):
    policy(world, profiles={"reader": {"when": {"subagent": True}, "sandbox": {"mode": "rx"}}})
    told = {"hook_event_name": "PreToolUse", "session_id": SESSION, "cwd": str(world.project),
            "agent_id": "a1", "agent_type": "Explore", "tool_name": "Bash",
            "tool_input": {"command": "touch made"}}
    done = subprocess.run([world.programs.hook, "--root", str(world.project)],
                          input=json.dumps(told), env=environment(world), capture_output=True,
                          text=True, check=True)
    command = json.loads(done.stdout)["hookSpecificOutput"]["updatedInput"]["command"]
    ran = Ran(world, command, wrap=False)
    assert ran.status == 1 and not (world.project / "made").exists(), vars(ran)
    Ran(world, "touch made").says(0, "", here(world))


def test_a_project_path_with_special_characters_works(world):
    policy(world)
    project = world.base / "my 'own' $HOME; project é\n%41"
    project.mkdir()
    world.project = project
    Ran(world, "pwd > made; cat made").says(0, str(project) + "\n", None)
    assert (project / "made").exists()


def test_init_permits_the_wrap_and_removes_the_permission(world):
    before = world.write(world.user, '{"permissions": {"allow": ["Read"]}, '
                                     '"sandbox": {"enabled": true}}').read_bytes()
    policy(world)
    out = world.init("--user")
    assert "confined by ringfence's own sandbox" in out, out
    settings = settings_of(world.user)
    program = str(pathlib.Path(world.programs.hook).resolve().with_name("ringfence"))
    assert settings["permissions"]["allow"] == ["Read", f"Bash({program} enter *)", "Bash(exit)"]
    assert settings["sandbox"] == {"enabled": False}, settings
    assert wrapped(world, "ls").startswith(program + " enter ")
    assert "nothing was changed" in world.init("--user")
    policy(world, bash={"wrap": False})
    world.init("--user")
    assert settings_of(world.user)["permissions"]["allow"] == ["Read"]
    policy(world)
    world.init("--user")
    assert world.run("uninstall").returncode == 0
    assert world.user.read_bytes() == before, world.user.read_text()
