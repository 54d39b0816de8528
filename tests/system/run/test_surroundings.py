"""`ringfence run` with an unusual caller, machine or home."""

import json
import os
import resource
import shutil
import signal
import stat
import struct
import subprocess

import pytest

from run_world import NO_SANDBOX_STATUS, finish

pytestmark = pytest.mark.as_user


@pytest.fixture(name="world")
def fixture_world(run_world):
    return run_world


PYTHON = "/usr/bin/python3"
HOST_NETWORK = {"network": {"unlisted": "allow"}}

# exit(7) through int 0x80, in an ELF file for i386: the header, one segment with everything, code.
ORIGIN, HEADERS, CODE = 0x08048000, 52 + 32, bytes.fromhex("b801000000" "bb07000000" "cd80")
PROGRAM_OF_32_BITS = (
    struct.pack("<4s5B7x2H5I6H", b"\x7fELF", 1, 1, 1, 0, 0, 2, 3, 1, ORIGIN + HEADERS, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    + struct.pack("<8I", 1, 0, ORIGIN, ORIGIN, HEADERS + len(CODE), HEADERS + len(CODE), 5, 0x1000) + CODE)


def must(done):
    assert done.returncode == 0, f"status {done.returncode}: {done.stdout[-300:]}{done.stderr[-500:]}"
    return done.stdout


def quiet(done):
    """The command succeeded, with no messages."""
    assert done.stderr == "", done.stderr
    return must(done)


# -- inheritance ----------------------------------------------------------------------------------

def test_a_parent_that_ignores_its_children(world):
    show = "import signal; print(int(signal.getsignal(signal.SIGCHLD)))"
    ignore = lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    assert quiet(world.run(PYTHON, "-c", show, preexec_fn=ignore)) == "1\n"
    assert quiet(world.run(PYTHON, "-c", show)) == "0\n"


def test_blocked_and_ignored_signals(world):
    def inherit():
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGCHLD})
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    show = "grep -E 'SigBlk|SigIgn' /proc/self/status"
    bare = must(finish(world.start(["/bin/sh", "-c", show], preexec_fn=inherit)))
    assert quiet(world.run("/bin/sh", "-c", show, preexec_fn=inherit)) == bare


def limit_to(number, soft, hard=None):
    return lambda: resource.setrlimit(number, (soft, soft if hard is None else hard))


def test_a_file_size_limit_below_the_log(world):
    quiet(world.run("true"))
    log = next((world.home / ".local/state/ringfence").glob("audit*"))
    size = log.stat().st_size
    limit = limit_to(resource.RLIMIT_FSIZE, 512)
    soft = limit_to(resource.RLIMIT_FSIZE, 512, resource.RLIM_INFINITY)
    show = "ulimit -f; head -c 4096 /dev/zero > big; echo $?"
    bare = finish(world.start(["/bin/bash", "-c", show], preexec_fn=limit)).stdout
    with open(log, "a", encoding="utf-8") as lines:
        lines.write("x" * 4096 + "\n")
    done = world.run("/bin/bash", "-c", show, preexec_fn=limit)
    assert done.stdout == bare, (done, bare)
    assert "this start is not logged" in done.stderr and "EFBIG" in done.stderr, done.stderr
    assert quiet(world.run("true", preexec_fn=soft)) == ""
    assert log.stat().st_size > size + 4096, "the launcher's line is missing"


def test_few_descriptors(world):
    few = limit_to(resource.RLIMIT_NOFILE, 12, 1024)
    assert quiet(world.run("/bin/sh", "-c", "ulimit -n", preexec_fn=few)) == "12\n"
    for most in (3, 9, 11, 20, 63):
        for extra in ((), ("--layers", "landlock")):
            done = world.run("true", extra=extra, preexec_fn=limit_to(resource.RLIMIT_NOFILE, most))
            assert done.returncode == NO_SANDBOX_STATUS, (most, done)
            assert f"the hard limit for open files (ulimit -Hn) is {most}" in done.stderr or most == 3, done
    assert quiet(world.run("echo", "on", preexec_fn=limit_to(resource.RLIMIT_NOFILE, 64))) == "on\n"


def test_other_limits(world):
    for number, value in ((resource.RLIMIT_AS, 1 << 28), (resource.RLIMIT_STACK, 1 << 18),
                          (resource.RLIMIT_CPU, 60), (resource.RLIMIT_MEMLOCK, 0)):
        assert quiet(world.run("echo", "on", preexec_fn=limit_to(number, value))) == "on\n", number


def test_a_make_recipe(world):
    if not shutil.which("make"):
        pytest.skip("make is not installed")
    inner = "a b:\n\t@echo $@\nall: a b\n"
    (world.project / "in.mk").write_text(inner)
    command = " ".join(world.command("make", "-s", "-f", "in.mk", "all"))
    (world.project / "Makefile").write_text(f"all:\n\t@+{command}\n")
    done = finish(world.start(["make", "-s", "-j", "4"]))
    assert sorted(must(done).split()) == ["a", "b"], done.stdout
    assert done.stderr == "", done.stderr


# -- programs ---------------------------------------------------------------------------------------

UNREADABLE = ("its memory cannot be read, so the sandbox cannot check its calls: the program file has no read"
              " permission, or the program has made itself undumpable (PR_SET_DUMPABLE)")


def lines_of_ringfence(done):
    return [line for line in done.stderr.splitlines() if line.startswith("ringfence")]


def test_a_32_bit_program(world):
    program = world.project / "old"
    program.write_bytes(PROGRAM_OF_32_BITS)
    program.chmod(0o755)
    try:
        bare = finish(world.start([str(program)]))
    except OSError as problem:
        pytest.skip(f"this machine has none: {problem.strerror}")
    assert bare.returncode == 7, bare
    for command in ([program], ["/bin/sh", "-c", f"{program}; exit $?"]):
        for layers in ("full", "landlock"):
            done = world.run(*command, extra=("--layers", layers))
            lines = [line for line in done.stderr.splitlines() if "32-bit" in line]
            assert done.returncode == 137 and len(lines) == 1, (layers, done)
            assert str(program) in lines[0], lines
    assert quiet(world.run("/bin/sh", "-c", f"{program} 2> /dev/null; true")) == ""


def test_a_program_that_cannot_be_read(world):
    """The user's own program works through a right that the supervisor keeps; without it a line
    explains the failure."""
    own = world.project / "own"
    shutil.copy("/usr/bin/touch", own)
    own.chmod(0o111)
    must(finish(world.start([str(own), "made"])))
    (world.project / "made").unlink()
    quiet(world.run(own, "made"))
    assert (world.project / "made").exists()
    done = world.run("sh", "-c", "./own other; exit $?", extra=("--layers", "landlock"))
    assert lines_of_ringfence(done) == ['ringfence: "own": ' + UNREADABLE], done
    assert not (world.project / "other").exists()


def test_a_program_that_cannot_be_dumped(world):
    """Like an unreadable one: the kernel protects its memory the same way."""
    script = "import ctypes; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); open('made', 'w')"
    quiet(world.run("python3", "-c", script))
    (world.project / "made").unlink()
    done = world.run("python3", "-c", script, extra=("--layers", "landlock"))
    assert done.returncode == 1 and "Operation not permitted" in done.stderr, done
    assert lines_of_ringfence(done) == ['ringfence: "python3": ' + UNREADABLE], done
    assert not (world.project / "made").exists()


def test_devices_stay_writable_with_listed_paths(world):
    """A pattern, or a name that does not exist yet, makes a list of all writable paths."""
    script = ("echo x > /dev/null && echo x 2> /dev/null > build/a && ! echo x > /dev/full &&"
              " ! echo x > other && test ! -e other")
    for place in ("build/**", "build/a"):
        world.policy.write_text(json.dumps({"version": 1, "write": {"allow": [place]}}))
        (world.project / "build").mkdir(exist_ok=True)
        (world.project / "build/a").unlink(missing_ok=True)
        for layers in ("full", "landlock"):
            done = world.run("bash", "-c", script, extra=("--layers", layers))
            assert done.returncode == 0, (place, layers, done)
            assert "/dev/full: Permission" not in done.stderr, (place, layers, done)


def test_fchmod_of_a_file_without_a_name(world):
    script = """
import os, sys
memory = os.memfd_create("x")
os.fchmod(memory, 0o700)
os.chmod("/proc/self/fd/%d" % memory, 0o711)
os.mkdir("build") if not os.path.isdir("build") else None
temporary = os.open("build", os.O_TMPFILE | os.O_RDWR)
os.fchmod(temporary, 0o700)
gone = os.open("build/x.log", os.O_CREAT | os.O_RDWR)
os.unlink("build/x.log")
os.fchmod(gone, 0o700)
print([oct(os.fstat(file).st_mode & 0o777) for file in (memory, temporary, gone)])
"""
    for allowed in (["."], ["build/**"]):
        world.policy.write_text(json.dumps({"version": 1, "write": {"allow": allowed}}))
        for layers in ("full", "landlock"):
            done = world.run("python3", "-c", script, extra=("--layers", layers))
            assert done.stdout == "['0o711', '0o700', '0o700']\n", (allowed, layers, done)
    # A removed file of the caller still belongs to the caller.
    script = "import os; os.fchmod(0, 0o777)"
    for layers in ("full", "landlock"):
        with open(world.home / "gone", "w+") as file:
            os.chmod(file.name, 0o600)
            os.unlink(file.name)
            done = world.run("python3", "-c", script, extra=("--layers", layers), stdin=file)
            assert "PermissionError" in done.stderr, (layers, done)
            assert os.fstat(file.fileno()).st_mode & 0o777 == 0o600, layers


# -- the machine ------------------------------------------------------------------------------------

def in_own_mounts(world, setup, *command, policy=None):
    """Runs as root of a user namespace, after `setup` has changed its mounts."""
    world.policy.write_text(json.dumps({"version": 1, **(policy or {})}))
    line = " ".join(world.command(*command))
    script = f"set -e; {setup}; cd {world.project}; exec {line}"
    return finish(world.start(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script]))


COPY_ETC = ("cp -a /etc {base}/etc 2> /dev/null || :; rm -f {base}/etc/resolv.conf; "
            "ln -s ../run/resolve/stub.conf {base}/etc/resolv.conf; mount --bind {base}/etc /etc; ")


def test_resolv_conf_can_be_a_link_into_run(world):
    setup = COPY_ETC.format(base=world.base) + (
        "mount -t tmpfs none /run; mkdir /run/resolve; echo 'nameserver 127.0.0.53' > "
        "/run/resolve/stub.conf; echo secret > /run/resolve/beside")
    show = "'cat /etc/resolv.conf; ls /run/resolve; echo x >> /etc/resolv.conf'"
    done = in_own_mounts(world, setup, "sh", "-c", show, policy=HOST_NETWORK)
    assert done.stdout == "nameserver 127.0.0.53\nstub.conf\n", done
    assert "ead-only" in done.stderr, done.stderr
    done = in_own_mounts(world, setup, "sh", "-c", "'ls -A /run/resolve'")
    assert done.stdout == "", done


def test_tmp_can_be_a_link(world):
    setup = (f"mkdir -p {world.base}/root/old {world.base}/elsewhere; mount --bind {world.base}/root "
             f"{world.base}/root; echo host > {world.base}/elsewhere/f; "
             f"for d in bin sbin lib lib64 usr etc dev proc sys srv var home root run; do "
             f"if [ -L /$d ]; then ln -sfn $(readlink /$d) {world.base}/root/$d; elif [ -d /$d ]; then "
             f"mkdir -p {world.base}/root/$d; mount --rbind /$d {world.base}/root/$d; fi; done; "
             f"ln -sfn {world.base}/elsewhere {world.base}/root/tmp")
    for layers in ("full", "landlock"):
        line = " ".join(world.command("sh", "-c", "'echo private > $TMPDIR/mine; cat $TMPDIR/mine; ls /tmp/f; "
                                      "test $TMPDIR = /tmp && ls /tmp'", extra=("--layers", layers)))
        script = f"set -e; {setup}; cd {world.base}/root; /usr/sbin/pivot_root . old; cd {world.project}; exec {line}"
        done = finish(world.start(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script]))
        want = "private\nmine\n" if layers == "full" else "private\n/tmp/f\n"
        assert done.stdout == want, (layers, done)
        assert os.listdir(world.base / "elsewhere") == ["f"], os.listdir(world.base / "elsewhere")


def test_a_parent_directory_with_search_permission_only(world):
    above = world.base / "above"
    project = above / "project"
    project.mkdir(parents=True)
    for mode in (0o711, 0o111):
        above.chmod(mode)
        quiet(world.run("sh", "-c", "echo x > made; cat made; rm made", cwd=project))
    above.chmod(0o755)


def test_a_closed_parent_directory(world):
    """Rules apply to the targets of links, which cannot be found in this case."""
    if os.geteuid() == 0:
        pytest.skip("nothing is closed to root")
    above = world.base / "above"
    project = above / "project"
    project.mkdir(parents=True)
    folder = os.open(project, os.O_PATH)
    above.chmod(0)
    done = world.run("true", cwd=None, preexec_fn=lambda: os.fchdir(folder))
    above.chmod(0o755)
    assert done.returncode == 2 and "a directory above it is closed" in done.stderr, done
    quiet(world.run("true", cwd=project))


@pytest.fixture(name="device")
def fixture_device():
    """A second /dev/null."""
    path = f"/dev/ringfence-test-{os.getpid()}"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except OSError:
        pytest.skip("only root makes devices")
    os.chmod(path, 0o666)
    yield path
    os.unlink(path)


def test_a_device_named_in_the_policy(world, device):
    script = f"echo x > {device}; cat {device}; test -c {device}; ls {device}* | wc -l"
    assert world.run("sh", "-ec", script).returncode != 0
    for layers in ("full", "landlock"):
        world.policy.write_text(json.dumps({"version": 1, "write": {"allow": [".", device]}}))
        assert quiet(world.run("sh", "-ec", script, extra=("--layers", layers))) == "1\n"
    world.policy.write_text(json.dumps({"version": 1, "write": {"allow": [".", device + "-none"]}}))
    quiet(world.run("true"))
    assert not os.path.exists(device + "-none")


# -- caches -----------------------------------------------------------------------------------------

def make_caches(world):
    for name in (".cache/tool/old", ".npm/_cacache/x", ".cargo/registry/y", ".cargo/credentials.toml",
                 ".gradle/gradle.properties", ".m2/settings.xml", ".cache/huggingface/token"):
        path = world.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("of the host\n")


def state(folder):
    return {path: path.read_text() if path.is_file() else "" for path in folder.rglob("*")
            if ".local" not in path.parts}


def test_caches_are_copies(world):
    make_caches(world)
    before = state(world.home)
    script = ("cd ~; cat .cache/tool/old; echo new > .cache/tool/new; echo changed >> .cache/tool/old; "
              "mv .npm/_cacache/x .npm/_cacache/z; rm -r .cargo/registry; mkdir .cargo/registry; "
              "chmod 700 .cache/tool; cat .cache/tool/*; ls -A .npm/_cacache .cargo/registry")
    out = quiet(world.run("sh", "-ec", script))
    assert out == ("of the host\nnew\nof the host\nchanged\n.cargo/registry:\n\n.npm/_cacache:\nz\n"), out
    assert state(world.home) == before, "the home has changed"
    assert quiet(world.run("cat", str(world.home / ".cache/tool/old"))) == "of the host\n"


def test_secrets_in_caches_are_hidden(world):
    make_caches(world)
    hidden = (".cargo/credentials.toml", ".gradle/gradle.properties", ".m2/settings.xml",
              ".cache/huggingface/token")
    for name in hidden:
        for script in ("cat ~/{0}", "cp ~/{0} ~/.cache/copy; cat ~/.cache/copy", "rm -f ~/{0}; cat ~/{0}",
                       "mv ~/{0} ~/.cache/moved; cat ~/.cache/moved", "chmod 700 ~/{0}; cat ~/{0}",
                       "mv $(dirname ~/{0}) ~/.cache/d; cat ~/.cache/d/*", "rm -rf $(dirname ~/{0}); "
                       "mkdir $(dirname ~/{0}); cat ~/{0}", "echo x > ~/{0}; ln ~/{0} ~/.cache/link; cat "
                       "~/.cache/link ~/{0}"):
            done = world.run("sh", "-c", script.format(name))
            assert "of the host" not in done.stdout, (name, script)
            assert (world.home / name).read_text() == "of the host\n"


def test_a_closed_directory_in_a_cache(world):
    """The owner can open a directory in the copy, so hidden paths below it must be known."""
    make_caches(world)
    (world.home / ".cache/huggingface").chmod(0)
    done = world.run("sh", "-c", "chmod 700 ~/.cache/huggingface; cat ~/.cache/huggingface/token")
    (world.home / ".cache/huggingface").chmod(0o700)
    assert "of the host" not in done.stdout, done


def test_caches_named_in_the_policy(world):
    """Writable caches are written, unreadable ones are not read, whatever they are."""
    make_caches(world)
    world.policy.write_text(json.dumps({"version": 1, "write": {"allow": [".", "~/.cache/tool", "~/.npm"]},
                                        "read": {"deny": ["~/.cargo"]}}))
    quiet(world.run("sh", "-ec", "echo real > ~/.cache/tool/r; echo real > ~/.npm/r; echo no > ~/.cache/r; "
                    "echo $npm_config_cache"))
    assert (world.home / ".cache/tool/r").exists() and (world.home / ".npm/r").exists()
    assert not (world.home / ".cache/r").exists()
    done = world.run("sh", "-c", "cat ~/.cargo/registry/y; echo $CARGO_HOME")
    assert done.stdout == "/tmp/.cache/cargo\n", done


def test_cache_variables(world):
    show = "echo $XDG_CACHE_HOME $npm_config_cache $CARGO_HOME"
    assert quiet(world.run("sh", "-c", show)) == "/tmp/.cache /tmp/.cache/npm /tmp/.cache/cargo\n"
    make_caches(world)
    assert quiet(world.run("sh", "-c", show)) == "\n"
    elsewhere = world.base / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "f").write_text("of the host\n")
    out = quiet(world.run("sh", "-ec", "echo x > $CARGO_HOME/g; ls $CARGO_HOME; echo $CARGO_HOME",
                          env={**world.environment, "CARGO_HOME": str(elsewhere)}))
    assert out == f"f\ng\n{elsewhere}\n" and os.listdir(elsewhere) == ["f"], out
    (world.home / ".cache/ms-playwright").mkdir()
    out = world.run("sh", "-c", show + " $PLAYWRIGHT_BROWSERS_PATH", extra=("--layers", "landlock")).stdout
    assert out.endswith(f"/.cache/cargo {world.home}/.cache/ms-playwright\n"), out


def test_a_session_keeps_its_cache_copies(world):
    make_caches(world)
    session = ("--session", "one")
    quiet(world.run("sh", "-ec", "echo kept > ~/.cache/tool/kept; rm ~/.cache/tool/old", extra=session))
    assert quiet(world.run("sh", "-ec", "ls ~/.cache/tool", extra=session)) == "kept\n"
    assert quiet(world.run("ls", str(world.home / ".cache/tool"))) == "old\n"
    assert quiet(world.run("ls", str(world.home / ".cache/tool"), extra=("--session", "two"))) == "old\n"
    # A concurrent second command has its own copy.
    with subprocess.Popen(world.command("cat", extra=session), cwd=world.project, env=world.environment,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        other.stdin.write("up\n")
        other.stdin.flush()
        assert other.stdout.readline() == "up\n"
        assert quiet(world.run("sh", "-ec", "ls ~/.cache/tool; echo x > ~/.cache/tool/new", extra=session)) == "old\n"
        other.stdin.close()
    assert quiet(world.run("sh", "-ec", "ls ~/.cache/tool", extra=session)) == "kept\n"
    done = world.run("sh", "-c", "ls ~/.local/state/ringfence/tmp", extra=session)
    assert done.stdout == "", done


def test_a_home_that_does_not_exist_is_not_created(world):
    missing = world.home.parent / "missing"
    world.environment["HOME"] = str(missing)
    done = world.run("true")
    assert not missing.exists(), done


# -- ringfence's own commands inside -----------------------------------------------------------------

def test_doctor_inside_a_sandbox(world):
    """A command inside sees root's files as another user's, and the log as read-only."""
    must(world.run("true"))  # creates the log
    done = world.run(world.programs.ringfence, "doctor", "--json", "--hook", world.programs.ringfence)
    rows = json.loads(done.stdout)["rows"]
    assert any("inside a ringfence sandbox" in row["text"] for row in rows), rows
    assert any("written by the sandbox around this" in row["text"] for row in rows), rows
    wrong = [row["text"] for row in rows if "65534" in row["text"] or "cannot be written" in row["text"]]
    assert not wrong, wrong
