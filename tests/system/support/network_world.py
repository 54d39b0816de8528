"""A home and a project for runs in the network of `internet`."""

import json
import os
import re
import shlex
import time

from internet import PYTHON
from ordinary_user import ORDINARY_USER
from run_world import RunWorld

# What a test's policy lists unless it says otherwise.
LISTED = {"allow": ["good.example"]}

EXPLICIT = ("--proxy", "http://127.0.0.1:3128")
SOCKS = ("--proxy", "socks5h://127.0.0.1:3128")

# Connects, says something, and prints what comes back.
TALK = """
import socket, sys
s = socket.create_connection((sys.argv[1], int(sys.argv[2])), 10)
s.sendall(sys.argv[3].encode())
s.shutdown(socket.SHUT_WR)
print(b"".join(iter(lambda: s.recv(65536), b"")).decode())
"""


def suggested(text):
    """The command between backquotes."""
    return shlex.split(re.search("`ringfence ([^`]*)`", text)[1])


def run_suggested(world, text, *options, host=None):
    """Runs it for this policy, with `host` in place of HOST."""
    words = [host if host and word == "HOST" else word for word in suggested(text)]
    if "--policy" not in words:
        words += ["--policy", str(world.policy)]
    done = world.outside(world.programs.ringfence, *words, *options)
    assert done.returncode == 0, done


def refusals(done):
    """The launcher's lines. The command writes to the same standard error, perhaps at the same time."""
    return re.findall("ringfence: connection .*", done.stderr)


class NetworkWorld(RunWorld):
    def __init__(self, base, programs, internet, network=None):
        super().__init__(base, programs)
        self.internet = internet
        self.log_file = self.home / ".local/state/ringfence/audit.jsonl"
        self.set_network(network or LISTED)
        self.environment["CURL_CA_BUNDLE"] = str(internet.authority)
        if os.geteuid() == 0:
            for path in (self.base, *self.base.rglob("*")):
                if self.base / "bin" not in (path, *path.parents):
                    os.chown(path, ORDINARY_USER, ORDINARY_USER, follow_symlinks=False)

    def set_network(self, network, **more):
        """Replaces the policy; the sandbox passes on the variable that curl needs."""
        policy = {"version": 1, "sandbox": {"env": ["PATH", "HOME", "LANG", "CURL_CA_BUNDLE"]}, **more}
        if network is not None:
            policy["network"] = network
        self.policy.write_text(json.dumps(policy))

    def confined(self, *command, extra=(), seconds=30):
        return self.internet.run(self.command(*command, extra=extra), self.project,
                                 self.environment, seconds)

    def outside(self, *command, seconds=30):
        """A command that is not confined, in the same network."""
        return self.internet.run(command, self.project, self.environment, seconds)

    def curl(self, *arguments, extra=()):
        return self.confined("curl", "-sS", "-m", "10", *arguments, extra=extra)

    def python(self, code, *arguments, extra=(), seconds=30):
        return self.confined(PYTHON, "-c", code, *arguments, extra=extra, seconds=seconds)

    def log(self, host=None):
        """The lines of connections, once no new one has come for a moment."""
        count = -1
        lines = []
        while len(lines) != count:
            count = len(lines)
            time.sleep(0.3)
            text = self.log_file.read_text() if self.log_file.exists() else ""
            lines = [json.loads(line) for line in text.splitlines()]
            lines = [line for line in lines if line["event"] == "Connection"]
        return [line for line in lines if host is None or line["host"] == host]
