"""Hosts for the tests of load: each port answers in its own way. Runs in the network of `internet`.

    load_hosts.py ADDRESS
"""

import asyncio
import hashlib
import socket
import struct
import sys

ECHO, SOURCE, DIGEST, HALF, RESET, WEB, EARLY, COUNTS = range(7801, 7809)
WEB_SIZE = 256 << 10
SOURCE_SIZE = 4 << 20
SOURCE_BLOCK = bytes(range(256)) * 256

counts = {"open": 0, "reset": 0, "after-half": 0, "mixed": 0}


def resets(writer):
    """The next close of this connection resets it."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def echo(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()


async def source(_, writer):
    for _ in range(SOURCE_SIZE // len(SOURCE_BLOCK)):
        writer.write(SOURCE_BLOCK)
        await writer.drain()


async def digest(reader, writer):
    """Reads to the end, and then answers."""
    total = hashlib.sha256()
    while data := await reader.read(65536):
        total.update(data)
    writer.write(total.hexdigest().encode())
    await writer.drain()


async def half(reader, writer):
    """Ends its own side first, and counts what comes after that."""
    writer.write(b"bye")
    writer.write_eof()
    while data := await reader.read(65536):
        counts["after-half"] += len(data)


async def reset(reader, writer):
    await reader.read(1)
    resets(writer)


async def web(reader, writer):
    """Answers each request with a long body, and keeps the connection."""
    while await head_of(reader):
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {WEB_SIZE}\r\n\r\n".encode() + bytes(WEB_SIZE))
        await writer.drain()


async def early(reader, writer):
    """Answers before it has read the body, when as much of it as possible is on the way. After a second it
    reads that, and what comes after it."""
    head = await head_of(reader)
    length = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
    await asyncio.sleep(0.5)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    await writer.drain()
    await asyncio.sleep(1)
    body = bytearray(await reader.read(1))
    while body and len(body) < length and (part := await reader.read(min(65536, length - len(body)))):
        body += part
    counts["mixed"] += body.count(b"GET ")
    if len(body) == length and await head_of(reader):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond")
        await writer.drain()


async def head_of(reader):
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return b""


async def tell_counts(_, writer):
    writer.write(" ".join(str(counts[name]) for name in sorted(counts)).encode())
    await writer.drain()


def serving(handler):
    async def serve(reader, writer):
        counts["open"] += handler is not tell_counts
        try:
            await handler(reader, writer)
        except ConnectionResetError:
            counts["reset"] += 1
        finally:
            counts["open"] -= handler is not tell_counts
            writer.close()
    return serve


async def main(address):
    servers = {ECHO: echo, SOURCE: source, DIGEST: digest, HALF: half, RESET: reset, WEB: web,
               EARLY: early, COUNTS: tell_counts}
    for port, handler in servers.items():
        await asyncio.start_server(serving(handler), address, port, backlog=1024,
                                   limit=1 << (12 if handler is early else 17))
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
