"""Shared by all Python tests: options, counts, and the last line.

    pytest tests/system [-k NAME] [-n PROCESSES] [-m "not serial"]

Tests the programs of the preset `release`, unless an option names others. Write --OPTION=VALUE:
before pytest has read this file, it takes a separate VALUE for a test directory.
"""

import os
import pathlib
import signal

import pytest

from checks import CHECKS, Checks, CountingReporter
from repository import ROOT

RELEASE, COVERAGE = ROOT / "build/release", ROOT / "build/coverage"


def pytest_addoption(parser):
    group = parser.getgroup("ringfence")
    group.addoption("--hook", type=os.path.abspath, default=RELEASE / "ringfence-hook")
    group.addoption("--ringfence", type=os.path.abspath, default=RELEASE / "ringfence")
    group.addoption("--proxy", type=os.path.abspath, metavar="PROGRAM",
                    help="another ringfence-proxy than the one beside ringfence, built with a sanitizer: each"
                         " of its reports in the fixture `world` is a failure, and it may use more memory")
    group.addoption("--probes", type=os.path.abspath, default=RELEASE / "probes", metavar="FOLDER",
                    help="where the programs of tests/probes are")
    group.addoption("--load-policy", type=os.path.abspath, metavar="PROGRAM",
                    default=COVERAGE / "tests/schema/load_policy", help="for tests/schema")
    group.addoption("--read-kdl", type=os.path.abspath, metavar="PROGRAM",
                    default=COVERAGE / "tests/kdl/read_kdl", help="for tests/kdl")
    group.addoption("--full", action="store_true", help="each pinned client in each case, more kernels, the"
                                                        " whole escape list on them")
    group.addoption("--keep", action="store_true", help="keep the folders of the real client's sessions")
    group.addoption("--wrap", action="store_true", help="in test_day, commands run in ringfence's own sandbox"
                                                        " (bash.wrap), not the client's")
    group.addoption("--review", action="store_true",
                    help="test_client_schema adds what is new to reviewed.json")
    group.addoption("--update-documents", action="store_true",
                    help="test_documents writes the schema and the documents of the policy's keys")
    group.addoption("--corpora", type=pathlib.Path, metavar="FOLDER", help="other projects' data")
    group.addoption("--shots", type=os.path.abspath, metavar="FOLDER",
                    help="keep pictures of the pages of reports here")
    group.addoption("--seed", type=int, default=os.environ.get("RINGFENCE_SEED"),
                    help="of what is tried at random")
    group.addoption("--launcher", metavar="TEMPLATE",
                    help="another sandbox's command line, for test_escape: {probe} is the probe with its"
                         " arguments; {project}, {home} and {outside} are folders")
    group.addoption("--pairs", type=int, default=10000, help="how many questions test_agreement asks")
    group.addoption("--seconds", type=int, help="how long test_random_names tries names, for each user")


def pytest_configure(config):
    # A background job ignores SIGINT, and all processes started here would inherit that.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(CountingReporter(), "ringfence-counts")


@pytest.fixture(name="checks")
def fixture_checks(request):
    return request.node.stash.setdefault(CHECKS, Checks())


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    checks = item.stash.get(CHECKS, None)
    if call.when == "call" and checks is not None:
        checks.verify(report)
