"""The host's resolver lies, changes its mind, or says nothing."""

import json
import shlex
import time

import pytest

from internet import GOOD, OWN
from network_world import run_suggested
from proxy_processes import until
from proxy_runs import Run

LISTED = {"allow": ["*.example"]}


def address_of(done):
    return json.loads(done.stdout)["address"]


def test_a_name_is_looked_up_after_the_decision_only(world, internet):
    world.set_network({"allow": ["plain.example"]})
    assert address_of(world.curl("http://plain.example/")) == GOOD
    assert "plain.example" in internet.queries()
    world.curl("http://silent.example/")
    world.curl("https://secret-data.silent.example/")
    world.python("import socket; socket.getaddrinfo('other-data.silent.example', 80)")
    assert not [name for name in internet.queries() if "silent.example" in name]


def test_addresses_that_do_not_count_are_left_out(world):
    world.set_network(LISTED)
    assert address_of(world.curl("http://lies.example/")) == GOOD
    line = world.log("lies.example:80")[-1]
    assert (line["verdict"], line["address"]) == ("permit", GOOD)


def test_a_name_that_leads_only_inside_is_refused(world):
    world.set_network(LISTED)
    done = world.curl("-w", "%{http_code}", "http://inside.example/")
    assert done.stdout.endswith("403")
    assert world.log("inside.example:80")[-1]["verdict"] == "deny"


OWN_NAME = "cb007163.addresses.example"


def test_a_name_that_leads_to_this_machine_is_refused(world):
    """Whatever listens there may be behind a firewall that trusts the loopback interface."""
    world.set_network({"allow": ["*.addresses.example", "*.addresses.example:8080"]})
    done = world.curl(f"http://{OWN_NAME}:8080/")
    assert f"its address {OWN} is this machine's own" in done.stdout
    assert world.log(f"{OWN_NAME}:8080")[-1]["verdict"] == "deny"
    # Another address of the name counts.
    name = f"cb007163-cb007105.{OWN_NAME.split('.', 1)[1]}"
    assert address_of(world.curl(f"http://{name}/")) == GOOD
    run_suggested(world, done.stderr)
    assert address_of(world.curl(f"http://{OWN_NAME}:8080/")) == OWN
    assert address_of(world.curl(f"http://{OWN}:8080/")) == OWN
    assert "is listed for port 8080 only" in world.curl(f"http://{OWN_NAME}/").stdout


def test_a_host_that_is_revoked_during_its_lookup_is_not_reached(world, internet):
    world.set_network({"allow": ["plain.example", "slow.held.example"]})
    answers = internet.base / "answers"
    with Run(world, shlex.join(world.command("curl", "-sS", "-m", "20", "http://slow.held.example/"))) as run:
        until(lambda: "slow.held.example" in internet.queries(), "the lookup")
        world.set_network({"allow": ["plain.example"]})
        answers.touch()
    answers.unlink()
    assert 'the host "slow.held.example" is not listed' in run.done.stdout, run.done
    assert world.log("slow.held.example:80")[-1]["verdict"] == "deny"


def test_an_own_address_of_a_private_network_is_refused(world):
    """Even if the name may lead to other addresses of that network."""
    name = "0a090909.addresses.example"
    world.set_network({"allow": [name], "private": {name: ["10.9.0.0/16"]}})
    done = world.curl(f"http://{name}/")
    assert "its address 10.9.9.9 is this machine's own" in done.stdout, done


def test_a_name_that_rebinds_is_checked_again(world):
    """The second lookup comes after the first one's answer has been forgotten."""
    world.set_network(LISTED)
    script = "curl -s http://rebinds.example/; echo; sleep 6; curl -s http://rebinds.example/"
    first, second = world.confined("sh", "-c", script).stdout.split("\n", 1)
    assert json.loads(first)["address"] == GOOD
    assert "its address 10.1.2.3 is private" in second


def test_an_unknown_name_says_so(world):
    world.set_network(LISTED)
    done = world.curl("-w", "%{http_code}", "http://unknown.example/")
    assert done.stdout.endswith("502")
    assert "does not resolve" in done.stdout


@pytest.mark.parametrize("count", [1, 10])
def test_a_stalled_lookup_holds_up_no_other(world, count):
    world.set_network(LISTED)
    script = (f"for i in $(seq {count}); do curl -s -m 20 -o stalled http://n$i.stalls.example/ & done; "
              "sleep 0.5; curl -s -m 5 http://plain.example/; wait; cat stalled")
    began = time.monotonic()
    done = world.confined("sh", "-c", script)
    assert time.monotonic() - began < 20
    assert f'"address": "{GOOD}"' in done.stdout, done.stderr
    assert "did not resolve within 10 seconds" in done.stdout


# Looks up more names than a session may, in the end without waiting for the answers.
LOOKS_UP_TOO_MANY = """
import socket, struct, subprocess, sys
def query(name):
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return b"\\x12\\x34\\x01\\0\\0\\1\\0\\0\\0\\0\\0\\0" + labels + b"\\0\\0\\1\\0\\1"
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
    asked.connect(("198.18.0.2", 53))
    for number in range(250_000):
        asked.settimeout(5)
        asked.send(query(f"h{number}.example"))
        if number % 64 == 0:
            asked.settimeout(0.5 if number < 131_000 else 0)  # until then the resolver must follow
            try:
                while True:
                    asked.recv(1000)
                    asked.settimeout(0)
            except (TimeoutError, BlockingIOError):
                pass
asks = ["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "-m", "20", f"http://{sys.argv[1]}/"]
print(subprocess.run(asks, capture_output=True, text=True).stdout)
try:
    socket.gethostbyname("another.example")
except OSError as error:
    print(error)
"""


def test_too_many_names_end_no_session(world):
    world.set_network(LISTED)
    done = world.python("import urllib.request; urllib.request.urlopen('http://good.example/')\n"
                        + LOOKS_UP_TOO_MANY, "good.example", seconds=120)
    assert done.stdout.startswith("200\n"), done
    assert len(done.stdout.splitlines()) == 2, done  # the other name has no address any more
    assert "no host can be reached any more" not in done.stderr, done
    assert "this session has looked up too many names" in done.stderr, done
