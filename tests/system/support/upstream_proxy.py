"""The proxy of a company in the network of `internet`: it knows CONNECT only, and hosts that nobody
else can look up. For some names it answers as a broken proxy does."""

import json
import socket
import socketserver
import threading
import time

# At an address that the egress proxy refuses to programs, and on the loopback.
UPSTREAM, LOCAL_UPSTREAM = ("10.1.2.3", 3128), ("127.0.0.1", 3129)
NOBODY = ("10.1.2.3", 3999)
# Looked up by this proxy alone.
HIDDEN = ("hidden.example", "plain.example", "odd.example", "refused.example", "password.example",
          "slow.example", "split.example", "interim.example", "switches.example", "silent.example",
          "ends.example", "greets.example", "endless.example", "bare.example", "newer.example")
OK = b"HTTP/1.1 200 Connection established\r\n"
ANSWERS = {
    "odd.example": b"HTTP/1.0 299\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    "refused.example": b"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno",
    "password.example": b"HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"x\"\r\n\r\n",
    "interim.example": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Wait\r\nA: b\r\n\r\n" + OK + b"\r\n",
    "switches.example": b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
    "ends.example": b"HTTP/1.1 200 OK\r\nA: b\r\n",
    "greets.example": b"SSH-2.0-not-a-proxy\r\n",
    "endless.example": OK + b"A: b\r\n" * 2000,
    "bare.example": b"HTTP/1.1 200 OK\n\n",
    "newer.example": b"HTTP/2.0 200 OK\r\n\r\n",
}
# After these answers the connection ends.
ENDS = ("refused.example", "password.example", "switches.example", "ends.example", "greets.example",
        "endless.example", "bare.example", "newer.example")


class ConnectProxy(socketserver.BaseRequestHandler):
    def handle(self):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            got = self.request.recv(1)
            if not got:
                return
            head += got
        with open(self.server.record, "a", encoding="ascii") as record:
            record.write(json.dumps(head.decode("latin-1")) + "\n")
        name, _, port = head.split(b" ")[1].decode().rpartition(":")
        if name == "silent.example":
            self.request.recv(1)  # until the client has had enough
            return
        answer = ANSWERS.get(name, OK + b"\r\n")
        if name in ENDS:
            self.request.sendall(answer)
            return
        with socket.create_connection((self.server.hosts.get(name, name), int(port)), 10) as host:
            self.answer(name, answer, host)
            threading.Thread(target=pass_on, args=(self.request, host), daemon=True).start()
            pass_on(host, self.request)

    def answer(self, name, answer, host):
        """A host that speaks first is heard in the same segment as the answer."""
        host.settimeout(0.2)
        try:
            early = host.recv(65536)
        except TimeoutError:
            early = b""
        host.settimeout(None)
        if name == "slow.example":
            time.sleep(1)
        if name == "split.example":
            for byte in answer:
                self.request.sendall(bytes([byte]))
                time.sleep(0.002)
            answer = b""
        self.request.sendall(answer + early)


def pass_on(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


class ConnectProxies(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128


def upstream_proxies(base, hosts, good):
    """The servers, not started. `hosts`: the addresses of names; `good`: that of the hidden ones."""
    record = base / "connects"
    record.touch()
    for place in (UPSTREAM, LOCAL_UPSTREAM):
        server = ConnectProxies(place, ConnectProxy)
        server.record, server.hosts = record, {**hosts, **{name: good for name in HIDDEN}}
        yield server
