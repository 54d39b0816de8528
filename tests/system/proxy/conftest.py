"""A network with hosts, and a home and a project in it."""

import os
import pathlib
import shutil
import tempfile

import pytest

import client
from agent_network import API, AgentNetwork, AgentWorld
from clients import Kit
from internet import Internet
from network_world import NetworkWorld
from ordinary_user import ORDINARY_USER, place_for_base
from proxy_reports import Reports, memory_scale


@pytest.fixture(name="internet", scope="session")
def fixture_internet():
    with tempfile.TemporaryDirectory(prefix="ringfence-hosts-", dir=place_for_base()) as folder:
        user = ORDINARY_USER if os.geteuid() == 0 else None
        os.chmod(folder, 0o755)
        if user:
            os.chown(folder, user, user)
        internet = Internet(folder, user)
        yield internet
        internet.close()


@pytest.fixture(name="kit", scope="session")
def fixture_kit(internet):
    return Kit(internet)


@pytest.fixture(name="reports", scope="session")
def fixture_reports(pytestconfig):
    reports = Reports(pytestconfig.option.proxy)
    yield reports
    reports.close()


@pytest.fixture(name="world")
def fixture_world(internet, place, programs, reports, request):
    if reports.program:
        reports.collect(request.node.nodeid, place / "bin/ringfence-proxy")
    world = NetworkWorld(place, programs, internet)
    world.memory_scale = memory_scale(reports.program)
    return world


@pytest.fixture(name="agent_network", scope="session")
def fixture_agent_network(internet):
    return AgentNetwork(internet)


@pytest.fixture(name="agent")
def fixture_agent(agent_network, place, programs):
    """A home and a project for the real client, whose service can be reached."""
    try:
        found = client.find()
    except client.Unavailable as reason:
        pytest.skip(str(reason))
    program = pathlib.Path(place) / "bin" / "claude"  # where every user may start it
    try:
        os.link(found, program)
    except OSError:
        shutil.copy(found, program)
    agent_network.resolve(API)
    world = AgentWorld(agent_network, programs, program)
    yield world
    world.remove()
