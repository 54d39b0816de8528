"""Passes connections on to a local socket: ADDRESS PORT SOCKET [CERTIFICATE KEY], with TLS if given."""

import socket
import socketserver
import ssl
import sys
import threading


def pass_on(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


class Relay(socketserver.BaseRequestHandler):
    def handle(self):
        outer = self.request
        try:
            if self.server.tls:
                outer = self.server.tls.wrap_socket(outer, server_side=True)
            inner = socket.socket(socket.AF_UNIX)
            inner.connect(self.server.target)
        except OSError:
            return
        threading.Thread(target=pass_on, args=(inner, outer), daemon=True).start()
        pass_on(outer, inner)


class Relays(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128


def main():
    address, port, target, *certificate = sys.argv[1:]
    server = Relays((address, int(port)), Relay)
    server.target, server.tls = target, None
    if certificate:
        server.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.tls.load_cert_chain(*certificate)
    server.serve_forever()


if __name__ == "__main__":
    main()
