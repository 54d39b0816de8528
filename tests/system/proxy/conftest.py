"""A network with hosts, and a home and a project in it."""

import os
import tempfile

import pytest

from internet import Internet
from network_world import NetworkWorld
from ordinary_user import ORDINARY_USER, place_for_base


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


@pytest.fixture(name="world")
def fixture_world(internet, place, programs):
    return NetworkWorld(place, programs, internet)
