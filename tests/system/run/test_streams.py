"""The standard streams of a confined command: pipes are relayed, files keep their position, and
neither gives access to anything else.
"""

import hashlib
import os
import random
import subprocess

import pytest

from sandbox import Sandbox

pytestmark = pytest.mark.users("ordinary", "root")

LANDLOCK = ("--layers", "landlock")
BOTH = ((), LANDLOCK)


def shell(world, script, options=(), **more):
    """A shell outside, in which "$RUN" starts a confined command."""
    sandbox = Sandbox(world) if not (world.project / "hook").exists() else world.sandbox
    world.sandbox = sandbox
    user = {} if sandbox.user is None else {"user": sandbox.user, "group": sandbox.user,
                                            "extra_groups": []}
    if sandbox.user is not None:
        for path in (world.home, *world.home.rglob("*"), world.project, *world.project.rglob("*")):
            os.chown(path, sandbox.user, sandbox.user, follow_symlinks=False)
    run = " ".join([str(world.base / "ringfence"), "run", *options, "--"])
    return subprocess.run(["/bin/bash", "-c", script], cwd=world.project, timeout=60, check=False,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(world.home), "RUN": run},
                          **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                             "stderr": subprocess.PIPE, **user, **more})


def output_of(world, script, options=()):
    done = shell(world, script, options)
    assert done.returncode == 0, done
    return done.stdout.decode()


def test_unread_pipe_input_is_left_for_the_next_reader(world):
    for options in BOTH:
        script = "printf 'a\\nb\\nc\\n' | { $RUN sh -c 'read x; echo got $x'; cat; }"
        assert output_of(world, script, options) == "got a\nb\nc\n"


def test_pipes_pass_every_byte(world):
    content = random.Random(1).randbytes(5_000_000)
    (world.project / "big").write_bytes(content)
    digest = hashlib.md5(content).hexdigest()
    for options in BOTH:
        for script in ("cat big | $RUN cat | md5sum", "$RUN cat big | md5sum",
                       "cat big | $RUN md5sum", "cat big | $RUN sh -c 'cat >&2' 2>&1 | md5sum",
                       "(sleep 0.3; cat big) | $RUN cat | (sleep 0.3; md5sum)"):
            assert output_of(world, script, options).split()[0] == digest, script


def test_output_and_errors_of_one_pipe_keep_their_order(world):
    lines = "".join(f"out{n}\nerr{n}\n" for n in range(50))
    script = "$RUN sh -c 'for i in $(seq 0 49); do echo out$i; echo err$i >&2; done' 2>&1 | cat"
    assert output_of(world, script) == lines
    done = shell(world, "$RUN sh -c 'echo out; echo err >&2'")
    assert (done.stdout, done.stderr) == (b"out\n", b"err\n")


def test_a_closed_reader_ends_the_writer(world):
    for options in BOTH:
        done = shell(world, "$RUN sh -c 'yes; echo $? >&2' | head -n 1; echo ${PIPESTATUS[0]}", options)
        assert done.stdout == b"y\n0\n" and done.stderr.split()[:1] == [b"141"], done
        done = shell(world, "yes | $RUN sh -c 'exec <&-; echo ok'; echo ${PIPESTATUS[*]}", options)
        assert done.stdout == b"ok\n141 0\n", done


def test_a_pipe_closes_when_the_command_ends(world):
    script = "$RUN sh -c '(sleep 30; echo late) & echo now' | cat"
    assert output_of(world, script) == "now\n"


def test_the_file_position_is_shared_with_later_commands(world):
    script = ("printf 'one\\ntwo\\nthree\\n' > in; { $RUN sh -c 'read x; echo $x'; cat; } < in > out;"
              "{ $RUN echo four; echo five; $RUN echo six; } >> out; cat out")
    for options in BOTH:
        assert output_of(world, script, options) == "one\ntwo\nthree\nfour\nfive\nsix\n"


def test_output_and_errors_share_a_file(world):
    script = "$RUN sh -c 'echo a; echo b >&2; echo c >> /dev/stdout' > log 2>&1; cat log"
    assert output_of(world, script) == "a\nb\nc\n"


def test_a_closed_stream_does_not_become_a_launcher_socket(world):
    for closed in ("<&-", ">&- ", "2>&-", "<&- >&- 2>&-"):
        script = f"$RUN sh -c 'readlink /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 > s' {closed}; cat s"
        assert "socket" not in output_of(world, script), closed


def test_a_directory_as_a_stream_is_an_error(world):
    for options in BOTH:
        for stream, name in (("<", "standard input"), ("2<", "standard error")):
            done = shell(world, f"$RUN true {stream} .", options)
            assert done.returncode == 125, done
            if name == "standard input":
                assert b"ringfence: standard input: is a directory" in done.stderr, done


def test_a_slow_reader_gets_everything(world):
    script = "$RUN sh -c 'head -c 300000 /dev/zero; echo end' | (sleep 0.5; tail -c 4)"
    assert output_of(world, script) == "end\n"
