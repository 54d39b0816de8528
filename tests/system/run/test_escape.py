"""Tries to escape from `ringfence run` (see escape_attempts.py), with all layers and with Landlock
only, as an ordinary user and as root; and some ways out with a policy that permits hosts.

With REQUIRE_SANDBOX=1, a refusal by this machine itself is a failure, except for features that few
machines have. --launcher tries another sandbox.
"""

import contextlib
import os
import subprocess
import types

import pytest

from child import Child
from escape_attempts import Runner
from escape_machine import RARE
from escape_rows import NETWORK_NAMES, ROWS
from ordinary_user import place_with


def pytest_generate_tests(metafunc):
    """Tests of one sandbox and user share a world, one after the other."""
    if "sandbox" not in metafunc.fixturenames:
        return
    layers = ("full",) if metafunc.config.option.launcher else ("full", "landlock")
    sandboxes = [pytest.param((layer, user), id=f"{layer}, {user}",
                              marks=pytest.mark.xdist_group(f"escape, {layer}, {user}"))
                 for layer in layers for user in ("ordinary", "root")]
    metafunc.parametrize("sandbox", sandboxes, indirect=True, scope="module")


@pytest.fixture(name="sandbox", scope="module")
def fixture_sandbox(request, pytestconfig):
    layers, user = request.param
    if user == "root" and os.geteuid() != 0:
        pytest.skip("only root tests a sandbox of root's")
    with runner(pytestconfig, layers, user) as child:
        yield child


@contextlib.contextmanager
def runner(pytestconfig, layers, user, network=False):
    """A child in which Runner runs as that user."""
    options = types.SimpleNamespace(
        probe=os.path.join(pytestconfig.option.probes, "escape_probe"), layers=layers, network=network,
        launcher=pytestconfig.option.launcher, ringfence=str(pytestconfig.option.ringfence))
    copied = ("probe", "ringfence")
    if options.launcher:
        options.ringfence, copied = "", ("probe",)
    with place_with(options, copied) as place, \
            Child(lambda: Runner(options, place), place, user == "root") as child:
        problem = child.call("cannot_start")
        if problem and os.environ.get("REQUIRE_SANDBOX") != "1" and "status 125" in problem:
            pytest.skip(f"the sandbox does not start: {problem}")
        assert not problem, f"the sandbox does not start: {problem}"
        yield child


@pytest.mark.parametrize("name", [row.name for row in ROWS])
def test_escape(name, sandbox):
    outcome = sandbox.call("try_row", name)
    print(f"{name}: {outcome.bare} without a sandbox, {outcome.inside} inside; {outcome.text}")
    if outcome.kind == "skipped" and (os.environ.get("REQUIRE_SANDBOX") != "1" or name in RARE):
        pytest.skip(f"{name}: {outcome.text}")
    assert outcome.kind == "passed", outcome.text


def test_escape_with_a_network(pytestconfig, checks):
    if pytestconfig.option.launcher:
        pytest.skip("another sandbox has another network")
    with runner(pytestconfig, "full", "ordinary", network=True) as child:
        for name, outcome in child.call("try_names", NETWORK_NAMES):
            if outcome.kind == "skipped" and (os.environ.get("REQUIRE_SANDBOX") != "1" or name in RARE):
                checks.skip(name, outcome.text)
            else:
                checks.check(name, outcome.kind != "passed" and outcome.text)


def test_the_probe_and_the_table_have_the_same_rows(programs):
    listed = subprocess.run([programs.escape_probe, "list"], capture_output=True, text=True, check=True)
    assert listed.stdout.split() == [row.name for row in ROWS]
