"""What `check` and `doctor` find out about the egress proxy and the entries for hosts."""

import copy
import json
import pathlib
import shutil

import pytest

PROGRAMS = ("ringfence-hook", "ringfence", "ringfence-cli", "ringfence-proxy")


@pytest.fixture(name="installed")
def fixture_installed(world):
    """The directory of an installation of its own."""
    folder = world.base / "installed"
    folder.mkdir()
    for name in PROGRAMS:
        shutil.copy(pathlib.Path(world.programs.ringfence).with_name(name), folder / name)
    world.programs = copy.copy(world.programs)
    world.programs.ringfence = str(folder / "ringfence")
    world.programs.hook = str(folder / "ringfence-hook")
    return folder


def missing_programs(world):
    done = world.run("check", "--json")
    return {pathlib.Path(json.loads(one["where"])).name: one["what"]
            for one in json.loads(done.stdout)["findings"] if one["code"] == "no-program"}


def proxy_rows(world):
    rows = json.loads(world.run("doctor", "--json").stdout)["rows"]
    return {row["health"]: row for row in rows if row["about"] == "proxy"}


def test_a_missing_egress_proxy_is_an_error(world, installed):
    assert not missing_programs(world)
    (installed / "ringfence-proxy").chmod(0o644)
    assert "is not an executable file" in missing_programs(world)["ringfence-proxy"]
    (installed / "ringfence-proxy").unlink()
    assert "ENOENT" in missing_programs(world)["ringfence-proxy"]


def test_doctor_starts_the_egress_proxy(world, installed):
    world.write(world.policy, '{"version": 1, "network": {"allow": ["a.example"]}}')
    assert set(proxy_rows(world)) == {"ok"}
    program = installed / "ringfence-proxy"
    program.unlink()
    program.write_text("#!/bin/sh\necho libssl.so.3: cannot open shared object file >&2\nexit 127\n")
    program.chmod(0o755)
    row = proxy_rows(world)["missing"]
    assert "commands with a network do not start" in row["text"] and "libssl.so.3" in row["text"]
    # Agents need it in any case.
    world.write(world.policy, '{"version": 1}')
    assert "an agent does not start" in proxy_rows(world)["weak"]["text"]


def test_entries_that_do_not_do_what_they_seem_to_are_named(world):
    world.write(world.policy, json.dumps({"version": 1, "network": {
        "allow": ["a.example", "a.example:53", "localhost:8080", "127.0.0.1"]}}))
    found = json.loads(world.run("check", "--json", world.policy).stdout)["findings"]
    assert [(one["severity"], one["code"], one["what"].split('"')[1]) for one in found] == [
        ("warning", "wide-host", "a.example:53"), ("note", "own-loopback", "localhost:8080"),
        ("note", "own-loopback", "127.0.0.1")]


def test_allow_without_a_network_says_which_section_gives_one(world):
    world.write(world.policy, '{"version": 1}')
    done = world.run("allow", "a.example")
    section = done.stdout.split('add "network": ')[1].split(" to ~/")[0].replace("\n", " ")
    world.write(world.policy, json.dumps({"version": 1, "network": json.loads(section)}))
    assert world.run("explain", "a.example").returncode == 0, done
