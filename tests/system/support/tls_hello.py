"""Builds the beginnings of TLS connections (RFC 8446, 4.1.2) that test_attacks.py sends.

    names       server names of the one extension; default: the host
    extensions  more extensions, each [TYPE, TEXT]; type 0 is another server_name
    none        true: without any extension
    padding     bytes of padding (RFC 7685)
    records     sizes of the first records; the last one has the rest. `one`: one byte for each
    segments    sizes of the first segments
    change      [OFFSET, TEXT]: what replaces the bytes of the message there
    before, tail  text before and behind
"""

SERVER_NAME, PADDING = 0, 21
MAX_RECORD = 1 << 14


def block(size, data):
    return len(data).to_bytes(size, "big") + data


def extension(kind, data):
    return kind.to_bytes(2, "big") + block(2, data)


def server_name(names):
    return block(2, b"".join(b"\0" + block(2, name.encode("latin-1")) for name in names))


def message_of(row, host):
    names = [name.replace("{host}", host).replace("{HOST}", host.upper()) for name in row.get("names", [host])]
    extensions = extension(SERVER_NAME, server_name(names)) if names else b""
    for kind, text in row.get("extensions", []):
        data = server_name([text]) if kind == SERVER_NAME else text.encode("latin-1")
        extensions += extension(kind, data)
    if row.get("padding"):
        extensions += extension(PADDING, bytes(row["padding"]))
    body = b"\x03\x03" + bytes(range(32)) + block(1, b"") + block(2, b"\x13\x01\xc0\x2b") + block(1, b"\0")
    if not row.get("none"):
        body += block(2, extensions)
    return b"\1" + block(3, body)


def cut(data, sizes):
    parts = []
    for size in sizes:
        parts.append(data[:size])
        data = data[size:]
    return [*parts, data] if data or not parts else parts


def hello_bytes(row, host):
    """The segments, as text."""
    message = message_of(row, host)
    if "change" in row:
        at, text = row["change"]
        message = message[:at] + text.encode("latin-1") + message[at + len(text):]
    sizes = [1] * len(message) if row.get("one") else list(row.get("records", []))
    sizes += [MAX_RECORD] * ((len(message) - sum(sizes)) // MAX_RECORD)
    data = b"".join(b"\x16\x03\x01" + block(2, part) for part in cut(message, sizes))
    data = row.get("before", "").encode("latin-1") + data + row.get("tail", "").encode("latin-1")
    return [part.decode("latin-1") for part in cut(data, row.get("segments", []))]
