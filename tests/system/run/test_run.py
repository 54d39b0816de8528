"""Runs commands under the built `ringfence run`: its reports to the program that started it, the
end of all processes inside, and the effect of --write.
"""

import json
import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import tempfile
import time

import pytest

from command_world import error_of

LAYERS = ("full", "landlock")
SECONDS = 60


class Run:
    """A command whose report is read; with `hang_up` the socket is closed instead."""

    def __init__(self, world, options, command, cwd=None):
        self.near, far = socket.socketpair()
        arguments = [world.programs.ringfence, "run", "--home", str(world.home), "--report",
                     str(far.fileno()), *map(str, options), "--", *command]
        self.process = subprocess.Popen(arguments, cwd=cwd or world.project, pass_fds=[far.fileno()],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={"PATH": "/usr/bin:/bin"})
        far.close()

    def hang_up(self):
        self.near.close()
        return self.process.wait(SECONDS)

    def finish(self):
        with self.near.makefile() as lines:
            events = [json.loads(line) for line in lines]
        self.out, self.err = self.process.communicate(timeout=SECONDS)
        return events


def event_of(events, name):
    found = [event for event in events if event["event"] == name]
    assert len(found) == 1, f"{name}: {events}"
    return found[0]


def wait_for(what, condition):
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, f"no {what}"
        time.sleep(0.01)


def processes_with(text):
    """The processes that have `text` in their command line."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and text in (folder / "cmdline").read_text(errors="replace"):
                found.append(folder.name)
        except OSError:
            continue
    return found


def test_a_report_has_start_refusal_and_end(world):
    run = Run(world, [], ["sh", "-c", "echo out; touch /etc/ringfence-test; exit 3"])
    events = run.finish()
    assert [event["event"] for event in events] == ["started", "refused", "ended"], events
    assert event_of(events, "started")["mode"] == "sandbox"
    assert event_of(events, "started")["layers"] == "full"
    refused = event_of(events, "refused")
    assert refused["path"] == "/etc/ringfence-test" and refused["code"] == "EROFS", refused
    assert "outside the project" in refused["why"], refused
    assert event_of(events, "ended") == {"event": "ended", "status": 3, "refusals": 1,
                                         "not_run": ""}
    assert run.process.returncode == 3 and run.out == "out\n"
    assert "ringfence:" not in run.err, run.err


def test_a_refused_name_is_reported_with_each_set_of_layers(world):
    for layers in LAYERS:
        run = Run(world, ["--layers", layers], ["sh", "-c", "echo x > .envrc"])
        refused = event_of(run.finish(), "refused")
        assert refused["path"] == str(world.project / ".envrc"), refused
        done = world.run("run", "--layers", layers, "--", "sh", "-c", "echo x > .envrc")
        told = [line for line in done.stderr.splitlines() if line.startswith("ringfence: write")]
        assert len(told) == 1 and '.envrc" refused: the policy asks about "@runs-later"' in told[0], \
            done.stderr


def test_a_refusal_by_the_mode_is_reported_and_logged(world):
    done = world.run("run", "--mode", "rx", "--", "sh", "-c", "echo x > made",
                     env={"HOME": str(world.home)})
    assert done.returncode != 0 and "in mode rx the project is read-only" in done.stderr, done
    log = (world.state / "audit.jsonl").read_text().splitlines()
    start, denial = [json.loads(line) for line in log]
    began = f'start of "sh" in "{world.project}", mode rx'
    assert start["event"] == "SandboxStart" and began in start["why"], start
    assert denial["event"] == "SandboxDenial" and "mode rx" in denial["why"], denial


def test_a_refusal_in_the_private_tmp_names_its_rule(world):
    for options in (["--session", "s"], ["--layers", "landlock"]):
        done = world.run("run", *options, "--", "sh", "-c", "mkdir -p ${TMPDIR:-/tmp}/r/.git/hooks",
                         env={"HOME": str(world.home)})
        assert '"@runs-later"' in done.stderr and "outside the project" not in done.stderr, done


def run_script(world, script, *options):
    return world.run("run", *options, "--", "sh", "-c", script, env={"HOME": str(world.home)})


def refusal_lines(done):
    """The lines about refused writes."""
    return [line for line in done.stderr.splitlines() if line.startswith("ringfence: write to")]


def follow_hint(world, done):
    (line,) = refusal_lines(done)
    assert line.count("`") == 2 and "--session" not in line and "--ask" not in line, line
    words = shlex.split(line.split("`")[1])
    assert words[:2] == ["ringfence", "allow"], words
    allowed = world.run(*words[1:], env={"HOME": str(world.home)})
    assert allowed.returncode == 0, allowed


def test_a_missing_outside_path_does_not_suggest_allow(world):
    """The next run would make it a directory."""
    write = 'echo y > "$HOME/out.txt"'
    for layers in LAYERS:
        (line,) = refusal_lines(run_script(world, write, "--layers", layers))
        assert "ringfence allow" not in line and "the user must create it first" in line, line
        (line,) = refusal_lines(run_script(world, 'echo > "$HOME/.gitconfig.lock"', "--layers", layers))
        assert "ringfence allow" not in line and "create" not in line, line
        assert "The user must do it, outside the sandbox." in line, line
    # The user creates the file, and the next refusal names the command that allows it.
    out = world.write(world.home / "out.txt", "old\n")
    follow_hint(world, run_script(world, write))
    assert run_script(world, write).returncode == 0 and out.read_text() == "y\n"


def test_the_hint_for_a_shared_temporary_file_is_permanent(world):
    with tempfile.NamedTemporaryFile(dir="/var/tmp", mode="r+") as file:
        for options in ([], ["--session", "s1"]):
            write = f"echo y > {file.name}"
            follow_hint(world, run_script(world, write, *options))
            assert run_script(world, write, *options).returncode == 0 and file.read() == "y\n"
            file.seek(0)
            file.truncate()
            world.policy.unlink()


def test_a_session_grant_applies_to_runs_of_that_session(world):
    data = world.base / "data"
    data.mkdir()
    world.write(world.state / "sessions/s1.json",
                json.dumps({"version": 1, "write": {"allow": [str(data)]}}))
    for options, status in ((("--session", "s1"), 0), (("--session", "s2"), 1), ((), 1)):
        done = run_script(world, f"rm -f {data}/x && echo > {data}/x || exit 1", *options)
        assert done.returncode == status, (options, done)
        (data / "x").unlink(missing_ok=True)
    done = world.run("run", "--session", "../s1", "--", "true")
    assert done.returncode == 2 and '"../s1" is not a session id' in done.stderr, done


def test_a_refused_ask_path_says_that_the_sandbox_cannot_ask(world):
    bashrc = world.write(world.home / ".bashrc", "old\n")
    write = 'echo x >> "$HOME/.bashrc"'
    (line,) = refusal_lines(run_script(world, write))
    assert "ringfence allow" not in line and "The user must do it" in line, line
    allowed = world.run("allow", "--ask", bashrc)
    assert allowed.returncode == 0 and "the sandbox cannot ask" in allowed.stdout, allowed
    for layers in LAYERS:
        (line,) = refusal_lines(run_script(world, write, "--layers", layers))
        assert "and the sandbox cannot ask. The user must do it, outside the sandbox" in line, line
    assert bashrc.read_text() == "old\n"


def test_refusals_beyond_the_limit_are_counted(world):
    done = world.run("run", "--", "sh", "-c", "for i in $(seq 15); do mkdir $i; echo > $i/.envrc; done;"
                                              " false")
    assert done.stderr.count("ringfence: write to") == 10, done
    assert "these are 10 of 15 calls" in done.stderr, done


def test_option_paths_are_relative_to_the_working_directory(world):
    (world.project / "sub").mkdir()
    (world.base / "also").mkdir()
    command = ["sh", "-c", "pwd; echo x > ../made; echo x > ../../also/made"]
    done = world.run("run", "--root", ".", "--chdir", "sub", "--write", "../also", "--", *command)
    assert done.returncode == 0 and done.stdout == f"{world.project}/sub\n", done
    assert (world.base / "also/made").exists() and (world.project / "made").exists()


def test_root_is_warned_about_another_users_directories(world):
    if os.geteuid() != 0:
        pytest.skip("needs root")
    def touch(name):
        return world.run("run", "--home", world.home, "--", "sh", "-c", f"touch {name}")

    done = touch("made")
    assert done.returncode == 0 and "another user" not in done.stderr, done
    os.chown(world.project, 65534, 65534)
    done = touch("more")
    assert done.returncode == 1 and "the project belongs to another user" in done.stderr, done
    os.chown(world.home, 65534, 65534)
    done = touch("more")
    assert "HOME belongs to another user" in done.stderr, done


def test_dry_run_escapes_control_characters(world):
    name = "a\x9b31m\x7f\u202eb"
    (world.project / name).mkdir()
    done = world.run("run", "--dry-run", "--json", "--write", name, "--", "true")
    assert done.returncode == 0 and not set("\x9b\x7f\u202e") & set(done.stdout), done
    places = [place["path"] for place in json.loads(done.stdout)["writable"]]
    assert str(world.project / name) in places or str(world.project) in places, places
    done = world.run("run", "--dry-run", "--write", name, "--", "true")
    assert not set("\x9b\x7f\u202e") & set(done.stdout), done


def test_contradictory_options_are_an_error(world):
    error_of(world.run("run", "--mode", "rx", "--no-sandbox", "--", "true"), 2, "--no-sandbox")
    error_of(world.run("run", "--dry-run", "--json", "--for", "macos", "--", "true"), 2, "--json")
    error_of(world.run("run", "--json", "--", "touch", "made"), 2, "--json: needs --dry-run")
    assert not (world.project / "made").exists()


def test_the_plan_lists_the_only_writable_names(world):
    world.write(world.policy, json.dumps({"version": 1, "write": {"allow": ["src"]}}))
    plan = json.loads(run_script(world, ":", "--dry-run", "--json").stdout)
    (place,) = [place for place in plan["writable"] if place["path"] == str(world.project)]
    assert place["only_names"] is True and [f"{world.project}/src"] == plan["only_names"][0], plan
    text = run_script(world, ":", "--dry-run").stdout
    (line,) = [line for line in text.splitlines() if line.startswith("  write ")
               and f'"{world.project}"' in line]
    assert "only the names" in line and f'  only    one of: "{world.project}/src"' in text, text
    done = run_script(world, "mkdir src && echo > src/a && echo > other")
    assert done.returncode and [path.name for path in world.project.iterdir()] == ["src"], done


def test_an_allowed_directory_that_cannot_be_created_is_skipped(world):
    policy = world.base / "policy.json"
    policy.write_text(json.dumps({"version": 1, "write": {"allow": [".", "/proc/x/y"]}}))
    assert world.run("run", "--policy", policy, "--", "true").returncode == 0
    policy.write_text(json.dumps({"version": 1, "write": {"allow": [".", "/sys/kernel/none"]}}))
    done = world.run("run", "--policy", policy, "--", "sh", "-c",
                     "echo > here; mkdir /sys/kernel/none 2> /dev/null")
    assert done.returncode == 1 and (world.project / "here").exists(), done


def test_rules_ignore_letter_case(world):
    (world.project / "docs/adr").mkdir(parents=True)
    (world.project / "docs/adr/one").write_text("one\n")
    (world.project / "docs/secret").write_text("secret\n")
    policy = world.base / "policy.json"
    for rule, secret in (("docs/adr", "docs/secret"), ("Docs/ADR", "DOCS/Secret"),
                         ("docs/ADR", "Docs/S*T")):
        policy.write_text(json.dumps({"version": 1, "read": {"deny": [secret]},
                                      "write": {"allow": ["."], "deny": [rule]}}))
        script = "mv docs docs2; echo x >> docs/adr/one; rm -r docs/adr; cat docs/secret; touch ran"
        done = world.run("run", "--policy", policy, "--", "sh", "-c", script)
        assert "secret\n" not in done.stdout and (world.project / "ran").exists(), done
        assert (world.project / "docs/adr/one").read_text() == "one\n", done
        (world.project / "ran").unlink()


def test_an_unreachable_socket_does_not_stop_the_start(world):
    """The socket's file has gone, its directory is closed, or its name leads through a link."""
    (world.base / "real").mkdir()
    (world.base / "closed").mkdir()
    (world.base / "link").symlink_to("real")
    (world.project / "here").mkdir()
    (world.project / "there").symlink_to("here")
    names = [world.project / "gone", world.project / "there/s", world.base / "link/s",
             world.base / "closed/s"]
    servers = [socket.socket(socket.AF_UNIX) for _ in names]
    for server, name in zip(servers, names):
        server.bind(str(name))
        server.listen()
    names[0].unlink()
    (world.base / "closed").chmod(0)
    done = world.run("run", "--", "python3", "-c", "import socket; "
                     "socket.socket(socket.AF_UNIX).connect('here/s')")
    (world.base / "closed").chmod(0o700)
    assert done.returncode == 1 and "PermissionError" in done.stderr, done
    for server in servers:
        server.close()


def test_a_report_names_a_missing_program(world):
    events = Run(world, [], ["no-such-program"]).finish()
    ended = event_of(events, "ended")
    assert ended["status"] == 127 and ended["not_run"] == "no-such-program: ENOENT", ended


def test_a_report_explains_a_failed_start(world):
    run = Run(world, ["--chdir", world.base], ["touch", "made"])
    failed = event_of(run.finish(), "failed")
    assert run.process.returncode == 2 and "contains the home" in failed["what"], failed
    assert failed["remedy"] and not run.err


def test_a_report_explains_a_failed_dry_run(world):
    run = Run(world, ["--dry-run", "--chdir", world.base], ["true"])
    assert "contains the home" in event_of(run.finish(), "failed")["what"]
    assert run.process.returncode == 2 and not run.out and not run.err, run.err


def test_the_report_socket_is_not_passed_to_the_command(world):
    run = Run(world, [], ["sh", "-c", "ls -l /proc/self/fd"])
    run.finish()
    assert "socket" not in run.out, run.out
    for descriptor in ("1", "77", "x", "-1", "99999999999"):
        done = world.run("run", "--report", descriptor, "--", "touch", "made")
        error_of(done, 2, "--report")
    assert not (world.project / "made").exists()


def test_all_processes_end_when_the_caller_hangs_up(world):
    for layers in LAYERS:
        mark = f"{os.getpid()}.{layers}"
        script = (f"trap '' TERM; touch ready; sh -c 'setsid sh -c \"sleep 1000; : {mark}\" & "
                  f"sleep 1000; : {mark}'; : {mark}")
        run = Run(world, ["--layers", layers], ["sh", "-c", script])
        wait_for("command", (world.project / "ready").exists)
        (world.project / "ready").unlink()
        assert processes_with(mark), "the test looks for the wrong processes"
        assert run.hang_up() == 137
        assert not processes_with(mark), layers


def test_background_processes_end_with_the_command(world):
    for layers in LAYERS:
        mark = f"{os.getpid()}.left.{layers}"
        script = f"sh -c 'sh -c \"touch ready; sleep 1000; : {mark}\" & sleep 1000; : {mark}' & " \
                 "until [ -e ready ]; do sleep 0.01; done; rm ready"
        done = world.run("run", "--layers", layers, "--", "sh", "-c", script)
        assert done.returncode == 0, done.stderr
        assert not processes_with(mark), layers


def test_write_adds_a_writable_directory(world):
    data = world.base / "data"
    data.mkdir()
    for mode, status in (("sandbox", 0), ("rx", 1)):
        run = Run(world, ["--write", data, "--mode", mode],
                  ["sh", "-c", f"touch {data}/{mode} && touch {mode}"])
        run.finish()
        assert run.process.returncode == status, run.err
        assert (data / mode).exists()
        assert (world.project / mode).exists() == (mode == "sandbox")


def test_write_rejects_a_denied_directory(world):
    data = world.base / "data"
    data.mkdir()
    world.write(world.policy, json.dumps({"version": 1, "write": {"allow": ["."],
                                                                  "deny": [str(data)]}}))
    failed = event_of(Run(world, ["--write", data], ["touch", data / "x"]).finish(), "failed")
    assert failed["call"] == "--write" and "denied by" in failed["what"], failed
    assert not list(data.iterdir())


def test_git_works_in_a_worktree_of_a_writable_repository(world):
    if not shutil.which("git"):
        pytest.skip("no git")
    repository, tree = world.base / "repository", world.base / "tree"
    git = ["git", "-c", "user.name=n", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run([*git, "init", "-q", repository], check=True, timeout=SECONDS)
    for arguments in (["commit", "-q", "--allow-empty", "-m", "first"],
                      ["worktree", "add", "-q", tree]):
        subprocess.run([*git, "-C", repository, *arguments], check=True, timeout=SECONDS,
                       capture_output=True)
    config = repository / ".git/config"
    before = config.read_bytes()
    # The user adds the entry by hand, as docs/sandbox.md describes.
    error_of(world.run("allow", repository / ".git", cwd=tree), 1, "does not")
    assert not world.policy.exists()
    world.write(world.policy, json.dumps(
        {"version": 1, "write": {"allow": [".", str(repository / ".git")]}}))
    commit = "echo new > new && git status && git add new && " + " ".join(git) + " commit -qm new"
    run = Run(world, [], ["sh", "-c", commit], tree)
    assert event_of(run.finish(), "ended")["status"] == 0, run.err
    log = subprocess.run(["git", "-C", tree, "log", "--format=%s"], capture_output=True, text=True,
                         timeout=SECONDS)
    assert log.stdout == "new\nfirst\n", log
    inside = repository / ".git"
    for name in ("hooks/post-commit", "config", "worktrees/tree/commondir",
                 "worktrees/tree/config.worktree"):
        events = Run(world, [], ["sh", "-c", f"echo x > {inside / name}"], tree).finish()
        assert event_of(events, "ended")["status"] != 0, name
        assert event_of(events, "refused")["path"] == str(inside / name), events
    assert config.read_bytes() == before and not (inside / "hooks/post-commit").exists()
    assert (inside / "worktrees/tree/commondir").read_text() == "../..\n"


def test_limits_that_the_cgroup_rejects_stop_the_start(world):
    """The hierarchy appears to have a controller that it lacks."""
    mounts = [mount for mount in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
              if os.path.exists(mount + "/cgroup.subtree_control")]
    own = pathlib.Path("/proc/self/cgroup").read_text().splitlines()
    if os.geteuid() != 0 or not mounts or "0::/" not in own:
        pytest.skip("needs root at the top of a cgroup v2 hierarchy")
    if os.path.exists(mounts[0] + "/io.max"):
        pytest.skip("the hierarchy has the controller")
    before = os.listdir(mounts[0])
    fake = world.write(world.base / "controllers", "io\n")
    world.write(world.project / "x", "")
    script = f'mount --bind "{fake}" "{mounts[0]}/cgroup.subtree_control" && exec "$@"'
    for missing, status in (("refuse", 125), ("warn", 0)):
        world.write(world.policy, json.dumps(
            {"version": 1, "sandbox": {"io": "1M", "missing": missing}}))
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c", script, "sh", world.programs.ringfence, "run", "--home",
             str(world.home), "--", "touch", missing], cwd=world.project, capture_output=True,
            text=True, timeout=SECONDS, env={"PATH": "/usr/bin:/bin:/usr/sbin:/sbin"})
        assert done.returncode == status, done.stderr
        assert "resource group: open(io.max): " in done.stderr, done.stderr
        assert (world.project / missing).exists() == (status == 0)
    assert os.listdir(mounts[0]) == before
