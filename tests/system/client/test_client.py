"""Drives the real Claude Code client, without a model, and checks the hook's answers to its calls.

Each check is one tool call: the text that the model got about it, and the effect on disk. The
client is the program named by CLAUDE_BIN, of any version, or the newest pinned one from the cache
(${XDG_CACHE_HOME:-~/.cache}/ringfence-tests/), which `npm pack` fills once; with --full, every
pinned one. Nothing else needs the network: the model is a script, served on 127.0.0.1.
"""

import pathlib

import pytest

import client
import session as sessions
from cases import SESSIONS


def pytest_generate_tests(metafunc):
    metafunc.parametrize("version", client.versions(each=metafunc.config.option.full))
    metafunc.parametrize("session", SESSIONS, ids=lambda session: session.name)


def test_session(session, version, programs, pytestconfig, checks):
    try:
        tools = sessions.Tools(client.find(version), pathlib.Path(programs.hook), pathlib.Path(programs.ringfence))
        outcomes = sessions.perform(session, tools, pytestconfig.option.keep)
    except (client.Unavailable, sessions.Skip) as reason:
        pytest.skip(f"{session.name}: {reason}")
    for outcome in outcomes:
        checks.check(outcome.name, "; ".join(outcome.problems))
