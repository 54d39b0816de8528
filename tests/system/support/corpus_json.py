"""The JSON test suite as input of the hook. n_ files are invalid JSON and y_ files valid; none
of them is an event or a policy, so none may cause a permission, and no run may end in a way that
the client reads as consent.
"""

import collections

import corpus_case

TEMPLATE = '{ "version": 1, "read": { "allow": @ALLOW@ }, "write": { "allow": @ALLOW@ } }'

Use = collections.namedtuple("Use", "name file kind case must_refuse")


def cases(content, kind):
    """The three uses of a file, as (use, case, must be refused)."""
    base = {"expect": "error"}
    yield "event", base, True
    yield "policy", base | {"stdin": read_event()}, True
    # Any object is valid as the arguments of some tool: then any clean answer is accepted.
    is_object = content.lstrip(b" \t\r\n").startswith(b"{")
    yield "tool_input", base, kind == "n" or not is_object


def read_event():
    return {"hook_event_name": "PreToolUse", "cwd": "$CWD", "session_id": "s",
            "tool_name": "Read", "tool_input": {"file_path": "$CWD/README.md"}}


class JsonTree(corpus_case.Tree):
    """The file replaces the event, the policy, or the arguments in the event."""

    def __init__(self, case, content, use):
        super().__init__(case, TEMPLATE)
        self.content, self.use = content, use

    def __enter__(self):
        super().__enter__()
        if self.use == "policy":
            (self.base / "p/policy.json").write_bytes(self.content)
        return self

    def event(self):
        if self.use == "event":
            return self.content
        if self.use == "policy":
            return super().event()
        return (f'{{"hook_event_name":"PreToolUse","cwd":"{self.project}","session_id":"s",'
                '"tool_name":"Read","tool_input":').encode() + self.content + b"}"


def problem(use, hook):
    with JsonTree(use.case, use.file.read_bytes(), use.kind) as tree:
        answer = tree.run(hook)
    if use.must_refuse and not answer.blocks:
        return f"must be refused, is {answer}"
    return f"is {answer}" if answer.verdict.startswith("open") else ""


def uses(corpora):
    """Every use of every file."""
    return [Use(f"{file.name} as {kind}", file, kind, case, must_refuse)
            for file in sorted((corpora / "json-test-suite/test_parsing").glob("*.json"))
            for kind, case, must_refuse in cases(file.read_bytes(), file.name[0])]
