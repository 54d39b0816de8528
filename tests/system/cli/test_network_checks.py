"""What `check` and `doctor` find out about the egress proxy and the entries for hosts."""

import copy
import json
import pathlib
import shutil

import pytest

from command_steps import Typed
from command_world import error_of

PROGRAMS = ("ringfence-hook", "ringfence", "ringfence-cli", "ringfence-proxy", "ringfence-stage")


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
        "allow": ["a.example", "a.example:53", "localhost:8080", "127.0.0.1", "0.0.0.0:80"]}}))
    found = json.loads(world.run("check", "--json", world.policy).stdout)["findings"]
    assert [(one["severity"], one["code"], one["what"].split('"')[1]) for one in found] == [
        ("warning", "wide-host", "a.example:53"), ("note", "own-loopback", "localhost:8080"),
        ("note", "own-loopback", "127.0.0.1"), ("note", "own-loopback", "0.0.0.0:80")]


def test_the_first_host_makes_the_network_after_a_question(world):
    world.write(world.policy, '{"version": 1} // mine\n')
    done = world.run("allow", "a.example")
    error_of(done, 1, 'the policy has no "network"', "every host that it does not list is refused", "--yes")
    assert world.policy.read_text() == '{"version": 1} // mine\n'
    section = done.stderr.replace("\n", " ").split('add "network": ')[1].split(" to ~/")[0]
    done = world.run("allow", "a.example", "--yes")
    assert "every host that this list does not name is refused now" in done.stdout
    text = world.policy.read_text()
    assert json.loads(text.removesuffix(" // mine\n"))["network"] == json.loads(section)
    assert world.run("explain", "a.example").returncode == 0
    assert world.run("explain", "WebFetch", "https://b.example/").returncode == 1
    assert 'Added "b.example"' in world.run("allow", "b.example").stdout


def test_a_terminal_is_asked_about_the_first_host(world):
    world.write(world.policy, '{"version": 1}')
    for reply, said, status in (("n\r", "Nothing was changed", 1), ("y\r", 'Added "a.example"', 0)):
        with Typed(world, "allow", "a.example") as user:
            user.wait("every host that it does not list is refused")
            user.wait("Add it? [y/N] ")
            user.say(reply, said)
            assert user.status() == status
        assert ("a.example" in world.policy.read_text()) == (status == 0)


def test_a_loopback_entry_names_the_one_of_this_machine(world):
    advice = "ringfence allow host.ringfence:"
    error_of(world.run("allow", "localhost:5454"), 1, advice + "5454")
    done = world.run("allow", "localhost:5454", "--yes")
    assert advice + "5454" in done.stdout
    assert advice + "5454" in world.run("allow", "LOCALHOST:5454").stdout
    assert advice + "PORT" in world.run("allow", "127.0.0.1").stdout
    assert "host.ringfence" not in world.run("allow", "10.0.0.1").stdout
    assert connection(world, "host.ringfence:5454")["verdict"] == "deny"
    assert world.run("allow", "host.ringfence:5454").returncode == 0
    assert connection(world, "host.ringfence:5454")["verdict"] == "permit"


def connection(world, target):
    answer = json.loads(world.run("explain", "--json", target).stdout)
    return next(call for call in answer.get("calls", [answer]) if "connection" in call)


def test_the_first_entry_may_be_a_port_of_this_machine(world):
    world.write(world.policy, '{"version": 1}')
    error_of(world.run("allow", "host.ringfence:5454"), 1, 'no "network"', "--yes")
    assert world.run("allow", "host.ringfence:5454", "--yes").returncode == 0
    assert connection(world, "host.ringfence:5454")["verdict"] == "permit"


@pytest.mark.parametrize("word, said", (
    ("bad:99999", ("has a port that is not 1 to 65535", "80 and 443")),
    ("a.example:0", ("has a port that is not 1 to 65535",)),
    ("b\u00fccher.example", ("only the letters of ASCII", "xn--")),
))
def test_a_name_that_can_only_be_a_host_is_corrected(world, word, said):
    error_of(world.run("allow", word), 2, *said)


def test_the_corrected_names_are_taken(world):
    for word in ("bad.example:9999", "xn--bcher-kva.example", "a.example"):
        assert world.run("allow", "--yes", word).returncode == 0, word
