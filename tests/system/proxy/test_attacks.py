"""Plays the hostile and the benign cases of fixtures/proxy inside a sandbox, over real sockets.

A file has a list of cases, each a dictionary:

    case, why   a name, and the reason for the expected result
    send        bytes as text (Latin-1), or a list as network_player.py takes. {host} is a name of the
                case's own, whose server records what arrives; {base} is "" for a web server and
                "http://{host}" for the explicit proxy: with it, both are tried
    to          "explicit", or a port of the host; without `to` and {base}, 80
    host        a name in place of the case's own
    resolves    addresses to which the host resolves
    spelling    in place of `send`: a host, which is tried in a request, in a tunnel and by SOCKS, where
                `socks` is the status if it is another
    answer      what the server answers once all of `passes` has come; "" for nothing
    answers     one for each text of `passes`
                Without it, a request (`method`, or GET) of which the answer is tried
    hello       in place of `send`: a TLS ClientHello (tls_hello.py), after `before`

    passes      all that arrives, on one connection; a list with an answer for each of its texts, or
                of the pieces of one if `joined`; "sent": what was sent. Without it, nothing may arrive
    at_most     in place of `passes`: what arrives is the beginning of this
    status      of the reply; `says` is a part of it, `says_not` is none
    reply       the whole reply, or with `lossy`, of which it may be a beginning
    end         "closed", "reset", or the error of connect(2); without it, one of the first two
    log         a part of the reason in the audit log
"""

import json
import socket

import pytest

from internet import ADDRESS_NAMES, RAW_NAMES
from recorder import CONTROL_PORT, OTHER_PORT, RECORDER
from repository import ROOT
from tls_hello import hello_bytes

FOLDER = ROOT / "fixtures/proxy"
POLICY = {"allow": ["*", f"*:{OTHER_PORT}", f"*:{CONTROL_PORT}"], "deny": ["bad.example", "*.denied.example"]}
OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
VERDICTS = ("passes", "status", "reply", "end", "says_not")


def whole(pieces):
    """The text that pieces make."""
    if isinstance(pieces, str):
        return pieces
    return "".join(piece if isinstance(piece, str) else piece["repeat"] * piece["times"] for piece in pieces)


SOCKS_FAILURES = {400: "\1", 403: "\2", 502: "\4"}


def rows_of(row):
    """A host in three places, for a case that is about its spelling; otherwise the row itself."""
    if "spelling" not in row:
        return [row]
    host, status = row["spelling"], row["status"]
    by_socks = row.get("socks", status)
    request = f"GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\n\r\n"
    tunnel = f"CONNECT {host}:80 HTTP/1.1\r\nHost: {host}:80\r\n\r\n"
    socks = f"\5\1\0\5\1\0\3{chr(len(host))}{host}\0P"
    common = {"to": "explicit", "why": row["why"]}
    return [{**common, "case": row["case"] + ", request", "send": request, "status": status},
            {**common, "case": row["case"] + ", tunnel", "send": tunnel, "status": status},
            {**common, "case": row["case"] + ", SOCKS", "send": socks, "end": "closed",
             "reply": f"\5\0\5{SOCKS_FAILURES[by_socks]}\0\1\0\0\0\0\0\0"}]


def name_with(addresses):
    labels = [socket.inet_pton(socket.AF_INET6 if ":" in one else socket.AF_INET, one).hex() for one in addresses]
    return "-".join(labels) + ADDRESS_NAMES


def request_of(row):
    """What is sent for a case that is about the answer."""
    if "send" in row or "hello" in row:
        return {}
    line = row.get("method", "GET") + " {base}/ HTTP/1.1\r\nHost: {host}\r\n\r\n"
    return {"send": line, "passes": line.replace("{base}", "")}


class Case:
    def __init__(self, row, number, to):
        self.row, self.to = row, to
        self.name = f"{row['case']} ({to})"
        self.host = row.get("host", f"c{number}{RAW_NAMES}")
        if "resolves" in row:
            self.host = name_with(row["resolves"])
        self.base = f"http://{self.host}" if to == "explicit" else ""
        row = self.row = {**request_of(row), **row}
        pieces = row["send"] if "send" in row else row.get("before", []) + hello_bytes(row["hello"], self.host)
        self.sent = [self.filled(piece) for piece in ([pieces] if isinstance(pieces, str) else pieces)]
        passes = row.get("passes", [])
        if passes == "sent":
            passes = whole(self.sent)
        if row.get("joined"):
            passes = whole(passes)
        self.passes = [self.filled(text) for text in ([passes] if isinstance(passes, str) else passes)]

    def filled(self, value):
        if isinstance(value, dict):
            return {key: self.filled(part) for key, part in value.items()}
        if not isinstance(value, str):
            return value
        return (value.replace("{base}", self.base).replace("{host}", self.host)
                .replace("{HOST}", self.host.upper()))

    def for_player(self):
        answers = self.row.get("answers") or [self.row.get("answer", OK)] * len(self.passes)
        return {"to": self.to if self.to == "explicit" else [self.host, self.to], "send": self.sent,
                "alone": self.row.get("alone", False), "waits": self.row.get("waits", False),
                "answers": [[len(text), self.filled(whole(answer))] for text, answer in zip(self.passes, answers)]}

    def problem(self, done, logged):
        """What is wrong with the result, or ""."""
        found = {"end": done["end"], "reply": done["reply"],
                 "arrived": done.get("arrived", []), "open": done.get("open", 0)}
        wanted = [[f"{RECORDER}:{self.row.get('port', self.port())}", "".join(self.passes)]] if self.passes else []
        # A connection that brings nothing has only shown that the host exists.
        arrived = [text for text in found["arrived"] if text[1]]
        most = self.filled(self.row.get("at_most", ""))
        is_expected = not wanted and len(arrived) == 1 and most.startswith(arrived[0][1])
        wrong = [
            arrived != wanted and not is_expected and "arrived",
            any(not place.startswith(RECORDER + ":") for place, _ in found["arrived"]) and "a place inside",
            found["open"] and "left open",
            found["end"] not in ([self.row["end"]] if "end" in self.row else ("closed", "reset")) and "end",
            "status" in self.row and not found["reply"].startswith(f"HTTP/1.1 {self.row['status']} ") and "status",
            self.row.get("says", "") not in found["reply"] and "says",
            "says_not" in self.row and self.row["says_not"] in found["reply"] and "says_not",
            "reply" in self.row and not self.is_reply(found["reply"]) and "reply",
            "log" in self.row and not any(self.row["log"] in why for why in logged) and "log"]
        wrong = [word for word in wrong if word]
        short = {key: repr(value)[:400] for key, value in found.items()}
        return f"{', '.join(wrong)}: wanted {wanted!r:.400}, {short}, log {logged}" if wrong else ""

    def is_reply(self, reply):
        wanted = self.filled(self.row["reply"])
        # A reset can overtake what was sent before it.
        return wanted.startswith(reply) if self.row.get("lossy") else reply == wanted

    def port(self):
        return self.to if self.to != "explicit" else 80


def cases_of(file):
    cases = []
    rows = [part for row in json.loads(file.read_text()) for part in rows_of(row)]
    for number, row in enumerate(rows):
        assert row["why"] and any(word in row for word in VERDICTS), row["case"]
        both = "to" not in row and "{base}" in json.dumps({**request_of(row), **row}.get("send", ""))
        for to in (80, "explicit") if both else [row.get("to", 80)]:
            cases.append(Case(row, number, to))
    return cases


@pytest.mark.parametrize("topic", sorted(path.stem for path in FOLDER.glob("*.json")))
def test_attacks(topic, world, checks):
    cases = cases_of(FOLDER / f"{topic}.json")
    world.set_network(POLICY)
    world.write("project/cases.json", json.dumps([case.for_player() for case in cases]))
    player = (ROOT / "tests/system/support/network_player.py").read_text()
    done = world.python(player, "cases.json", seconds=240)
    results = dict(json.loads(line) for line in done.stdout.splitlines())
    logged = {}
    for line in world.log():
        logged.setdefault(line.get("host", "").rpartition(":")[0], []).append(line.get("why", ""))
    for number, case in enumerate(cases):
        if number not in results:
            checks.check(case.name, f"no result: {done.stderr[-1000:]}")
            break
        checks.check(case.name, case.problem(results[number], logged.get(case.host, [])))
