"""Hosts for the tests of load: each port answers in its own way. Runs in the network of `internet`.

    load_hosts.py ADDRESS
"""

import asyncio
import hashlib
import socket
import struct
import sys

ECHO, SOURCE, DIGEST, HALF, RESET, COUNTS = range(7801, 7807)
SOURCE_SIZE = 4 << 20
SOURCE_BLOCK = bytes(range(256)) * 256

counts = {"open": 0, "reset": 0, "after-half": 0}


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
    servers = {ECHO: echo, SOURCE: source, DIGEST: digest, HALF: half, RESET: reset, COUNTS: tell_counts}
    for port, handler in servers.items():
        await asyncio.start_server(serving(handler), address, port, backlog=1024, limit=1 << 17)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
