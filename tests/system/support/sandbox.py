"""`ringfence run` in a command world, as the test's user."""

import json
import os
import shutil
import subprocess

from ordinary_user import ORDINARY_USER

# Tries each line and prints the result.
TRY = """
import os, sys
os.chdir(os.path.expanduser("~"))
for line in sys.stdin.read().splitlines():
    try:
        exec(line)
        print("done:", line)
    except Exception as error:
        print(type(error).__name__ + ":", line)
"""


class Sandbox:
    """The world's `ringfence run`, as the case's user."""

    prefix = ()  # a command that starts it

    def __init__(self, world):
        self.world = world
        self.user = ORDINARY_USER if os.geteuid() == 0 and not world.as_root else None
        # The hook in a place that is visible with a private /tmp.
        self.hook = world.project / "hook"
        shutil.copy(world.programs.hook, self.hook)
        launcher, proxy = world.base / "ringfence", world.base / "ringfence-proxy"
        shutil.copy(world.programs.ringfence, launcher)
        shutil.copy(world.programs.ringfence + "-proxy", proxy)
        for program in (self.hook, launcher, proxy):
            program.chmod(0o755)
        world.base.chmod(0o755)
        (world.home / ".claude").mkdir()

    def run(self, command, *options, text=None, env=None):
        if self.user is not None:
            for path in (self.world.home, *self.world.home.rglob("*"), self.world.project,
                         *self.world.project.rglob("*")):
                os.chown(path, self.user, self.user, follow_symlinks=False)
        more = {} if self.user is None else {"user": self.user, "group": self.user,
                                             "extra_groups": []}
        return subprocess.run(
            [*self.prefix, self.world.base / "ringfence", "run", *options, "--", *command], input=text or "",
            cwd=self.world.project, capture_output=True, text=True, timeout=60, check=False,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.world.home), **(env or {})}, **more)

    def python(self, script, *options, text=None):
        return self.run(["/usr/bin/python3", "-c", script], *options, text=text)

    def attempts(self, lines, *options):
        """The result of each line: "done", or the error."""
        done = self.python(TRY, *options, text="\n".join(lines))
        assert done.returncode == 0, f"{done.returncode} {done.stderr}"
        said = dict(reversed(line.split(": ", 1)) for line in done.stdout.splitlines())
        return {line: said[line] for line in lines}


def nested(world, sandbox, policy, lines, *options):
    """The result of each line in a sandbox with that policy, inside an agent's sandbox."""
    world.write(world.home / "inner.json", json.dumps({"version": 1, **policy}))
    # Visible in the outer sandbox.
    program = world.project / "ringfence"
    shutil.copy(world.programs.ringfence, program)
    program.chmod(0o755)
    inner = [str(program), "run", "--policy", str(world.home / "inner.json"), *options, "--",
             "/usr/bin/python3", "-c", TRY]
    done = sandbox.run(inner, "--agent", text="\n".join(f"os.chdir({str(world.project)!r}); {line}"
                                                        for line in lines))
    assert done.returncode == 0, done
    said = dict(reversed(line.split(": ", 1)) for line in done.stdout.splitlines())
    return [said[f"os.chdir({str(world.project)!r}); {line}"] for line in lines]
