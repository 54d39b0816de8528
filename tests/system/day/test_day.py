"""Plays a working day: ordinary calls of the real Claude Code client, with the policy that
`ringfence init` writes, and the same calls without ringfence.

Each row below rows/ has the expected result of one call; a difference in either direction fails.
Both pinned clients are downloaded once into the cache (see ../client/client.py). To try another
one: CLAUDE_BIN=PROGRAM. README.md describes how to add a row.
"""

import pathlib

import pytest

import client
import plays
import rows
import session


def settings(is_wrapped):
    """Each client in each mode with ringfence; without it, for comparison, the newest client."""
    for mode in rows.MODES:
        for version in client.versions():
            yield plays.Setting(version, mode, True, is_wrapped)
        yield plays.Setting(client.versions()[-1], mode, False)


def pytest_generate_tests(metafunc):
    plays_of_day = [(topic, setting) for setting in settings(metafunc.config.option.wrap)
                    for topic in rows.load() if setting.mode in topic.modes]
    metafunc.parametrize("topic, setting", plays_of_day,
                         ids=[f"{topic.name} {setting}" for topic, setting in plays_of_day])


def test_day(topic, setting, programs, pytestconfig, checks):
    try:
        tools = session.Tools(client.find(setting.version), pathlib.Path(programs.hook),
                              pathlib.Path(programs.ringfence))
    except client.Unavailable as reason:
        pytest.skip(f"the day: {reason}")
    shown, seen, problems = plays.play(topic, setting, tools, pytestconfig.option.keep)
    for row in topic.played(setting.mode, setting.is_fenced):
        if row in shown:
            checks.check(row.name, problem_of(row, setting, seen.get(row.name)))
        else:
            checks.skip(f"{topic.name} {setting}: {row.name}", f"without {' or '.join(row.needs)}")
    checks.check("the session as a whole", "; ".join(problems))


def problem_of(row, setting, seen):
    if seen is None:
        return "no result ever reached the model"
    print(f"{row.name}: {seen.verdict()}")
    if row.is_met_by(seen.verdict(), setting.mode, setting.is_fenced):
        return ""
    missing = f" without {seen.missing}" if seen.ran and seen.missing else ""
    expected = row.expected(setting.mode, setting.is_fenced)
    return f"{seen.verdict()}, not {expected}{missing}: {seen.text[:500]!r}"
