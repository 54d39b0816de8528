"""Uses many connections in a sandbox, and checks every byte. Prints JSON.

    load_player.py MODE JSON

Files in the current directory are the signals: it creates NAME.ready, and waits for NAME.go.
"""

import asyncio
import hashlib
import json
import os
import random
import resource
import socket
import struct
import sys

HOST, EXPLICIT = "good.example", ("127.0.0.1", 3128)
AT_ONCE = 64  # connections that are being opened


async def connect(way, port):
    if way == "transparent":
        return await asyncio.open_connection(HOST, port)
    reader, writer = await asyncio.open_connection(*EXPLICIT)
    if way == "connect":
        writer.write(f"CONNECT {HOST}:{port} HTTP/1.1\r\nHost: {HOST}:{port}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        assert b" 200 " in head, head
    else:
        writer.write(b"\x05\x01\x00" + b"\x05\x01\x00\x03" + bytes([len(HOST)]) + HOST.encode() +
                     port.to_bytes(2, "big"))
        assert await reader.readexactly(2) == b"\x05\x00"
        assert (await reader.readexactly(10))[1] == 0
    return reader, writer


def way_of(number):
    return ("transparent", "connect", "socks")[number % 3]


async def exchange(reader, writer, seed, size):
    """Sends random bytes, and reads them back at the same time."""
    data = random.Random(seed).randbytes(size)

    async def send():
        for at in range(0, size, 65536):
            writer.write(data[at:at + 65536])
            await writer.drain()

    sending = asyncio.create_task(send())
    got = await reader.readexactly(size)
    await sending
    assert hashlib.sha256(got).digest() == hashlib.sha256(data).digest(), "other bytes came back"


async def in_parallel(count, function):
    """Calls the function with each number, some at a time; returns how many succeeded, and a problem."""
    gate = asyncio.Semaphore(AT_ONCE)
    problems = []

    async def one(number):
        async with gate:
            try:
                return await function(number)
            except (OSError, AssertionError, asyncio.IncompleteReadError) as problem:
                problems.append(f"{number}: {problem!r}")
                return None

    done = await asyncio.gather(*(one(number) for number in range(count)))
    return done, problems


async def signal(name):
    with open(f"{name}.ready", "w", encoding="ascii"):
        pass
    while not os.path.exists(f"{name}.go"):
        await asyncio.sleep(0.02)


async def idle(name, port, count):
    """Opens connections, uses each once, holds them until told, and uses each once more."""
    async def opened(number):
        reader, writer = await connect(way_of(number), port)
        await exchange(reader, writer, number, 10)
        return reader, writer

    held, problems = await in_parallel(count, opened)
    await signal(name)

    async def again(number):
        if held[number]:
            await exchange(*held[number], -number, 100)

    problems += (await in_parallel(count, again))[1]
    for pair in filter(None, held):
        pair[1].close()
    await signal(name + "-closed")
    return {"problems": problems}


async def busy(name, port, count, size):
    """All connections are open at the same time, and all move data."""
    held, problems = await in_parallel(count, lambda number: connect(way_of(number), port))
    tasks = [asyncio.create_task(exchange(*pair, number, size)) for number, pair in enumerate(held) if pair]
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if result is not None:
            problems.append(repr(result))
    await signal(name)
    return {"problems": problems}


async def slow(name, port, count, size):
    """Reads nothing until told, and then all. Small buffers here, so that the proxy has to wait."""
    held, problems = await in_parallel(count, lambda number: connect(way_of(number), port))
    for reader, _ in filter(None, held):
        reader._transport.pause_reading()  # pylint: disable=protected-access
    await signal(name)
    block = bytes(range(256)) * 256

    async def rest(number):
        reader, writer = held[number]
        reader._transport.resume_reading()  # pylint: disable=protected-access
        for _ in range(size // len(block)):
            assert await reader.readexactly(len(block)) == block, "other bytes came"
        assert await reader.read(1) == b""
        writer.close()

    problems += (await in_parallel(count, rest))[1]
    return {"problems": problems}


async def ends(ports, count):
    """Each way in which a connection ends."""
    async def digest(number):
        reader, writer = await connect(way_of(number), ports["digest"])
        data = random.Random(number).randbytes(200_000)
        writer.write(data)
        writer.write_eof()
        assert (await reader.read()).decode() == hashlib.sha256(data).hexdigest()
        writer.close()

    async def half(number):
        reader, writer = await connect(way_of(number), ports["half"])
        assert await reader.read() == b"bye"
        writer.write(bytes(1000))
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async def reset_by_host(number):
        reader, writer = await connect(way_of(number), ports["reset"])
        writer.write(b"x")
        try:
            assert not await reader.read(1), "bytes came"
        except ConnectionResetError:
            return "reset"
        return "end"

    async def reset_by_client(number):
        reader, writer = await connect(way_of(number), ports["echo"])
        await exchange(reader, writer, number, 10)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    problems, seen = [], []
    for function in (digest, half, reset_by_host, reset_by_client):
        results, more = await in_parallel(count, function)
        problems += more
        seen += [result for result in results if result]
    return {"problems": problems, "resets": seen.count("reset")}


async def web(name, port, count, size):
    """Connections that are idle between two requests."""
    async def get(reader, writer):
        writer.write(f"GET / HTTP/1.1\r\nHost: {HOST}:{port}\r\n\r\n".encode())
        await reader.readuntil(b"\r\n\r\n")
        assert not (await reader.readexactly(size)).strip(b"\0")

    async def opened(number):
        pair = await connect("transparent", port)
        await get(*pair)
        return number, pair

    held, problems = await in_parallel(count, opened)
    await signal(name)
    problems += (await in_parallel(count, lambda number: get(*held[number][1])))[1]
    return {"problems": problems}


async def early(port, sizes):
    """Requests that are answered before the host has read all of them, each followed by another one."""
    async def one(number):
        reader, writer = await connect("transparent", port)
        size = sizes[number]
        writer.write(f"POST / HTTP/1.1\r\nHost: {HOST}:{port}\r\nContent-Length: {size}\r\n\r\n".encode() +
                     b"b" * size)
        first = await reader.readuntil(b"\r\n\r\n") + await reader.readexactly(2)
        assert b" 200 " in first and first.endswith(b"ok"), first
        writer.write(f"GET /second HTTP/1.1\r\nHost: {HOST}:{port}\r\n\r\n".encode())
        try:
            rest = await asyncio.wait_for(reader.read(65536), 60)
        except ConnectionError:
            rest = b""
        writer.transport.abort()
        assert not rest or b" 200 " in rest, rest
        return "second" if rest else "closed"

    ends_of, problems = await in_parallel(len(sizes), one)
    return {"problems": problems, "second": ends_of.count("second"), "closed": ends_of.count("closed")}


async def main(mode, options):
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    print(json.dumps(await {"idle": idle, "busy": busy, "slow": slow, "ends": ends, "web": web,
                            "early": early}[mode](**options)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
