"""A script in the network of a world, while the test looks on; and parts of programs for sandboxes."""

import os
import pathlib
import subprocess
import threading

from proxy_processes import until

SECONDS = 300


class Run:
    def __init__(self, world, script):
        self.world = world
        self.thread = threading.Thread(target=self.run, args=(script,), daemon=True)

    def run(self, script):
        self.done = self.world.outside("sh", "-c", script, seconds=SECONDS)

    def await_file(self, name):
        until(lambda: (self.world.project / name).exists() or not self.thread.is_alive(), name)
        assert self.thread.is_alive(), self.done

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.thread.join(SECONDS)
        assert not self.thread.is_alive()


def user_of(world):
    return pathlib.Path(world.project).stat().st_uid


def limit_descriptors(world, process, most):
    """As the process's user, who may do this without capabilities."""
    user = user_of(world)
    as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if os.geteuid() == 0 else []
    subprocess.run([*as_user, "prlimit", "--pid", str(process.pid), f"--nofile={most}:"], check=True)
