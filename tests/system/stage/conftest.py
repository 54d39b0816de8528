"""The world of the tests of stages."""

import os
import pathlib
import tempfile

import pytest

from ordinary_user import place_for_base, remove
from stage_world import StageWorld
from terminal_session import TerminalSession


@pytest.fixture(name="base")
def fixture_base():
    base = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="ringfence-stage-",
                                                          dir=place_for_base())))
    try:
        base.chmod(0o755)
        yield base
    finally:
        remove(base)


@pytest.fixture(name="world")
def fixture_world(base, programs):
    return StageWorld(base, programs)


@pytest.fixture(name="own_world")
def fixture_own_world(base, programs):
    """The program runs as the user who runs the tests."""
    return StageWorld(base, programs, as_root=True)


@pytest.fixture(name="run_on_terminal")
def fixture_run_on_terminal(own_world):
    """Starts `ringfence stage run` on a terminal."""
    sessions = []

    def start(*command, options=()):
        line = [own_world.programs.ringfence, "stage", "run", *options, "--", *command]
        sessions.append(TerminalSession(line, own_world))
        return sessions[-1]

    yield start
    for session in sessions:
        session.__exit__()
