"""Programs that people run in a sandbox: how each asks a host for something, and how it is told of
a proxy."""

import dataclasses
import functools
import shutil
import subprocess
import typing

import npm_package
from internet import PYTHON
from services import GREETING, HOST, PATH, Database, SecureShell, Site, need, unavailable

UNDICI = ("undici", "6.21.3")  # the oldest node that tests meet is 18

PROXY, SOCKS = "http://127.0.0.1:3128", "socks5h://127.0.0.1:3128"


def variables(proxy):
    names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    return {spelled: proxy for name in names for spelled in (name, name.lower())}


WAYS = {
    "no variables": {},
    "variables": {**variables(PROXY), "NODE_USE_ENV_PROXY": "1"},
    # Only as the proxy for all: the other variables are for proxies that speak HTTP.
    "socks": {"ALL_PROXY": SOCKS, "all_proxy": SOCKS},
}

URLLIB = "import sys, urllib.request as r; print(r.urlopen(sys.argv[1], timeout=30).read().decode())"

FETCH = """
const fail = error => { console.error(error.cause ?? error); process.exit(1); };
fetch(process.argv[1]).then(answer => answer.text()).then(console.log).catch(fail);
"""

# Before FETCH, for a node that does not read the variables.
USE_VARIABLES = """
const { EnvHttpProxyAgent, setGlobalDispatcher } = require('undici');
setGlobalDispatcher(new EnvHttpProxyAgent());
"""

REQUEST = """
const { request, EnvHttpProxyAgent } = require('undici');
const fail = error => { console.error(error); process.exit(1); };
request(process.argv[1], { dispatcher: new EnvHttpProxyAgent() })
  .then(answer => answer.body.text()).then(console.log).catch(fail);
"""

WEBSOCKET_NODE = """
const { WebSocket, EnvHttpProxyAgent } = require('undici');
const socket = new WebSocket(process.argv[1], { dispatcher: new EnvHttpProxyAgent() });
socket.onopen = () => socket.send(process.argv[2]);
socket.onmessage = event => { console.log(event.data); socket.close(); };
socket.onerror = event => { console.error(event.error ?? event); process.exit(1); };
"""

WEBSOCKET_PYTHON = """
import asyncio, sys, websockets

async def main():
    async with websockets.connect(sys.argv[1]) as socket:
        await socket.send(sys.argv[2])
        print(await socket.recv())

asyncio.run(main())
"""

JAVA = """
import java.net.URI;
import java.net.http.*;

public class Fetch {
  public static void main(String[] words) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(words[0])).build();
    HttpResponse<String> answer =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    System.out.println(answer.body());
    System.exit(answer.statusCode() == 200 ? 0 : 1);
  }
}
"""

TRUSTED = ("CURL_CA_BUNDLE", "SSL_CERT_FILE", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS", "PIP_CERT", "PGSSLROOTCERT")


class Kit:
    """The servers at `site.example`, each from its first use on, and what clients need to talk to
    them: certificates to trust, keys, compiled programs, packages."""

    def __init__(self, internet):
        self.internet = internet
        self.authority = internet.authority
        self.base = internet.base / "kit"
        self.base.mkdir()
        self.base.chmod(0o755)

    @functools.cached_property
    def site(self):
        return Site(self.internet)

    @functools.cached_property
    def shell(self):
        return SecureShell(self.internet)

    @functools.cached_property
    def database(self):
        return Database(self.internet)

    def url(self, host, path, scheme="https"):
        """What nginx serves there, from the first call on."""
        assert self.site.root.exists()
        return f"{scheme}://{host}/{path}"

    def repository(self, host):
        return f"ssh://{self.shell.user}@{host}{self.site.repository}"

    def arrivals(self):
        """One line for each request and login so far."""
        return self.site.requests() + self.shell.logins() + self.database.logins()

    def with_settings(self, way, command):
        """The command with variables, which its sandbox does not pass on."""
        settings = {**{name: self.authority for name in TRUSTED}, "NODE_PATH": self.base, **WAYS.get(way, {})}
        return ["env", *[f"{name}={value}" for name, value in settings.items()], *map(str, command)]

    def undici(self):
        folder = self.base / "undici"
        if not folder.exists():
            try:
                shutil.copytree(npm_package.folder(*UNDICI), folder)
            except npm_package.Unavailable as reason:
                unavailable(str(reason))

    def java(self):
        """The folder of the class Fetch and the certificates."""
        need("javac", "keytool")
        folder = self.base / "java"
        if not folder.exists():
            folder.mkdir()
            (folder / "Fetch.java").write_text(JAVA)
            for words in (["javac", "Fetch.java"],
                          ["keytool", "-importcert", "-noprompt", "-alias", "test", "-file", self.authority,
                           "-storetype", "PKCS12", "-keystore", "trusted", "-storepass", "password"]):
                subprocess.run(words, cwd=folder, check=True, capture_output=True, env={"PATH": PATH})
        return folder

    @property
    def node_reads_variables(self):
        version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True, env={"PATH": PATH})
        return int(version.stdout[1:].split(".")[0]) >= 24


# -- the commands, for a host ----------------------------------------------------------------------------

def curl(kit, _way, host):
    return ["curl", "-sS", kit.url(host, "hello.txt")]


def plain_curl(kit, _way, host):
    return ["curl", "-sSf", kit.url(host, "hello.txt", "http")]


def clone(url):
    script = 'copy=$(mktemp -d ./copy.XXXXXX) && git clone -q "$0" "$copy" && cat "$copy/plan.txt"'
    return ["sh", "-c", script, url]


def git_protocol(kit, _way, host):
    return clone(kit.url(host, "git/plans.git"))


def git_files(kit, _way, host):
    return clone(kit.url(host, "plans.git"))


def ssh_words(kit):
    return ["ssh", "-F", "none", "-o", "BatchMode=yes", "-o", f"UserKnownHostsFile={kit.shell.base}/known",
            "-i", kit.shell.base / "user_key"]


def ssh(kit, _way, host):
    return [*ssh_words(kit), f"{kit.shell.user}@{host}", "cat", kit.site.root / "hello.txt"]


def git_ssh(kit, _way, host):
    words = " ".join(map(str, ssh_words(kit)))
    return ["env", f"GIT_SSH_COMMAND={words}", *clone(kit.repository(host))]


def psql(kit, _way, host, tls="verify-full"):
    return ["psql", "-X", "-At", "-c", f"SELECT '{GREETING}'",
            f"host={host} user={kit.database.user} dbname=postgres sslmode={tls}"]


def plain_psql(kit, way, host):
    return psql(kit, way, host, "disable")


def urllib(kit, _way, host):
    return [PYTHON, "-c", URLLIB, kit.url(host, "hello.txt")]


# pip and npm try again for long, whatever the reason is.

def pip(kit, _way, host):
    script = ('"$0" -m pip install -q --disable-pip-version-check --no-cache-dir --retries 0 --target packages '
              '--index-url "$1" greeter && PYTHONPATH=packages "$0" -c "import greeter; print(greeter.text)"')
    return ["sh", "-c", f"rm -rf packages && {script}", PYTHON, kit.url(host, "simple/")]


def npm_install(kit, host):
    return ["npm", "install", "--no-audit", "--no-fund", "--no-update-notifier", "--fetch-retries", "0",
            "--cache", "cache", "--cafile", kit.authority, "--registry", kit.url(host, "npm/"), "greeter"]


def npm(kit, _way, host):
    script = 'rm -rf cache node_modules package*.json && "$@" && node -e "console.log(require(\'greeter\'))"'
    return ["sh", "-c", script, "sh", *npm_install(kit, host)]


def fetch(kit, way, host):
    code = FETCH
    if way != "no variables" and not kit.node_reads_variables:
        kit.undici()
        code = USE_VARIABLES + code
    return ["node", "-e", code, kit.url(host, "hello.txt")]


def undici(kit, _way, host):
    kit.undici()
    return ["node", "-e", REQUEST, kit.url(host, "hello.txt")]


def java(kit, way, host, scheme="https"):
    folder = kit.java()
    words = ["-XX:TieredStopAtLevel=1", f"-Djavax.net.ssl.trustStore={folder}/trusted",
             "-Djavax.net.ssl.trustStorePassword=password"]
    if way == "variables":  # which Java does not read
        words += [f"-D{name}.proxy{part}" for name in ("http", "https") for part in ("Host=127.0.0.1", "Port=3128")]
    return ["java", *words, "-cp", folder, "Fetch", kit.url(host, "hello.txt", scheme)]


def plain_java(kit, way, host):
    return java(kit, way, host, "http")


def websockets(kit, _way, host, scheme="wss"):
    return [PYTHON, "-c", WEBSOCKET_PYTHON, kit.url(host, "echo", scheme), GREETING]


def plain_websockets(kit, way, host):
    return websockets(kit, way, host, "ws")


def undici_websocket(kit, _way, host, scheme="wss"):
    kit.undici()
    return ["node", "-e", WEBSOCKET_NODE, kit.url(host, "echo", scheme), GREETING]


def plain_undici_websocket(kit, way, host):
    return undici_websocket(kit, way, host, "ws")


# -- the list ----------------------------------------------------------------------------------------------

@dataclasses.dataclass(frozen=True)
class Client:
    command: typing.Callable
    needs: tuple = ()  # programs
    port: int = 443
    ways: tuple = ("no variables", "variables")
    protocols: tuple = ("tls", "connect")  # in the log: without variables, with them
    reads_variables: bool = True  # and understands a password in them

    @property
    def name(self):
        return self.command.__name__

    def protocol(self, way):
        return "socks5" if way == "socks" else self.protocols[way != "no variables"]


HTTP = {"port": 80, "protocols": ("http", "http")}
DEAF = {"protocols": ("tls", "tls"), "reads_variables": False}
OTHER = {"protocols": ("tcp", "tcp"), "reads_variables": False}

CLIENTS = [
    Client(curl, ("curl",), ways=tuple(WAYS)),
    Client(plain_curl, ("curl",), ways=tuple(WAYS), **HTTP),
    Client(git_protocol, ("git",), ways=tuple(WAYS)),
    Client(git_files, ("git",)),
    Client(git_ssh, ("git",), port=22, **OTHER),
    Client(ssh, port=22, **OTHER),
    Client(psql, port=5432, **OTHER),
    Client(plain_psql, port=5432, **OTHER),
    Client(urllib),
    Client(pip),
    Client(fetch, ("node",)),
    Client(undici, ("node",)),
    Client(npm, ("node", "npm")),
    Client(java, ("java",), reads_variables=False),
    Client(plain_java, ("java",), reads_variables=False, **HTTP),
    Client(websockets, **DEAF),
    Client(plain_websockets, reads_variables=False, **HTTP),
    Client(undici_websocket, ("node",)),
    Client(plain_undici_websocket, ("node",), port=80, protocols=("http", "connect")),
]

LISTED = [HOST, f"{HOST}:22", f"{HOST}:5432"]
