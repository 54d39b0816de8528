"""A process outside the sandbox, as a target. escape_fixture.py starts it.

    escape_victim.py OUTSIDE_FOLDER HOME TMP_SOCKET ABSTRACT_NAME NAME

It listens in all ways, keeps a secret in its environment, in its memory and in an open file, and
answers each line on its standard input with a line of JSON that lists what has reached it. It
ends when its standard input closes. NAME makes its command line recognizable.
"""

import ctypes
import json
import os
import selectors
import signal
import socket
import sys

PR_SET_PTRACER, PR_SET_PTRACER_ANY = 0x59616D61, ctypes.c_ulong(-1)
QUIET = b"quiet..."


class Victim:
    def __init__(self, outside, home, tmp_socket, abstract):
        self.selector = selectors.DefaultSelector()
        self.reached = dict.fromkeys(("tcp", "udp", "abstract", "path", "tmp", "home", "datagram", "signal"), 0)
        self.memory = ctypes.create_string_buffer(QUIET, 64)
        self.file = os.open(f"{outside}/held", os.O_RDWR)
        # If only parents may inspect a process, this one permits all processes.
        ctypes.CDLL(None).prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0)
        signal.signal(signal.SIGUSR1, lambda *_: self.count("signal"))
        self.tcp = self.listen("tcp", socket.AF_INET, ("127.0.0.1", 0))
        self.udp = self.receive_at("udp", socket.AF_INET, ("127.0.0.1", 0))
        self.receive_at("datagram", socket.AF_UNIX, f"{outside}/run/datagram.sock")
        self.listen("abstract", socket.AF_UNIX, "\0" + abstract)
        self.listen("path", socket.AF_UNIX, f"{outside}/run/agent.sock")
        self.listen("tmp", socket.AF_UNIX, tmp_socket)
        self.listen("home", socket.AF_UNIX, f"{home}/agent.sock")
        self.selector.register(sys.stdin, selectors.EVENT_READ, self.answer)

    def count(self, name):
        self.reached[name] += 1

    def listen(self, name, family, address):
        server = socket.socket(family, socket.SOCK_STREAM)
        server.bind(address)
        server.listen(64)
        server.setblocking(False)
        self.selector.register(server, selectors.EVENT_READ, lambda: self.accept(server, name))
        return server

    def accept(self, server, name):
        server.accept()[0].close()
        self.count(name)

    def receive_at(self, name, family, address):
        receiver = socket.socket(family, socket.SOCK_DGRAM)
        receiver.bind(address)
        receiver.setblocking(False)
        self.selector.register(receiver, selectors.EVENT_READ, lambda: self.receive(receiver, name))
        return receiver

    def receive(self, receiver, name):
        receiver.recv(100)
        self.count(name)

    def answer(self):
        if not sys.stdin.readline():
            sys.exit(0)
        # Events before the question are counted before the answer.
        for key, _ in self.selector.select(0):
            if key.fileobj is not sys.stdin:
                key.data()
        if self.memory.value != QUIET:
            self.count_memory()
        self.say(self.reached)
        self.reached = dict.fromkeys(self.reached, 0)

    def count_memory(self):
        self.reached["memory"] = 1
        self.memory.value = QUIET

    def say(self, values):
        print(json.dumps(values), flush=True)

    def run(self):
        self.say({"tcp_port": self.tcp.getsockname()[1], "udp_port": self.udp.getsockname()[1],
                  "victim_memory": ctypes.addressof(self.memory), "victim_fd": self.file})
        while True:
            for key, _ in self.selector.select():
                key.data()


if __name__ == "__main__":
    Victim(*sys.argv[1:5]).run()
