"""Servers that record every byte which reaches them and answer as they are told, for tests in the
network of `internet`.

A test asks over a connection to CONTROL_PORT, with a line of JSON for each question:

    {"answers": [[BYTES, TEXT], ...]}  the next connections answer TEXT once BYTES have come since
                                       the last answer, at once with BYTES 0; the last one
                                       ends what the server sends
    {}                                 what has come since the last question, once all connections
                                       have ended: {"arrived": [[PLACE, TEXT], ...], "open": N}

Texts are bytes read as Latin-1. One thread, so an answer covers all that came before its question.
"""

import json
import selectors
import socket
import threading
import time

RECORDER = "203.0.113.9"
OTHER_PORT, CONTROL_PORT = 7000, 7900
# No rule of a policy leads there, so nothing may ever arrive.
INSIDE = ("127.0.0.1", "::1", "10.1.2.4", "169.254.169.254")
PORTS = (80, 443)
PATIENCE = 10  # seconds until a connection counts as left open


class Connection:
    def __init__(self, recorder, client, place):
        self.recorder, self.client, self.place = recorder, client, place
        self.answers = list(recorder.answers)
        self.closes = bool(self.answers)
        self.text, self.new, self.pending = b"", 0, b""
        client.setblocking(False)
        recorder.selector.register(client, selectors.EVENT_READ, self.serve)
        recorder.connections.append(self)
        self.answer()

    def serve(self, events):
        try:
            if events & selectors.EVENT_READ:
                received = self.client.recv(65536)
                if not received:
                    self.end()
                    return
                self.text += received
                self.new += len(received)
                self.answer()
            self.flush()
        except BlockingIOError:
            pass  # served while a question waited
        except OSError:
            self.end()

    def answer(self):
        while self.answers and self.new >= self.answers[0][0]:
            self.new = 0
            self.pending += self.answers.pop(0)[1].encode("latin-1")
        self.flush()

    def flush(self):
        if self not in self.recorder.connections:
            return
        try:
            while self.pending:
                self.pending = self.pending[self.client.send(self.pending):]
        except BlockingIOError:
            pass
        except OSError:
            self.end()
            return
        if self.closes and not self.answers and not self.pending:
            self.closes = False
            self.client.shutdown(socket.SHUT_WR)
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self.pending else 0)
        self.recorder.selector.modify(self.client, events, self.serve)

    def end(self):
        if self in self.recorder.connections:
            self.recorder.connections.remove(self)
            self.recorder.arrived.append([self.place, self.text.decode("latin-1")])
            self.recorder.selector.unregister(self.client)
            self.client.close()


class Control:
    def __init__(self, recorder, client):
        self.recorder, self.client, self.text = recorder, client, b""
        recorder.selector.register(client, selectors.EVENT_READ, self.serve)

    def serve(self, _):
        try:
            received = self.client.recv(1 << 20)
        except OSError:
            received = b""
        if not received:
            self.recorder.selector.unregister(self.client)
            self.client.close()
            return
        self.text += received
        while b"\n" in self.text:
            line, self.text = self.text.split(b"\n", 1)
            self.client.sendall((json.dumps(self.recorder.control(json.loads(line))) + "\n").encode())


class Recorder:
    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.answers, self.connections, self.arrived = [], [], []
        for address in (RECORDER, *INSIDE):
            for port in PORTS:
                self.listen(address, port)
        self.listen(RECORDER, OTHER_PORT)
        self.listen(RECORDER, CONTROL_PORT)

    def listen(self, address, port):
        server = socket.create_server((address, port), backlog=1024,
                                      family=socket.AF_INET6 if ":" in address else socket.AF_INET)
        server.setblocking(False)
        place = f"{address}:{port}"
        self.selector.register(server, selectors.EVENT_READ, lambda _: self.accept(server, port, place))

    def accept(self, server, port, place):
        try:
            client, _ = server.accept()
        except BlockingIOError:
            return  # served while a question waited
        if port == CONTROL_PORT:
            Control(self, client)
        else:
            Connection(self, client, place)

    def serve_once(self, patience=None):
        for key, events in self.selector.select(patience):
            if key.fileobj.fileno() >= 0:  # not closed by one before it
                key.data(events)

    def control(self, question):
        if "answers" in question:
            self.answers = question["answers"]
            return {}
        late = time.monotonic() + PATIENCE
        self.serve_once(0)
        while self.connections and time.monotonic() < late:
            self.serve_once(late - time.monotonic())
        found = {"arrived": self.arrived, "open": len(self.connections)}
        for connection in list(self.connections):
            connection.end()
        self.arrived = []
        return found

    def run(self):
        while True:
            self.serve_once()


def start():
    recorder = Recorder()
    threading.Thread(target=recorder.run, daemon=True).start()
