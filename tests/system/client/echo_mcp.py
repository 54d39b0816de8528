"""An MCP server on standard input and output: a tool that returns its arguments, a resource,
and, if the command line names a directory, a tool that writes a message there."""

import json
import pathlib
import sys

TOOL = {
    "name": "echo",
    "description": "says what it was given",
    "inputSchema": {"type": "object",
                    "properties": {"path": {"type": "string"}, "text": {"type": "string"}}},
}


SEND = {
    "name": "send",
    "description": "leaves a message",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
}


def text(value):
    return [{"type": "text", "text": value}]


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}, "resources": {}},
                "serverInfo": {"name": "echo", "version": "1"}}
    if method == "tools/list":
        return {"tools": [TOOL] + ([SEND] if sys.argv[1:] else [])}
    if method == "tools/call" and params.get("name") == "send":
        pathlib.Path(sys.argv[1], "mcp.json").write_text(json.dumps(params.get("arguments")))
        return {"content": text("sent")}
    if method == "tools/call":
        return {"content": text("echo: " + json.dumps(params.get("arguments")))}
    if method == "resources/list":
        return {"resources": [{"uri": "file:///echo", "name": "echo"}]}
    if method == "resources/read":
        return {"contents": [{"uri": params["uri"], "text": "echo: " + params["uri"]}]}
    return {}


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result = answer(message.get("method"), message.get("params") or {})
            reply = {"jsonrpc": "2.0", "id": message["id"], "result": result}
            print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
