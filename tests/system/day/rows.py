"""The rows of the day: the model's calls, and their results without and with ringfence.

A file below rows/ is one topic: one session of the client in each mode. Its first line describes
how the session starts; each other line is one call. README.md describes the keys.
"""

import dataclasses
import json
import pathlib

FOLDER = pathlib.Path(__file__).with_name("rows")
MODES = ("default", "acceptEdits", "bypassPermissions", "auto")
# "fails": the tool or the command itself ended with an error.
VERDICTS = ("passes", "prompts", "refused", "fails")
SHELLS = ("Bash", "Monitor")

TOPIC_KEYS = {"topic", "project", "arguments", "servers", "allowed", "environment", "links",
              "modes", "start"}
ROW_KEYS = {"row", "bash", "use", "says", "client", "fence", "reason", "in", "wait", "wait_for",
            "needs", "after", "modes"}


class Mistake(Exception):
    """A row that cannot be played; the text names it."""


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    use: tuple  # (tool, input)
    says: tuple  # the model's text if the call passes
    client: dict  # mode -> the client's own verdict, if not "passes"
    fence: object  # ringfence's verdict, or mode -> verdict
    reason: str
    conversation: str
    wait: float
    wait_for: str
    needs: tuple  # programs
    after: str  # a row; if that does not pass, this call is left out
    modes: tuple

    def expected(self, mode, is_fenced):
        bare = self.client.get(mode, "passes")
        # A sandbox stops a command only once the client has let it start.
        if not is_fenced or (self.use[0] in SHELLS and bare == "prompts"):
            return bare
        added = self.fence.get(mode) if isinstance(self.fence, dict) else self.fence
        return added or bare

    def is_met_by(self, verdict, mode, is_fenced):
        expected = self.expected(mode, is_fenced)
        # The sandbox's refusal appears as an error of the command.
        return verdict == expected or (
            expected == "refused" and verdict == "fails" and self.use[0] in SHELLS)


@dataclasses.dataclass(frozen=True)
class Topic:
    name: str
    project: str
    rows: tuple
    arguments: tuple = ()  # of the client
    servers: tuple = ()  # of MCP
    allowed: tuple = ()  # servers that the user allows after init
    environment: dict = dataclasses.field(default_factory=dict)  # of the client
    links: dict = dataclasses.field(default_factory=dict)  # directory of the home -> real place
    modes: tuple = MODES
    start: str = ""  # a directory of the project in which the client starts

    def played(self, mode, is_fenced):
        """The rows for this mode."""
        passing = {row.name for row in self.rows if row.expected(mode, is_fenced) == "passes"}
        return [row for row in self.rows if mode in row.modes and (not row.after or row.after in passing)]


def load():
    return [_topic(file) for file in sorted(FOLDER.glob("*.jsonl"))]


def _topic(file):
    lines = [line for line in file.read_text().splitlines() if line.strip()]
    head, *rows = [_parsed(file.name, line) for line in lines]
    if set(head) - TOPIC_KEYS or head["topic"] != file.stem:
        raise Mistake(f"{file.name}: its first line is not one of a topic")
    rows = tuple(_row(file.name, row) for row in rows)
    names = [row.name for row in rows]
    if len(set(names)) < len(names):
        raise Mistake(f"{file.name}: two rows have the same name")
    tuples = {key: tuple(value) if isinstance(value, list) else value for key, value in head.items()
              if key != "topic"}
    return Topic(name=head["topic"], rows=rows, **tuples)


def _parsed(name, line):
    try:
        return json.loads(line)
    except ValueError as error:
        raise Mistake(f"{name}: {error} in {line[:80]!r}") from error


def _row(file, fields):
    place = f"{file}: {fields.get('row')!r}"
    if set(fields) - ROW_KEYS or ("bash" in fields) == ("use" in fields):
        raise Mistake(f"{place}: unknown keys, or not one of \"bash\" and \"use\"")
    use = tuple(fields.get("use") or ("Bash", {"command": fields["bash"], "description": fields["row"]}))
    row = Row(name=fields["row"], use=use, says=tuple(fields.get("says", ())),
              client=fields.get("client", {}), fence=fields.get("fence"),
              reason=fields.get("reason", ""), conversation=fields.get("in", "main"),
              wait=fields.get("wait", 0), wait_for=fields.get("wait_for", ""),
              needs=tuple(fields.get("needs", ())), after=fields.get("after", ""),
              modes=tuple(fields.get("modes", MODES)))
    fence = row.fence if isinstance(row.fence, dict) else {"default": row.fence}
    if not set(row.client) | set(fence) <= set(MODES):
        raise Mistake(f"{place}: unknown mode")
    if not {*row.client.values(), *fence.values()} <= {*VERDICTS, None}:
        raise Mistake(f"{place}: unknown verdict")
    if bool(row.fence) != bool(row.reason.strip()):
        raise Mistake(f"{place}: a \"fence\" needs a reason, and nothing else has one")
    return row
