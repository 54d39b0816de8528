"""Tries to get around a sandbox's network from within. Prints {attempt: [results]} in JSON, where a
result is the error of a call, or "open" if all of it succeeded.

    network_escapes.py VALUES

VALUES is JSON: `state` and `proxy`, directories; `sockets`, paths; `processes`, numbers of processes
outside; `peer`, the number of a process that may be inspected if nothing forbids it.
"""

import ctypes
import json
import os
import socket
import struct
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET, CLONE_NEWUSER = 0x40000000, 0x10000000
PIDFD_OPEN, PIDFD_GETFD, IO_URING_SETUP = 434, 438, 425
PTRACE_ATTACH = 16
FAMILIES, TYPES, NETLINK_PROTOCOLS = range(48), (1, 2, 3, 5), range(23)
NEWLINK, DELLINK, NEWADDR, NEWROUTE, NEWNEIGH, NEWRULE = 16, 17, 20, 24, 28, 32
REQUEST_CREATE_ACK = 0x1 | 0x4 | 0x400
RESULTS = {}


def note(name, attempt, *arguments):
    try:
        attempt(*arguments)
        found = "open"
    except OSError as error:
        found = error.strerror or type(error).__name__
    RESULTS.setdefault(name, []).append(found)


def call(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


# -- sockets ------------------------------------------------------------------------------------------

def families():
    found = []
    for family in FAMILIES:
        for kind in TYPES:
            for protocol in NETLINK_PROTOCOLS if family == socket.AF_NETLINK else (0, 1):
                number = LIBC.socket(family, kind, protocol)
                if number >= 0:
                    os.close(number)
                    found.append([family, kind, protocol])
    return found


def send_forged(path):
    """As a holder, a launcher and a broker do: a type, and names with their descriptors."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
        client.connect(path)
        own = socket.create_server(("127.0.0.1", 0))
        try:
            for kind in b"nmpjcsd":
                socket.send_fds(client, [bytes([kind]) + b"443\0"], [own.fileno()])
        except ConnectionError:
            pass  # it was reached, and hung up


def connect_unix(path):
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM):
        with socket.socket(socket.AF_UNIX, kind) as client:
            try:
                client.connect(path)
                return
            except OSError as error:
                last = error
    raise last


def abstract_sockets():
    with open("/proc/net/unix", encoding="ascii", errors="replace") as table:
        return [line.split()[7] for line in table if " @" in line]


def datagram(address, port):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as client:
        client.settimeout(60)
        client.connect((address, port))
        client.send(b"x")
        client.recv(1)


def inherited():
    links = {}
    for number in os.listdir("/proc/self/fd"):
        try:
            links[int(number)] = os.readlink(f"/proc/self/fd/{number}")
        except OSError:
            pass
    return [f"{number}: {link}" for number, link in links.items() if link.startswith("socket:")]


# -- namespaces and processes -------------------------------------------------------------------------

def enter(path, kind):
    with open(path, encoding="ascii") as file:
        call(LIBC.setns(file.fileno(), kind))


def in_child(attempt, *arguments):
    """An attempt that would change this process."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        note("", attempt, *arguments)
        os.write(writes, RESULTS[""][0].encode())
        os._exit(0)
    os.close(writes)
    os.waitpid(child, 0)
    with os.fdopen(reads) as answer:
        text = answer.read()
    if text != "open":
        raise OSError(0, text or "it has ended")


def attach(process):
    call(LIBC.ptrace(PTRACE_ATTACH, process, None, None))
    os.waitpid(process, 0)


def take_descriptor(process, number):
    held = call(LIBC.syscall(PIDFD_OPEN, process, 0))
    call(LIBC.syscall(PIDFD_GETFD, held, number, 0))


def inspect(process):
    note("ptrace", in_child, attach, process)
    for number in (0, 3, 4, 5):
        note("descriptor", take_descriptor, process, number)
    note("descriptors", os.listdir, f"/proc/{process}/fd")
    note("memory", lambda: open(f"/proc/{process}/mem", "rb").close())
    for kind, flag in (("net", CLONE_NEWNET), ("user", CLONE_NEWUSER)):
        note(f"setns {kind}", in_child, enter, f"/proc/{process}/ns/{kind}", flag)


# -- routes -------------------------------------------------------------------------------------------

def attribute(kind, data):
    return struct.pack("=HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def netlink(kind, body):
    message = struct.pack("=IHHII", 16 + len(body), kind, REQUEST_CREATE_ACK, 1, 0) + body
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as client:
        client.sendto(message, (0, 0))
        code = -struct.unpack("=i", client.recv(65536)[16:20])[0]
    if code:
        raise OSError(code, os.strerror(code))


def link(index, flags=0, change=0):
    return struct.pack("=BxHiII", 0, 0, index, flags, change)


def routes(last):
    """`last`: the index of the link that leads out."""
    loopback = struct.pack("=I", 1)
    note("route", netlink, NEWROUTE, struct.pack("=BBBBBBBBI", 2, 0, 0, 0, 255, 3, 254, 2, 0) + attribute(4, loopback))
    note("address", netlink, NEWADDR, struct.pack("=BBBBi", 2, 32, 0, 0, 1) + attribute(2, bytes([198, 18, 0, 2])))
    info = attribute(18, attribute(1, b"dummy\0"))
    note("new link", netlink, NEWLINK, link(0) + attribute(3, b"more\0") + info)
    note("link down", netlink, NEWLINK, link(last, 0, 1))
    note("move link", netlink, NEWLINK, link(last) + attribute(19, struct.pack("=I", os.getpid())))
    note("neighbour", netlink, NEWNEIGH, struct.pack("=BxHiHBB", 2, 0, last, 0x80, 0, 1) +
         attribute(1, bytes([198, 18, 0, 2])) + attribute(2, b"\2\0\0\0\0\1"))
    note("rule", netlink, NEWRULE, struct.pack("=BBBBBBBBI", 2, 0, 0, 0, 255, 0, 0, 1, 0))
    note("delete link", netlink, DELLINK, link(last))


def main():
    values = json.loads(sys.argv[1])
    RESULTS["families"] = families()
    RESULTS["inherited"] = inherited()
    note("list state", os.listdir, values["proxy"])
    for path in values["control"]:
        note("control", connect_unix, path)
        note("forged", send_forged, path)
    for path in values["sockets"]:
        note("later sockets", connect_unix, path)
    RESULTS["abstract"] = abstract_sockets()
    for address in ("203.0.113.9", "203.0.113.5", "::ffff:203.0.113.9", "198.18.0.2", "255.255.255.255"):
        note("datagrams", datagram, address, 443)
    note("io_uring", lambda: call(LIBC.syscall(IO_URING_SETUP, 4, ctypes.create_string_buffer(120))))
    note("unshare user", in_child, lambda: call(LIBC.unshare(CLONE_NEWUSER)))
    note("unshare both", in_child, lambda: call(LIBC.unshare(CLONE_NEWUSER | CLONE_NEWNET)))
    own = {os.getpid(), os.getppid()} if values["bare"] else {os.getpid()}
    seen = {int(name) for name in os.listdir("/proc") if name.isdigit()}
    for process in sorted(set(values["processes"]) | (set() if values["bare"] else seen - own)):
        inspect(process)
    routes(max(index for index, _ in socket.if_nameindex()))
    print(json.dumps(RESULTS))


if __name__ == "__main__":
    main()
