"""The programs under test, and a world for each test."""

import os
import tempfile
import types

import pytest

from child import Child
from command_world import CommandWorld
from ordinary_user import place_with
from run_world import RunWorld

PROBES = ("escape_probe", "fail_call", "random_names", "agreement", "agreement_probe")


def pytest_generate_tests(metafunc):
    marker = metafunc.definition.get_closest_marker("users")
    if marker:
        metafunc.parametrize("user", marker.args, indirect=True, scope="session")


# -- programs and worlds ------------------------------------------------------------------------------

@pytest.fixture(name="programs")
def fixture_programs(pytestconfig):
    """The path of each program, as text."""
    options = pytestconfig.option
    paths = {"hook": options.hook, "ringfence": options.ringfence,
             "proxy": options.proxy or f"{options.ringfence}-proxy",
             **{name: os.path.join(options.probes, name) for name in PROBES}}
    for name in ("hook", "ringfence"):
        if not os.access(paths[name], os.X_OK):
            pytest.fail(f"there is no program {paths[name]}: build the preset release", pytrace=False)
    return types.SimpleNamespace(**{name: str(path) for name, path in paths.items()})


@pytest.fixture(name="user", scope="session")
def fixture_user(request):
    """The owner of a sandbox: see the marker `users`."""
    user = getattr(request, "param", "ordinary")
    if user == "root" and os.geteuid() != 0:
        pytest.skip("only root tests a sandbox of root's")
    return user


@pytest.fixture(name="world")
def fixture_world(programs, user):
    with tempfile.TemporaryDirectory(prefix="ringfence-command-") as folder:
        yield CommandWorld(os.path.realpath(folder), programs, user == "root")


@pytest.fixture(name="place")
def fixture_place(programs, user):  # pylint: disable=unused-argument
    """A directory that every user can reach, with a copy of the launcher in it. `user`: a test
    that uses the directory can be marked with `users` and `as_user`."""
    with place_with(programs, ("ringfence",)) as base:
        yield base


@pytest.fixture(name="run_world")
def fixture_run_world(place, programs, request):
    """No process may still run after the test: within the seconds of the module's PATIENCE."""
    world = RunWorld(place, programs)
    yield world
    left = world.left_running(getattr(request.module, "PATIENCE", 0))
    assert not left, f"left running: {left}"


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """A test marked with `as_user` runs in a child that has become that user."""
    given = pyfuncitem.funcargs
    if not pyfuncitem.get_closest_marker("as_user") or os.geteuid() != 0:
        return None
    arguments = {name: given[name] for name in pyfuncitem._fixtureinfo.argnames}
    tested = types.SimpleNamespace(run=lambda: pyfuncitem.obj(**arguments))
    with Child(lambda: tested, given["place"], given["user"] == "root") as child:
        child.call("run")
    return True
