"""The host's resolver lies, changes its mind, or says nothing."""

import json
import time

import pytest

from internet import GOOD

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
