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


# In which the older clients play, and for comparison the newest one without ringfence: it asks and
# refuses the most. --full has all modes.
FULLEST_MODE = "auto"


def settings(options):
    """The newest client in each mode with ringfence; the other ones see above."""
    newest = client.versions()[-1]
    for mode in rows.MODES:
        yield plays.Setting(newest, mode, True, options.wrap)
        if not options.full and mode != FULLEST_MODE:
            continue
        for version in client.versions()[:-1]:
            yield plays.Setting(version, mode, True, options.wrap)
        yield plays.Setting(newest, mode, False)


def pytest_generate_tests(metafunc):
    plays_of_day = [(topic, setting) for setting in settings(metafunc.config.option)
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
