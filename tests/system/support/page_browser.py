"""Runs the cases of a page of HTML in a real Chromium, without a window (page_cases.mjs).

Needs Chromium (CHROMIUM names another one), Node.js, and the pinned npm packages below, which are
downloaded once into a cache.
"""

import json
import os
import shutil
import subprocess

import pytest

import npm_package

PLAYWRIGHT = ("playwright-core", "1.65.1")
AXE = ("axe-core", "4.14.1")


def tools():
    """Chromium, node and the packages."""
    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    for name, found in (("chromium", chromium), ("node", shutil.which("node"))):
        if not found:
            pytest.skip(f"{name} is not installed")
    try:
        return {"chromium": chromium, "playwright": str(npm_package.folder(*PLAYWRIGHT)),
                "axe": str(npm_package.folder(*AXE) / "axe.min.js")}
    except npm_package.Unavailable as reason:
        pytest.skip(str(reason))


def run_cases(script, question, checks, folder):
    """Each case of the script is a check."""
    browser = subprocess.run(["node", script, json.dumps({**tools(), **question})], capture_output=True,
                             text=True, timeout=600, cwd=folder, check=False)
    assert browser.returncode == 0, browser.stderr
    for case, problem in json.loads(browser.stdout):
        checks.check(case, problem)
