#!/usr/bin/env python3
"""Writes transcripts as Claude Code 2.1.330 writes them, for benchmarks.

  transcripts.py DIR MEGABYTES [--project PATH]     DIR/NAME/SESSION.jsonl, about 64 MB each

They contain the files of this repository, as results of the client's Read (a number before each
line) or of a command, 1 to 60 KB each, both in the message and in `toolUseResult`, as the client
writes them; before each result one call (Read, Bash, Edit, Write, Grep, Glob or an MCP tool, 0.2
to 4 KB), every fifth of them outside the project; assistant text, attachments and bookkeeping
lines in between; and one base64 image of 1 MB per 20 MB. A call occurs every 16 KB on average.
Every run writes the same transcripts: the random seed is fixed.
"""

import argparse
import base64
import json
import pathlib
import random
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[1]
FILE_BYTES = 64 << 20


class Writer:
    def __init__(self, folder, project):
        self.random = random.Random(1)
        self.folder = folder
        self.project = project
        sources = [path for part in ("agents", "audit_log", "base", "policy", "hook", "cli", "docs", "tests")
                   for path in sorted((ROOT / part).rglob("*")) if path.suffix in (".cc", ".h", ".md", ".py")]
        self.names = [str(path.relative_to(ROOT)) for path in sources]
        self.texts = [text for text in (path.read_text(encoding="utf-8")[:40000] for path in sources) if text]
        # Encoded as JSON in advance: otherwise writing takes longer than the measured work.
        self.results = [json.dumps(self.shown(text), ensure_ascii=False) for text in self.texts]
        self.contents = [json.dumps(text[:3000], ensure_ascii=False) for text in self.texts]
        self.image = json.dumps(base64.b64encode(self.random.randbytes(750_000)).decode())

    @staticmethod
    def shown(text):
        return "".join(f"{number}\t{line}\n" for number, line in enumerate(text.splitlines(), 1))

    def uuid(self):
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def line(self, session, members, **more):
        tail = {"userType": "external", "entrypoint": "cli", "cwd": self.project, "sessionId": session,
                "version": "2.1.330", "gitBranch": "main"}
        head = {"parentUuid": self.uuid(), "isSidechain": False}
        return (json.dumps(head)[:-1] + "," + members + "," + json.dumps(
            {"uuid": self.uuid(), "timestamp": "2026-11-20T12:00:00.000Z", **more, **tail})[1:] + "\n")

    def call(self):
        name = self.random.choice(self.names)
        path = json.dumps(f"{self.project}/{name}" if self.random.random() < 0.8 else f"/etc/{name}")
        content = self.random.choice(self.contents)
        return self.random.choice([
            ("Read", '{"file_path":%s}' % path),
            ("Read", '{"file_path":%s,"offset":40,"limit":80}' % path),
            ("Bash", '{"command":"grep -rn TODO src | head -20","description":"Search"}'),
            ("Bash", '{"command":%s}' % content),
            ("Edit", '{"file_path":%s,"old_string":%s,"new_string":%s}' % (path, content, content)),
            ("Write", '{"file_path":%s,"content":%s}' % (path, content)),
            ("Grep", '{"pattern":"TODO","path":%s}' % path),
            ("Glob", '{"pattern":"**/*.cc"}'),
            ("mcp__team__send", '{"text":%s}' % content),
        ])

    def turn(self, session):
        """One call and the lines that follow it."""
        call_id = "toolu_" + self.uuid()
        tool, tool_input = self.call()
        usage = '"stop_reason":"tool_use","usage":{"input_tokens":10,"output_tokens":5,"service_tier":"standard"}'
        message = '"message":{"id":"msg_%s","type":"message","role":"assistant","content":[%s],%s}'
        yield self.line(session, message % (self.uuid(), '{"type":"text","text":%s}' % json.dumps(
            self.random.choice(self.texts)[:400]), usage), type="assistant")
        yield self.line(session, message % (self.uuid(), '{"type":"tool_use","id":"%s","name":"%s","input":%s}' % (
            call_id, tool, tool_input), usage), type="assistant")
        result = self.random.choice(self.results)
        yield self.line(
            session, '"message":{"role":"user","content":[{"tool_use_id":"%s","type":"tool_result","content":%s}]}'
            ',"toolUseResult":{"type":"text","file":{"filePath":"a","content":%s}}' % (call_id, result, result),
            type="user")
        yield json.dumps({"type": "api-request", "sessionId": session, "id": self.uuid(),
                          "tail": [self.uuid() for _ in range(12)]}) + "\n"

    def session(self, size):
        session = self.uuid()
        file = self.folder / self.project.replace("/", "-") / f"{session}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        written = images = 0
        with file.open("w", encoding="utf-8") as out:
            written += out.write(self.line(session, '"message":{"role":"user","content":"go"}', type="user",
                                           permissionMode="default"))
            while written < size:
                for line in self.turn(session):
                    written += out.write(line)
                if written > images * (20 << 20):
                    images += 1
                    written += out.write(self.line(
                        session, '"message":{"role":"user","content":[{"type":"image","source":{"type":"base64",'
                        '"media_type":"image/png","data":%s}}]}' % self.image, type="user"))
        return written


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("megabytes", type=int)
    parser.add_argument("--project", default="/home/dev/project")
    options = parser.parse_args()
    writer = Writer(options.folder, options.project)
    left = options.megabytes << 20
    while left > 0:
        left -= writer.session(min(left, FILE_BYTES))


if __name__ == "__main__":
    main()
