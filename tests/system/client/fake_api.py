"""A Messages API on 127.0.0.1 for a client that must not notice the missing model.

It knows only the wire format: for each request it asks a `director` for the model's next content
blocks, and streams them as server-sent events.
"""

import http.server
import json
import sys
import threading
import uuid


def text_block(text):
    return {"type": "text", "text": text}


def tool_block(call_id, tool, tool_input):
    return {"type": "tool_use", "id": call_id, "name": tool, "input": tool_input}


def text_of(content):
    """All text in a message's content, however deeply tool results nest it."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(block.get("text") or text_of(block.get("content")) for block in content)


def _message(model):
    usage = {"input_tokens": 10, "output_tokens": 1,
             "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    # The client treats messages with the same id as parts of one message.
    return {"id": f"msg_{uuid.uuid4().hex}", "type": "message", "role": "assistant", "model": model,
            "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}


def _stop_reason(blocks):
    return "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"


def _block_events(index, block):
    if block["type"] == "text":
        empty, delta = text_block(""), {"type": "text_delta", "text": block["text"]}
    else:
        empty = dict(block, input={})
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield "content_block_start", {"index": index, "content_block": empty}
    yield "content_block_delta", {"index": index, "delta": delta}
    yield "content_block_stop", {"index": index}


def _events(model, blocks):
    yield "message_start", {"message": _message(model)}
    for index, block in enumerate(blocks):
        yield from _block_events(index, block)
    stop = {"stop_reason": _stop_reason(blocks), "stop_sequence": None}
    yield "message_delta", {"delta": stop, "usage": {"output_tokens": 5}}
    yield "message_stop", {}


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.split("?")[0]
        if path == "/v1/messages":
            self._answer_messages(json.loads(body))
        elif path == "/v1/messages/count_tokens":
            self._send_json(200, {"input_tokens": 100})
        else:
            self._not_found()

    def do_GET(self):
        self._not_found()

    do_HEAD = do_GET

    def log_message(self, *_):
        """Silent: standard error belongs to the test report."""

    def _answer_messages(self, request):
        blocks = self.server.director.next_blocks(request)
        model = request.get("model")
        if request.get("stream"):
            self._send_stream(_events(model, blocks))
        else:
            whole = dict(_message(model), content=blocks, stop_reason=_stop_reason(blocks))
            self._send_json(200, whole)

    def _send_stream(self, events):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for kind, fields in events:
            data = json.dumps(dict(fields, type=kind))
            self.wfile.write(f"event: {kind}\ndata: {data}\n\n".encode())
        self.close_connection = True

    def _send_json(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _not_found(self):
        error = {"type": "not_found_error", "message": "not scripted"}
        self._send_json(404, {"type": "error", "error": error})


class FakeApi(http.server.ThreadingHTTPServer):
    """`with FakeApi(director) as api:` serves at `api.url`, with one thread per request."""

    daemon_threads = True

    def __init__(self, director):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.director = director
        self.url = f"http://127.0.0.1:{self.server_port}"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        # A client that hangs up (or is stopped) in the middle of an answer is not an error.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)
