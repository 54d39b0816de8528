#!/usr/bin/env python3
"""Opens the pages of `ringfence audit --format html` in a real Chromium, without a window: light and
dark, wide and narrow, by keyboard alone, without JavaScript, with hostile text (audit_html.mjs).

  audit_html.py --ringfence PATH --hook PATH

Needs Chromium (CHROMIUM names another one), Node.js, and of npm the pinned packages below, which a
cache gets once. Prints a line for each case that failed, and at the end "N passed, N failed, N
skipped".
"""

import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types

import npm_package
from audit_reports import HOSTILE, UNSEEN, write_fixtures, write_log
from command_world import World

PLAYWRIGHT = ("playwright-core", "1.65.1")
AXE = ("axe-core", "4.14.1")
LOG_LINES = 20000
MAX_BYTES = 10_000_000


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ringfence", type=os.path.abspath, required=True)
    parser.add_argument("--hook", type=os.path.abspath, required=True)
    parser.add_argument("--only", default="", help="only cases whose name holds this")
    parser.add_argument("--shots", type=os.path.abspath, help="keep pictures of the pages here")
    return parser.parse_args()


def tools():
    """Chromium, node and the packages, or why not."""
    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    for name, found in (("chromium", chromium), ("node", shutil.which("node"))):
        if not found:
            raise npm_package.Unavailable(f"{name} is not installed")
    return {"chromium": chromium, "playwright": str(npm_package.folder(*PLAYWRIGHT)),
            "axe": str(npm_package.folder(*AXE) / "axe.min.js")}


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
    """The page with the data of an audit of nothing, which the command refuses to make."""
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


def make_pages(world):
    """One page of each kind that there is."""
    one, log = world.base / "one.jsonl", world.base / "log.jsonl"
    alike = world.base / "alike.jsonl"
    write_log(one, 1)
    write_log(log, LOG_LINES)
    alike.write_text(one.read_text() * 3000)
    fixtures = write_fixtures(world)
    in_memory = ["--in-memory", "--root", world.project]
    pages = {"one": make(world, "one", 0, one, *in_memory),
             "log": make(world, "log", 1, log, *in_memory),
             "alike": make(world, "alike", 0, alike, *in_memory),
             "fixtures": make(world, "fixtures", 1, *fixtures, "--coverage")}
    pages["none"] = emptied(world, pages["one"]["page"])
    for name, page in pages.items():
        size = pathlib.Path(page["page"]).stat().st_size
        assert size < MAX_BYTES, f"{name} has {size} bytes"
    return pages


def browse(world, found, pages, options):
    question = {**found, "pages": pages, "only": options.only, "shots": options.shots,
                "hostile": HOSTILE, "unseen": UNSEEN}
    script = pathlib.Path(__file__).with_suffix(".mjs")
    browser = subprocess.run(["node", script, json.dumps(question)], capture_output=True, text=True,
                             timeout=600, cwd=world.base)
    sys.stderr.write(browser.stderr)
    print(browser.stdout, end="")
    last = (browser.stdout.splitlines() or [""])[-1]
    if not last.endswith("skipped"):
        print(f"FAILED audit_html.mjs: exit {browser.returncode}\n0 passed, 1 failed, 0 skipped")
        return 1
    return browser.returncode


def main():
    options = parse_arguments()
    try:
        found = tools()
    except npm_package.Unavailable as reason:
        print(f"SKIPPED audit_html.py: {reason}\n0 passed, 0 failed, 1 skipped")
        return 0
    with tempfile.TemporaryDirectory(prefix="ringfence-audit-") as folder:
        paths = types.SimpleNamespace(ringfence=options.ringfence, hook=options.hook)
        world = World(paths, pathlib.Path(os.path.realpath(folder)))
        return browse(world, found, make_pages(world), options)


if __name__ == "__main__":
    sys.exit(main())
