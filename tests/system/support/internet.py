"""A network of its own in which hosts answer, and commands that run in it.

The hosts have addresses of 203.0.113.0/24, which is not routed anywhere; their names are in a
private /etc/hosts. So the proxy's rules for private and loopback addresses need no exception for
tests. `Internet` starts this file in new namespaces and talks to it in JSON, one line for each
command.
"""

import http.server
import json
import os
import pathlib
import pwd
import shutil
import socket
import socketserver
import ssl
import subprocess
import sys
import threading
import time

import recorder
from upstream_proxy import upstream_proxies

PYTHON = "/usr/bin/python3"  # not that of the tests, which only their user may be able to start
GOOD, BAD, PRIVATE = "203.0.113.5", "203.0.113.6", "10.1.2.3"
SITE = "203.0.113.7"  # nothing answers there but what `Internet.serve` starts
HOSTS = {"good.example": GOOD, "www.good.example": GOOD, "bad.example": BAD, "site.example": SITE,
         "private.example": PRIVATE, "loopback.example": "127.0.0.1",
         "metadata.example": "169.254.169.254", "mixed.example": PRIVATE, "proxy.example": PRIVATE}
# An interface has these; the others are only routed.
OWN, PRIVATE_OWN = "203.0.113.99", "10.9.9.9"
ECHO_PORT, GREETING_PORT, LOCAL_PORT = 7777, 2222, 5454
NEW_NAME = "tester"  # of the user, if the machine does not know them: ssh and sshd insist on a name
START_SECONDS = 60

# Names below RAW_NAMES belong to `recorder`. A name below ADDRESS_NAMES has the addresses in its first
# label, in hexadecimal: "7f000001-cb007109.addresses.example".
RAW_NAMES, ADDRESS_NAMES, HELD_NAMES = ".raw.example", ".addresses.example", ".held.example"

# The resolver of this network is not to be trusted. Each query gets the next row, and then the last
# one again. Queries for names below stalls.example get no answer at all, and those for names below
# held.example only once the file "answers" is there.
RESOLVER = "203.0.113.53"
ANSWERS = {
    "plain.example": [[GOOD]],
    "rebinds.example": [[GOOD], [PRIVATE]],
    "lies.example": [[PRIVATE, "127.0.0.1", "169.254.169.254", "::1", "::ffff:10.1.2.3",
                      "64:ff9b::a01:203", "fd00::1", GOOD]],
    "inside.example": [["127.0.0.1", "0.0.0.0", "10.1.2.3", "100.64.0.1", "192.168.1.1", "224.0.0.1",
                        "::", "::1", "fe80::1", "2002:a01:203::1", "::ffff:127.0.0.1"]],
    "silent.example": [[]],
}


class Internet:
    """`base`: a directory for its files; `user`: for the commands, if root runs the tests."""

    def __init__(self, base, user=None):
        self.base = pathlib.Path(base)
        self.user = user or os.getuid()
        self.user_name = name_of(self.user) or NEW_NAME
        self.certificates = self.base / "certificates"
        make_certificates(self.certificates)
        # Where every user may read it, as the source need not be.
        program = shutil.copy(__file__, self.base / "hosts.py")
        others = [pathlib.Path(__file__).with_name(name) for name in ("recorder.py", "upstream_proxy.py")]
        for file in (program, *(shutil.copy(other, self.base) for other in others)):
            os.chmod(file, 0o644)
        as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user else []
        self.process = subprocess.Popen(
            [*as_user, "unshare", "--user", "--map-root-user", "--net", "--mount", PYTHON, program,
             str(self.base), str(self.user)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert json.loads(self.process.stdout.readline()) == "ready"

    def run(self, command, cwd, env, seconds=30):
        """The result of a command that has ended."""
        status, out, err = self.ask("run", list(map(str, command)), str(cwd), env, seconds)
        return subprocess.CompletedProcess(command, status, out, err)

    def serve(self, name, command, port, address=SITE, **env):
        """Starts a server, which runs until the end, and waits until it listens. Its output is in
        the file NAME.log."""
        problem = self.ask("serve", name, list(map(str, command)), [address, port], env)
        assert not problem, f"{name}: {problem}"

    def ask(self, *words):
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def queries(self):
        """The names that the resolver was asked for."""
        return (self.base / "queries").read_text().split()

    def connects(self):
        """The heads of the requests that the proxy of network.upstream got."""
        return [json.loads(line) for line in (self.base / "connects").read_text().splitlines()]

    @property
    def authority(self):
        """The certificate with which the hosts' own are signed."""
        return self.certificates / "authority.pem"

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=20)
        self.process.stdout.close()


def name_of(user):
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return None


def make_certificates(folder):
    folder.mkdir()
    folder.chmod(0o755)

    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", "authority.key", "-out", "authority.pem", "-days", "30",
            "-subj", "/CN=test authority")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", "host.key", "-out", "host.csr", "-subj", "/CN=good.example")
    names = ",".join(f"DNS:{name}" for name in HOSTS)
    (folder / "names").write_text(f"subjectAltName={names},IP:{GOOD}\n")
    openssl("x509", "-req", "-in", "host.csr", "-CA", "authority.pem", "-CAkey", "authority.key",
            "-days", "30", "-extfile", "names", "-out", "host.pem")
    for file in folder.iterdir():
        file.chmod(0o644)


# -- in the namespaces --------------------------------------------------------------------------------

class Web(http.server.BaseHTTPRequestHandler):
    """Says what it was asked."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):  # pylint: disable=invalid-name
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length).decode()
        text = json.dumps({"host": self.headers["Host"], "path": self.path, "method": self.command,
                           "body": body, "address": self.server.server_address[0],
                           "headers": {name.lower(): value for name, value in self.headers.items()}})
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    do_POST = do_GET

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        while data := self.request.recv(65536):
            self.request.sendall(data)


class Greeting(socketserver.BaseRequestHandler):
    """Speaks first, as SSH does."""

    def handle(self):
        self.request.sendall(b"SSH-2.0-test\r\n")
        while data := self.request.recv(65536):
            self.request.sendall(data)


class Servers(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128


class WebServers(http.server.ThreadingHTTPServer):
    request_queue_size = 128


class Resolver(socketserver.BaseRequestHandler):
    def handle(self):
        query, connection = self.request
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]].decode())
            at += 1 + query[at]
        name, kind = ".".join(labels).lower(), int.from_bytes(query[at + 1:at + 3], "big")
        if kind == 1:
            with open(self.server.record, "a", encoding="ascii") as record:
                record.write(name + "\n")
        rows = self.server.answers.get(name) or [addresses_in(name)]
        if name.endswith(".stalls.example"):
            return
        while name.endswith(HELD_NAMES) and not self.server.record.with_name("answers").exists():
            time.sleep(0.02)
        family, size = (socket.AF_INET, 4) if kind == 1 else (socket.AF_INET6, 16)
        # The last query for A decides; glibc asks for both kinds.
        row = rows[0] if len(rows) == 1 or kind != 1 else rows.pop(0)
        data = [socket.inet_pton(family, text) for text in row if (":" in text) == (size == 16)]
        records = b"".join(b"\xc0\x0c" + kind.to_bytes(2, "big") + b"\0\1\0\0\0\0" +
                           size.to_bytes(2, "big") + part for part in data)
        status = 0x8180 if row or rows[0] or name in self.server.answers else 0x8183
        connection.sendto(query[:2] + status.to_bytes(2, "big") + b"\0\1" +
                          len(data).to_bytes(2, "big") + b"\0\0\0\0" + query[12:at + 5] + records,
                          self.client_address)


def addresses_in(name):
    """The addresses of a name that is in no table."""
    if name.endswith(RAW_NAMES):
        return [recorder.RECORDER]
    if name.endswith(HELD_NAMES):
        return [GOOD]
    if not name.endswith(ADDRESS_NAMES):
        return []
    packed = [bytes.fromhex(text) for text in name.removesuffix(ADDRESS_NAMES).split("-")]
    return [socket.inet_ntop(socket.AF_INET if len(data) == 4 else socket.AF_INET6, data) for data in packed]


def serve_names(base):
    server = socketserver.ThreadingUDPServer((RESOLVER, 53), Resolver)
    server.daemon_threads = True
    server.answers = {name: [list(row) for row in rows] for name, rows in ANSWERS.items()}
    server.record = base / "queries"
    server.record.touch()
    serve(server)


def serve(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()


def serve_hosts(certificates):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "host.pem", certificates / "host.key")
    for address in (GOOD, BAD, PRIVATE, OWN):
        for port in (80, 8080):
            serve(WebServers((address, port), Web))
        for port in (443, 8443):
            secure = WebServers((address, port), Web)
            secure.socket = context.wrap_socket(secure.socket, server_side=True)
            serve(secure)
        serve(Servers((address, ECHO_PORT), Echo))
        serve(Servers((address, GREETING_PORT), Greeting))
    serve(Servers(("127.0.0.1", LOCAL_PORT), Echo))


def build_network(base, user):
    def ip(*words):
        subprocess.run(["ip", *words], check=True)

    ip("link", "set", "lo", "up")
    for network in ("203.0.113.0/24", "10.1.2.0/24", "169.254.169.254/32"):
        ip("route", "add", "local", network, "dev", "lo")
    for own in (OWN, PRIVATE_OWN):
        ip("address", "add", own, "dev", "lo")
    # With addresses of IPv4 alone, the resolver would not look for others (getaddrinfo(3)).
    ip("address", "add", "2001:db8::63", "dev", "lo", "nodad")
    # The servers run as the user, who has no capability here.
    pathlib.Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").write_text("0", encoding="ascii")
    users = pathlib.Path("/etc/passwd").read_text(encoding="utf-8")
    if not name_of(user):
        users += f"{NEW_NAME}:x:{user}:{user}::{base}:/bin/sh\n"
    files = {
        "/etc/hosts": "127.0.0.1 localhost\n" +
                      "".join(f"{address} {name}\n" for name, address in HOSTS.items()),
        "/etc/resolv.conf": f"nameserver {RESOLVER}\n",
        "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
        "/etc/passwd": users,
    }
    for place, text in files.items():
        file = base / pathlib.Path(place).name
        file.write_text(text, encoding="utf-8")
        subprocess.run(["mount", "--bind", file, os.path.realpath(place)], check=True)


class Commands:
    """The commands of an `Internet`, as the user: inside, not as the root of a namespace."""

    def __init__(self, base, user):
        self.base = base
        self.as_user = ["unshare", "--user", f"--map-user={user}", f"--map-group={user}"]
        self.servers = []

    def run(self, command, cwd, env, seconds):
        try:
            done = subprocess.run([*self.as_user, *command], cwd=cwd, env=env, timeout=seconds, text=True,
                                  capture_output=True, stdin=subprocess.DEVNULL, check=False)
            return [done.returncode, done.stdout, done.stderr]
        except subprocess.TimeoutExpired as late:
            texts = [(part or b"").decode(errors="replace") for part in (late.stdout, late.stderr)]
            return [124, texts[0], texts[1] + f"no end in {seconds} s"]

    def serve(self, name, command, place, env):
        """Says why the server does not listen, if it does not."""
        log = self.base / f"{name}.log"
        with open(log, "wb") as output:
            server = subprocess.Popen(
                [*self.as_user, "setpriv", "--pdeathsig", "TERM", *command], cwd=self.base,
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", **env},
                stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        self.servers.append(server)
        late = time.monotonic() + START_SECONDS
        while time.monotonic() < late and server.poll() is None:
            try:
                socket.create_connection(place, 1).close()
                return ""
            except OSError:
                time.sleep(0.02)
        return f"status {server.poll()}: {log.read_text(errors='replace')[-2000:]}"

    def end(self):
        for server in self.servers:
            server.terminate()
        for server in self.servers:
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def main():
    base, user = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    build_network(base, user)
    serve_hosts(base / "certificates")
    serve_names(base)
    for proxy in upstream_proxies(base, HOSTS, GOOD):
        serve(proxy)
    recorder.start()
    commands = Commands(base, user)
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        kind, *words = json.loads(line)
        print(json.dumps(getattr(commands, kind)(*words)), flush=True)
    commands.end()


if __name__ == "__main__":
    main()
