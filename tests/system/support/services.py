"""Real servers at `site.example`, in the network of `internet`: nginx with TLS, sshd, PostgreSQL.

nginx serves files, a git repository (as files and by git's own protocol), a registry of npm, an index
for pip, and a websocket that echoes. All run as the network's user.
"""

import base64
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import zipfile

import pytest

from internet import PYTHON, SITE as ADDRESS
from plain_world import give_away
from proxy_processes import until

HOST = "site.example"
GREETING = "hello from the site"
BACKENDS, WEBSOCKET = 9001, 9002  # ports of the loopback, behind nginx
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin"

NGINX = """
daemon off;
pid {base}/nginx.pid;
worker_processes 1;
error_log stderr;
events {{ }}
http {{
  access_log {base}/access;
  client_body_temp_path {base}/body;
  proxy_temp_path {base}/proxy;
  fastcgi_temp_path {base}/fastcgi;
  uwsgi_temp_path {base}/uwsgi;
  scgi_temp_path {base}/scgi;
  client_max_body_size 0;
  default_type application/octet-stream;
  types {{ text/html html; text/plain txt; application/json json; }}
  server {{
    listen {address}:80;
    listen {address}:443 ssl http2;
    server_name {host};
    ssl_certificate {certificates}/host.pem;
    ssl_certificate_key {certificates}/host.key;
    root {base}/site;
    location /git/ {{ proxy_pass http://127.0.0.1:{backends}/cgi-bin/git-http-backend/; }}
    location /npm/ {{ try_files $uri $uri.json =404; }}
    location /echo {{
      proxy_pass http://127.0.0.1:{websocket};
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection upgrade;
    }}
  }}
}}
"""

# Git's program behind nginx, and the websocket.
PROGRAM = """
import asyncio, http.server, os, sys, threading
import websockets

folder, backends, websocket = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
os.environ |= {"GIT_PROJECT_ROOT": folder + "/site", "GIT_HTTP_EXPORT_ALL": "1"}

class Programs(http.server.CGIHTTPRequestHandler):
    def __init__(self, *words):
        super().__init__(*words, directory=folder + "/programs")

server = http.server.ThreadingHTTPServer(("127.0.0.1", backends), Programs)
threading.Thread(target=server.serve_forever, daemon=True).start()

async def echo(connection):
    async for message in connection:
        await connection.send(message)

async def main():
    async with websockets.serve(echo, "127.0.0.1", websocket):
        await asyncio.Future()

asyncio.run(main())
"""

SSHD = """
Port 22
ListenAddress {address}
HostKey {base}/host_key
AuthorizedKeysFile {base}/user_key.pub
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
"""


def need(*programs):
    missing = [program for program in programs if not shutil.which(program, path=PATH)]
    if missing:
        unavailable(f"{missing[0]} is not installed")


def unavailable(reason):
    """Skips the test; in CI, where install.sh has installed everything, it fails."""
    if os.environ.get("REQUIRE_SANDBOX") == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def postgres_folder():
    """Of the distribution's newest PostgreSQL, whose programs are not in PATH."""
    found = [*pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    if not found and os.path.exists("/usr/bin/postgres"):
        return pathlib.Path("/usr/bin")
    if not found:
        unavailable("PostgreSQL is not installed")
    return max(found, key=lambda path: int(path.parent.parent.name)).parent


class Site:
    """nginx and its files."""

    def __init__(self, internet):
        need("nginx", "git")
        if subprocess.run([PYTHON, "-c", "import websockets"], capture_output=True, check=False).returncode:
            unavailable("python3-websockets is not installed")
        self.base, self.internet = internet.base / "web", internet
        self.root = self.base / "site"
        self.root.mkdir(parents=True)
        self.write("hello.txt", GREETING + "\n")
        self.make_repository()
        self.make_packages()
        self.make_wheel()
        give_to_user(self.base, internet)
        self.start()

    def write(self, path, content):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def make_repository(self):
        self.repository = self.root / "plans.git"
        work = self.base / "work"

        def git(*words, cwd=work):
            subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@x", *words], cwd=cwd, check=True,
                           capture_output=True, env={"PATH": PATH, "HOME": str(self.base)})

        work.mkdir()
        git("init", "-b", "main")
        (work / "plan.txt").write_text(GREETING + "\n")
        # Beyond the first packets, and nothing that compresses.
        (work / "random").write_bytes(os.urandom(200_000))
        git("add", ".")
        git("commit", "-m", "first")
        git("clone", "--bare", work, self.repository)
        git("update-server-info", cwd=self.repository)
        git("config", "http.receivepack", "true", cwd=self.repository)

    def make_packages(self):
        """`greeter` needs `@scope/words`."""
        self.make_package("@scope/words", f"module.exports = {json.dumps(GREETING)};", {})
        self.make_package("greeter", "module.exports = require('@scope/words');", {"@scope/words": "^1.0.0"})

    def make_package(self, name, code, dependencies):
        manifest = {"name": name, "version": "1.0.0", "main": "index.js", "dependencies": dependencies}
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for path, text in (("package.json", json.dumps(manifest)), ("index.js", code)):
                entry = tarfile.TarInfo(f"package/{path}")
                entry.size = len(text)
                archive.addfile(entry, io.BytesIO(text.encode()))
        content = packed.getvalue()
        file = f"npm/-/{name.rpartition('/')[2]}-1.0.0.tgz"
        digest = base64.b64encode(hashlib.sha512(content).digest()).decode()
        manifest["dist"] = {"tarball": f"https://{HOST}/{file}", "integrity": f"sha512-{digest}"}
        self.write(file, content)
        self.write(f"npm/{name}.json", json.dumps(
            {"name": name, "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": manifest}}))

    def make_wheel(self):
        file = "greeter-1.0-py3-none-any.whl"
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("greeter.py", f"text = {GREETING!r}\n")
            information = "greeter-1.0.dist-info"
            archive.writestr(f"{information}/METADATA", "Metadata-Version: 2.1\nName: greeter\nVersion: 1.0\n")
            archive.writestr(f"{information}/WHEEL",
                             "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            archive.writestr(f"{information}/RECORD", "")
        self.write(f"simple/greeter/{file}", packed.getvalue())
        self.write("simple/greeter/index.html", f'<!DOCTYPE html><html><body><a href="{file}">{file}</a></body></html>')

    def start(self):
        programs = self.base / "programs/cgi-bin"
        programs.mkdir(parents=True)
        execution = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True)
        (programs / "git-http-backend").symlink_to(execution.stdout.strip() + "/git-http-backend")
        self.internet.serve("backends", [PYTHON, "-c", PROGRAM, self.base, BACKENDS, WEBSOCKET], WEBSOCKET,
                            "127.0.0.1")
        configuration = self.base / "nginx.conf"
        configuration.write_text(NGINX.format(
            base=self.base, address=ADDRESS, host=HOST, certificates=self.internet.certificates,
            backends=BACKENDS, websocket=WEBSOCKET))
        self.internet.serve("nginx", ["nginx", "-e", "stderr", "-p", self.base, "-c", configuration], 443)

    def requests(self):
        """The lines of nginx's log, without websockets: it writes a line when a request has ended."""
        lines = (self.base / "access").read_text().splitlines()
        return [line for line in lines if "GET /echo " not in line]


class SecureShell:
    """sshd, and the user's key for it."""

    def __init__(self, internet):
        need("sshd", "ssh", "ssh-keygen")
        self.base = internet.base / "ssh"
        self.base.mkdir()
        self.user = internet.user_name
        give_to_user(self.base, internet)
        for key in ("host_key", "user_key"):
            made = internet.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], self.base, {"PATH": PATH})
            assert made.returncode == 0, made.stderr
        configuration = self.base / "sshd_config"
        configuration.write_text(SSHD.format(address=ADDRESS, base=self.base))
        (self.base / "known").write_text(f"{HOST} {(self.base / 'host_key.pub').read_text()}")
        give_to_user(self.base, internet)
        self.log = internet.base / "sshd.log"
        internet.serve("sshd", ["/usr/sbin/sshd", "-D", "-e", "-f", configuration], 22)

    def logins(self):
        return [line for line in self.log.read_text().splitlines() if "Accepted" in line]


class Database:
    """PostgreSQL with TLS, for those who want it, and without passwords."""

    user = "tester"

    def __init__(self, internet):
        need("psql")
        folder = postgres_folder()
        base = internet.base / "postgres"
        base.mkdir()
        data = base / "data"
        for name in ("host.pem", "host.key"):
            shutil.copy(internet.certificates / name, base)
        (base / "host.key").chmod(0o600)
        give_to_user(base, internet)
        env = {"PATH": PATH, "LC_ALL": "C", "HOME": str(base)}
        made = internet.run([folder / "initdb", "--no-sync", "-A", "trust", "-U", self.user, "-E", "UTF8",
                             "-D", data], base, env, seconds=120)
        assert made.returncode == 0, made.stderr
        settings = {"listen_addresses": ADDRESS, "unix_socket_directories": "", "fsync": "off",
                    "log_connections": "on", "ssl": "on", "ssl_cert_file": base / "host.pem",
                    "ssl_key_file": base / "host.key"}
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with open(data / "pg_hba.conf", "a", encoding="ascii") as rules:
            rules.write("host all all 0.0.0.0/0 trust\n")
        self.log = internet.base / "postgres.log"
        internet.serve("postgres", [folder / "postgres", "-D", data, *words], 5432)
        # It listens before it answers.
        until(lambda: "ready to accept connections" in self.log.read_text(), "PostgreSQL is ready")

    def logins(self):
        return [line for line in self.log.read_text().splitlines() if "connection received" in line]


def give_to_user(folder, internet):
    if os.geteuid() == 0:
        give_away(folder, internet.user)
