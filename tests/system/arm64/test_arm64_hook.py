"""Compares the hook for arm64, under qemu-user, with the hook of this machine: the same answers to the
bypass cases, the captured events, the calls of MCP tools and, with --corpora, to other projects' JSON.

Other tests check the answers of this machine's hook. Without --full, only some of the MCP calls and
one use of each JSON file are sent: starting qemu takes most of the time.
"""

import contextlib
import re
import shutil
import subprocess

import pytest

import captured_events
import corpus_case
import corpus_json
import mcp_calls
from repository import ROOT

BUILD = ROOT / "build/release-arm64"
HOOK = BUILD / "ringfence-hook"
EMULATOR = "qemu-aarch64-static"
PARTS = 4  # of each topic: tests that can run at the same time
TOPICS = ("bypass", "captured", "mcp", "json")


def pytest_generate_tests(metafunc):
    if "topic" in metafunc.fixturenames:
        parts = dict.fromkeys(TOPICS, PARTS)
        if not metafunc.config.option.corpora:
            parts["json"] = 1  # is skipped
        metafunc.parametrize("topic, part", [(topic, part) for topic in TOPICS for part in range(parts[topic])])


@pytest.fixture(name="hooks", scope="module")
def fixture_hooks(pytestconfig, tmp_path_factory):
    """This machine's hook and the other one."""
    if not shutil.which(EMULATOR):
        pytest.skip(f"{EMULATOR} is not installed")
    if not HOOK.exists():
        pytest.skip(f"{HOOK} is not built")
    folder = tmp_path_factory.mktemp("arm64")
    hooks = []
    # Both are scripts: a case that removes the working directory makes a shell say so.
    for name, command in (("this", f'"{pytestconfig.option.hook}"'), ("other", f'{EMULATOR} "{HOOK}"')):
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        script.chmod(0o755)
        hooks.append(str(script))
    return hooks


def told(answer, base):
    """What an answer says, the same for every directory."""
    slug = re.sub("[^A-Za-z0-9]", "-", str(base))
    texts = (text.replace(str(base).encode(), b"BASE").replace(slug.encode(), b"SLUG")
             for text in (answer.stdout, answer.stderr))
    return (answer.status, *texts)


def difference(one, other):
    return "" if one == other else f"{one} on this machine, {other} on arm64"


def in_trees(make, hooks):
    """The difference between the answers in two trees that are made alike."""
    answers = []
    for hook in hooks:
        with make() as tree:
            answers.append(told(tree.run(hook), tree.base))
    return difference(*answers)


def bypass(checks, hooks, part, _config):
    for case in corpus_case.load()[part::PARTS]:
        if corpus_case.skip_reason(case):
            continue  # is reported by test_corpus.py
        checks.check(case["id"], in_trees(
            lambda case=case: corpus_case.Tree(case, corpus_case.template()), hooks))


def captured(checks, hooks, part, _config):
    for name, event in list(captured_events.CAPTURED.items())[part::PARTS]:
        answers = []
        for hook in hooks:
            with captured_events.Home() as home:
                answers.append(told(home.run(hook, home.moved(event)), home.base))
        checks.check(name, difference(*answers))


def mcp(checks, hooks, part, config):
    step = PARTS if config.option.full else 5 * PARTS
    with contextlib.ExitStack() as stack:
        sides = []
        for hook in hooks:
            worlds = mcp_calls.worlds_of_policies()
            for world in worlds.values():
                stack.enter_context(world)
            sides.append((hook, worlds))
        for row in mcp_calls.ROWS[part::step]:
            answers = []
            for hook, worlds in sides:
                world = worlds[row.get("policy", "usual")]
                answers.append(told(world.run(hook, mcp_calls.event_of(row, world)), world.base))
            checks.check(str(row)[:200], difference(*answers))
        for _, worlds in sides:
            for name, world in worlds.items():
                checks.check(f"audit log of {name}", "; ".join(world.log_lines()[1]))


def json(checks, hooks, part, config):
    if not config.option.corpora:
        checks.skip("JSON", "--corpora names no folder")
        return
    for use in corpus_json.uses(config.option.corpora)[part::PARTS]:
        if use.kind == "event" or config.option.full:
            content = use.file.read_bytes()
            checks.check(use.name, in_trees(
                lambda use=use, content=content: corpus_json.JsonTree(use.case, content, use.kind), hooks))


def test_same_answers(topic, part, hooks, pytestconfig, checks):
    globals()[topic](checks, hooks, part, pytestconfig)


def test_the_deadline_refuses_the_call(hooks):
    """An event that does not end: the timer and the signal handler work under qemu-user as well."""
    with subprocess.Popen([hooks[1]], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        said = process.stderr.read()
        assert (process.wait(timeout=60), said) == (2, b"ringfence: no answer in time; the call is refused\n")


def test_the_filters_are_for_arm64(hooks):  # pylint: disable=unused-argument
    """qemu-user runs the program that compiles them, and offers no seccomp filters itself."""
    text = (BUILD / "sandbox/filters/seccomp_programs.inc").read_text()
    aarch64, x86_64 = ", 0xc00000b7},", ", 0xc000003e},"  # AUDIT_ARCH_... of linux/audit.h
    assert text.count(aarch64) == text.count("constexpr sock_filter k") and x86_64 not in text
