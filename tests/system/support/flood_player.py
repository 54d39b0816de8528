"""Asks the sandbox's resolver for records that it refuses and reports, as fast as it can, and then
connects. Files in the current directory are the signals. Prints JSON.

    flood_player.py REPLIES KINDS [patient]

Names are of KINDS different hosts. First connects once, creates first.ready, and waits for first.go;
creates flooded.ready after REPLIES replies and another connection, and waits for flooded.go. With
"patient", that connection is tried until the proxy has room for it.
"""

import json
import os
import socket
import sys
import time
import urllib.error
import urllib.request

AT_ONCE = 32  # queries without a reply


def query(name):
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return b"\x12\x34\x01\0\0\1\0\0\0\0\0\0" + labels + b"\0\0\x0f\0\1"


def flood(replies, kinds):
    """Returns how many queries were sent."""
    with open("/etc/resolv.conf", encoding="ascii") as file:
        resolver, = (line.split()[1] for line in file if line.startswith("nameserver"))
    queries = [query(f"h{number}.example") for number in range(kinds)]
    sent = got = waiting = 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        asked.connect((resolver, 53))
        asked.settimeout(0.5)
        while got < replies:
            while waiting < AT_ONCE:
                asked.send(queries[sent % kinds])
                sent += 1
                waiting += 1
            try:
                asked.recv(1000)
                got += 1
                waiting -= 1
            except TimeoutError:
                waiting = 0  # no reply is certain
    return sent


def ask():
    """The status of the answer, and what a refusal says."""
    try:
        return [urllib.request.urlopen("http://good.example/", timeout=20).status, ""]
    except urllib.error.HTTPError as error:
        return [error.code, error.read().decode()]
    except OSError as error:
        return [0, str(error)]


def ask_until_served():
    """What was queued takes a moment."""
    for _ in range(1000):
        if (last := ask())[0] != 503:
            break
        time.sleep(0.02)
    return last


def step(name):
    with open(f"{name}.ready", "w", encoding="ascii"):
        pass
    while not os.path.exists(f"{name}.go"):
        time.sleep(0.02)


def main(replies, kinds, patient=""):
    answers = [ask()]
    step("first")
    sent = flood(int(replies), int(kinds))
    answers.append(ask_until_served() if patient else ask())
    step("flooded")
    answers.append(ask_until_served())
    print(json.dumps({"sent": sent, "answers": answers}))


if __name__ == "__main__":
    main(*sys.argv[1:])
