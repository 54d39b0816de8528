"""Opens the pages of `ringfence audit --format html` in a real Chromium, without a window: light
and dark, wide and narrow, by keyboard only, without JavaScript, with hostile text (audit_html.mjs).
"""

import collections
import json
import pathlib

import pytest

import page_browser
from audit_reports import HOSTILE, UNSEEN, write_fixtures, write_log

LOG_LINES, LOG_LINES_IF_FULL = 5000, 20000
MAX_BYTES = 10_000_000


def make(world, name, status, *arguments):
    """A page, and the same audit as JSON."""
    page = world.base / f"{name}.html"
    done = world.run("audit", *arguments, "--format", "html", "--output", page)
    assert done.returncode == status, (name, done.returncode, done.stderr[:500])
    json_file = world.base / f"{name}.json"
    world.run("audit", *arguments, "--format", "json", "--output", json_file)
    document = json.loads(json_file.read_text())
    facts = {key: document[key] for key in ("fixtures", "decisions", "mismatches")}
    facts["changes"] = len(document.get("changes", []))
    facts["skipped"] = len(document.get("skipped", []))
    facts["unmet"] = len(document["never_met"]) if "never_met" in document else None
    decided = collections.Counter(cell["decision"] for row in document["rows"]
                                  for cell in row["decisions"])
    facts["verdicts"] = {kind: decided[kind] for kind in ("permit", "ask", "deny", "error")}
    return {"page": str(page), **facts}


def emptied(world, page):
    """The page with the data of an empty audit, which the command refuses to make."""
    begin, end = '<script id="report" type="application/json">', "</script>"
    before, rest = pathlib.Path(page).read_text().split(begin)
    data, after = rest.split(end, 1)

    def empty(value):
        if isinstance(value, dict):
            return {key: empty(inner) for key, inner in value.items() if key not in ("oldest", "newest")}
        return type(value)()

    data = empty(json.loads(data))
    data["counts"]["all"]["tally"] = [0, 0, 0, 0]
    world.write(world.base / "none.html", before + begin + json.dumps(data) + end + after)
    return {"page": str(world.base / "none.html")}


def pages_for(world, name, log_lines):
    """The page of that name, and its data."""
    one = world.base / "one.jsonl"
    write_log(one, 1)
    in_memory = ["--in-memory", "--root", world.project]
    if name == "log":
        log = world.base / "log.jsonl"
        write_log(log, log_lines)
        page = make(world, name, 1, log, *in_memory)
    elif name == "alike":
        alike = world.base / "alike.jsonl"
        alike.write_text(one.read_text() * 3000)
        page = make(world, name, 0, alike, *in_memory)
    elif name == "fixtures":
        page = make(world, name, 1, *write_fixtures(world), "--coverage")
    else:
        page = make(world, "one", 0, one, *in_memory)
    if name == "none":
        page = emptied(world, page["page"])
    size = pathlib.Path(page["page"]).stat().st_size
    assert size < MAX_BYTES, f"{name} has {size} bytes"
    return {name: page}


@pytest.mark.parametrize("name", ("one", "log", "fixtures", "none", "alike"))
def test_page(name, world, pytestconfig, checks):
    """The cases for one kind of page."""
    log_lines = LOG_LINES_IF_FULL if pytestconfig.option.full else LOG_LINES
    script = pathlib.Path(__file__).with_name("audit_html.mjs")
    question = {"pages": pages_for(world, name, log_lines), "shots": pytestconfig.option.shots,
                "hostile": HOSTILE, "unseen": UNSEEN}
    page_browser.run_cases(script, question, checks, world.base)
