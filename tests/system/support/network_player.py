"""Plays cases inside a sandbox: sends bytes, and tells what came back and what arrived at the
servers of `recorder`.

    network_player.py CASES_FILE

Prints a line of JSON for each case, with its number first, in any order. A case is a dictionary:

    to       "explicit", or [host, port]
    send     a list: text (bytes read as Latin-1), sent at once; {"await": TEXT} waits until that
             has come back; {"repeat": TEXT, "times": N}; {"sleep": SECONDS}
    answers  for the recorder
    alone    true: takes long and reaches no host, so it runs beside the others
"""

import json
import socket
import sys
import threading
import time

EXPLICIT = ("127.0.0.1", 3128)
CONTROL = ("control.raw.example", 7900)
PATIENCE = 60  # seconds; a bound for what hangs


class Control:
    def __init__(self):
        self.connection = socket.create_connection(CONTROL, PATIENCE)
        self.stream = self.connection.makefile("r", encoding="ascii")

    def ask(self, question):
        self.connection.sendall((json.dumps(question) + "\n").encode())
        return json.loads(self.stream.readline())


def bytes_of(piece):
    text = piece if isinstance(piece, str) else piece["repeat"] * piece["times"]
    return text.encode("latin-1")


class Conversation:
    def __init__(self, case):
        self.reply, self.end = b"", ""
        try:
            place = EXPLICIT if case["to"] == "explicit" else tuple(case["to"])
            self.client = socket.create_connection(place, PATIENCE)
        except ConnectionResetError:
            self.end = "reset"
            return
        except OSError as error:
            self.end = type(error).__name__
            return
        with self.client:
            self.client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for piece in case["send"]:
                self.pass_piece(piece)
            if not self.end and not case.get("waits"):
                self.shut()
            while not self.end:
                self.read()

    def pass_piece(self, piece):
        if isinstance(piece, dict) and "await" in piece:
            while not self.end and piece["await"].encode("latin-1") not in self.reply:
                self.read()
        elif isinstance(piece, dict) and "sleep" in piece:
            time.sleep(piece["sleep"])
        elif not self.end:
            try:
                self.client.sendall(bytes_of(piece))
            except OSError:
                pass  # the reason can still be read

    def shut(self):
        try:
            self.client.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def read(self):
        try:
            received = self.client.recv(65536)
        except ConnectionResetError:
            self.end = "reset"
            return
        except OSError as error:
            self.end = type(error).__name__
            return
        self.reply += received
        self.end = "" if received else "closed"


def tell(number, done, **more):
    print(json.dumps([number, {"reply": done.reply.decode("latin-1"), "end": done.end, **more}]), flush=True)


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        cases = json.load(file)
    beside = [threading.Thread(target=lambda n=number, c=case: tell(n, Conversation(c)))
              for number, case in enumerate(cases) if case.get("alone")]
    for thread in beside:
        thread.start()
    control = Control()
    for number, case in enumerate(cases):
        if not case.get("alone"):
            control.ask({"answers": case["answers"]})
            done = Conversation(case)
            tell(number, done, **control.ask({}))
    for thread in beside:
        thread.join()


if __name__ == "__main__":
    main()
