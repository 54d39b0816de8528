"""The service of the real client in the network of `internet`, and clients that are confined there.

The fake model runs in the tests' own process: a host of the network serves TLS under the service's
own name, and passes the connections on to a local socket.
"""

import http.server
import json
import os
import pathlib
import shutil
import socket
import socketserver
import subprocess
import time

import client
import director
import fake_api
import script
from internet import PYTHON
from world import ClientWorld

API, NOTHING = "203.0.113.10", "203.0.113.11"  # no port of the second one is open
NAMES = ("api.anthropic.com", "claude.ai")
PLAIN_PORT = 8484  # the service without TLS, on the host's loopback
MOST_SECONDS = 120  # until a hang is one
HERE = pathlib.Path(__file__).parent


class AgentNetwork:
    def __init__(self, internet):
        self.internet = internet
        self.socket = str(internet.base / "api.sock")
        self._hosts = (internet.base / "hosts").read_text()
        make_certificate(internet.certificates)
        relay = shutil.copy(HERE / "tls_relay.py", internet.base)
        os.chmod(relay, 0o644)
        certificate = [str(internet.certificates / name) for name in ("api.pem", "api.key")]
        internet.serve("api", [PYTHON, relay, API, "443", self.socket, *certificate], 443, API)
        internet.serve("plain", [PYTHON, relay, "127.0.0.1", str(PLAIN_PORT), self.socket], PLAIN_PORT,
                       "127.0.0.1")

    def resolve(self, address):
        """The service's names have this address from now on; none if it is None."""
        lines = "".join(f"{address} {name}\n" for name in NAMES) if address else ""
        (self.internet.base / "hosts").write_text(self._hosts + lines)  # in place: it is mounted

    def entering(self, folder):
        """The words before a command that runs in the network, as the user, in the folder."""
        user = self.internet.user
        as_user = [] if os.geteuid() == user else ["setpriv", f"--reuid={user}", f"--regid={user}",
                                                   "--clear-groups"]
        return [*as_user, "nsenter", "--preserve-credentials", "--user", "--net", "--mount",
                f"--target={self.internet.process.pid}", "unshare", "--user", f"--map-user={user}",
                f"--map-group={user}", "env", f"--chdir={folder}"]


def make_certificate(folder):
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "api.key",
            "-out", "api.csr", "-subj", "/CN=api")
    (folder / "api.names").write_text("subjectAltName=" + ",".join(f"DNS:{name}" for name in NAMES))
    openssl("x509", "-req", "-in", "api.csr", "-CA", "authority.pem", "-CAkey", "authority.key",
            "-days", "30", "-extfile", "api.names", "-out", "api.pem")
    for name in ("api.key", "api.pem"):
        (folder / name).chmod(0o644)


class LocalApi(fake_api.FakeApi):
    """The fake model at a local socket."""

    address_family = socket.AF_UNIX

    def __init__(self, path, told):
        # pylint: disable=super-init-not-called,non-parent-init-called
        pathlib.Path(path).unlink(missing_ok=True)
        http.server.ThreadingHTTPServer.__init__(self, path, fake_api._Handler)
        self.director, self.url = told, None
        os.chmod(path, 0o777)

    def server_bind(self):
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "api", 0


class ScreenClient(client.TerminalClient):
    """With all output on its terminal, as a user has it."""

    all_on_screen = True


class AgentWorld(ClientWorld):
    """A home and a project for `ringfence run -- claude`, without any proxy variable."""

    def __init__(self, network, programs, program):
        super().__init__()
        self.network, self.programs, self.program = network, programs, program
        self.log_file = self.home / ".local/state/ringfence/audit.jsonl"
        self.more_environment = {
            "PATH": f"{pathlib.Path(programs.ringfence).parent}:/usr/local/bin:/usr/bin:/bin",
            "NODE_EXTRA_CA_CERTS": str(network.internet.authority),
            "ANTHROPIC_BASE_URL": None, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": None,
            "DISABLE_AUTOUPDATER": None}
        self.write("$HOME/.claude.json", {
            "hasCompletedOnboarding": True, "theme": "dark", "bypassPermissionsModeAccepted": True,
            "customApiKeyResponses": {"approved": ["dummy"], "rejected": []},
            "projects": {"$PROJECT": {"hasTrustDialogAccepted": True, "allowedTools": []}}})
        self.write("$HOME/.claude/settings.json", {"skipDangerousModePermissionPrompt": True})

    def set_network(self, network):
        """The user's policy; without one if `network` is None."""
        policy = {"version": 1, "sandbox": {"env": ["PATH", "HOME", "LANG"]}}
        self.write("$HOME/.config/ringfence/policy.json", {**policy, **({"network": network} if network else {})})

    def played(self, *steps):
        """A director of this play, and the model at the service's socket."""
        told = director.Director({"main": list(steps)}, self)
        return told, LocalApi(self.network.socket, told)

    @property
    def world(self):
        """A director takes this for its stage."""
        return self

    def client(self, kind=client.Client, options=(), launcher=None):
        """`with world.client() as it:` runs a confined client that plays the script "main"."""
        self.give_to(self.network.internet.user)
        words = [*self.network.entering(self.project),
                 *(launcher or [self.programs.ringfence, "run", "--"])]
        return kind(self.program, self, None, self.project, script.play_prompt("main"),
                    ["--permission-mode", "bypassPermissions", *options], words)

    def in_another_terminal(self, *command, seconds=60):
        """A command that the user types there."""
        self.give_to(self.network.internet.user)
        environment = {"HOME": str(self.home), **{name: value for name, value in self.more_environment.items()
                                                  if value is not None}}
        return self.network.internet.run(command, self.project, environment, seconds)

    def give_to(self, user):
        if os.geteuid() == 0:
            super().give_to(user)

    def lines_of_log(self, event):
        text = self.log_file.read_text() if self.log_file.exists() else ""
        return [line for line in map(json.loads, text.splitlines()) if line["event"] == event]


def awaits(running, text):
    """Waits until the client, which still runs, has shown the text."""
    late = time.monotonic() + MOST_SECONDS
    while text not in running.errors():
        assert running.runs(), f"it has ended without {text!r}: {running.diagnosis()}"
        assert time.monotonic() < late, f"no {text!r}: {running.diagnosis()}"
        time.sleep(0.05)
    assert running.runs(), "it has ended"


def lines_of(errors):
    return [line for line in errors.replace("\r", "").splitlines() if line.startswith("ringfence: ")]
