"""The resolver and the addresses that a sandbox sees, against programs that write their own queries.

fixtures/proxy/dns has queries as text (Latin-1): {head} is the header of one question, {A} the type
and the class of an address. `reply` is "nothing", "address", or the code of a reply without records.
"""

import json

import pytest

from repository import ROOT

QUERIES = ROOT / "fixtures/proxy/dns/queries.json"
HEAD, ADDRESS = "\xab\xcd\1\0\0\1\0\0\0\0\0\0", "\0\1\0\1"

# Sends each query and then a valid one, whose reply says that no other will come. A connection that
# ends instead says the same.
PLAY = """
import json, socket, struct, sys
known = b"\\x11\\x11\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\5known\\7example\\0\\0\\1\\0\\1"
server = ("198.18.0.2", 53)
def datagrams(query):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(60)
        client.connect(server)
        client.send(query)
        client.send(known)
        while True:
            yield client.recv(65536)
def stream(query):
    with socket.create_connection(server, 60) as client:
        for one in (query, known):
            client.sendall(struct.pack(">H", len(one)) + one)
        file = client.makefile("rb")
        while size := file.read(2):
            yield file.read(struct.unpack(">H", size)[0])
def replies(ask, query):
    found = []
    try:
        for reply in ask(query):
            if reply[:2] == known[:2]:
                break
            found.append(reply.decode("latin-1"))
    except ConnectionError:
        pass
    return found
for query in json.load(open("queries.json")):
    print(json.dumps([replies(ask, query.encode("latin-1")) for ask in (datagrams, stream)]))
"""


def meaning(query, replies):
    if not replies:
        return "nothing"
    if len(replies) > 1 or replies[0][:2] != query[:2] or ord(replies[0][2]) & 0x80 == 0:
        return f"other replies: {replies}"
    reply = replies[0].encode("latin-1")
    records = int.from_bytes(reply[6:8], "big")
    if records == 1 and reply[-6:-4] == b"\0\4" and reply[3] & 15 == 0:
        return "address"
    return f"{records} records" if records else reply[3] & 15


def test_queries(world, checks):
    rows = json.loads(QUERIES.read_text())
    queries = [row["send"].replace("{head}", HEAD).replace("{A}", ADDRESS) for row in rows]
    world.write("project/queries.json", json.dumps(queries))
    done = world.python(PLAY, seconds=120)
    lines = done.stdout.splitlines()
    assert len(lines) == len(rows), done.stderr
    for row, query, line in zip(rows, queries, lines):
        for way, replies in zip(("datagram", "stream"), json.loads(line)):
            found = meaning(query, replies)
            checks.check(f"{row['case']}, {way}", found != row["reply"] and f"{found}, not {row['reply']}")


@pytest.mark.parametrize("size", [512, 513, 4096, 65000])
def test_long_queries_hold_up_no_other(world, size):
    """512 bytes with padding are answered, more are not read."""
    code = f"""
import socket, struct
query = b"\\xab\\xcd\\1\\0\\0\\1\\0\\0\\0\\0\\0\\1\\4good\\7example\\0\\0\\1\\0\\1\\0\\0)\\4\\xd0\\0\\0\\0\\0"
padding = {size} - len(query) - 2
query += struct.pack(">H", padding) + bytes(padding)
valid = b"\\x11\\x11" + query[2:11] + b"\\0" + query[12:30]
for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as client:
        client.settimeout(60)
        client.connect(("198.18.0.2", 53))
        stream = kind == socket.SOCK_STREAM
        client.send((struct.pack(">H", len(query)) if stream else b"") + query)
        if not stream:
            client.send(valid)
        try:
            print(client.recv(65536)[-6:-4] == b"\\0\\4", end=" ")
        except ConnectionError:
            print(False, end=" ")
print(socket.gethostbyname("good.example"))
"""
    done = world.python(code)
    datagram, stream, address = done.stdout.split()
    assert datagram == "True", done.stderr
    assert stream == str(size <= 512)
    assert address.startswith("198.18.")


def test_an_address_means_one_name_only(world):
    """Whatever spelling a name is asked for in, and however often, its address stays that name's."""
    code = """
import socket
def first(host, address, port=80):
    with socket.create_connection((address, port), 60) as client:
        client.sendall(f"GET / HTTP/1.1\\r\\nHost: {host}\\r\\nConnection: close\\r\\n\\r\\n".encode())
        return client.makefile("rb").readline().split()[1].decode()
good = socket.gethostbyname("good.example")
bad = socket.gethostbyname("bad.example")
print(len({socket.gethostbyname(name) for name in ("good.example", "GOOD.example", "good.example.")}))
print(first("good.example", good), first("good.example", bad), first("bad.example", good))
for number in range(3000):
    socket.gethostbyname(f"n{number}.bad.example")
print(socket.gethostbyname("good.example") == good, socket.gethostbyname("bad.example") == bad)
print(first("good.example", good), first("good.example", "::ffff:" + good))
"""
    done = world.python(code, seconds=90)
    assert done.stdout.split("\n")[:-1] == ["1", "200 403 421", "True True", "200 200"], done.stderr
