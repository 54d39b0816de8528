"""With network.upstream, that proxy makes the connections that leave the user's own networks."""

import json
import re

import pytest

from internet import ECHO_PORT, GOOD, GREETING_PORT, LOCAL_PORT, PRIVATE
from network_world import EXPLICIT, SOCKS, TALK
from upstream_proxy import LOCAL_UPSTREAM, NOBODY, UPSTREAM

ALLOWED = ["hidden.example", "*.example", f"hidden.example:{ECHO_PORT}",
           f"hidden.example:{GREETING_PORT}"]


def url(place):
    return "http://{}:{}".format(*place)


def set_upstream(world, place=UPSTREAM, allow=(), **more):
    world.set_network({"allow": [*ALLOWED, *allow], "upstream": url(place), **more})


def asked(world, target):
    """The number of tunnels to the target that the proxy was asked for."""
    return sum(head.startswith(f"CONNECT {target} ") for head in world.internet.connects())


def test_every_protocol_goes_through_it(world):
    set_upstream(world)
    for arguments in ((), EXPLICIT, SOCKS):
        done = world.curl(*arguments, "http://hidden.example/a")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["host"] == "hidden.example"
        done = world.curl(*arguments, "-k", "https://hidden.example/b")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["path"] == "/b"
    done = world.python(TALK, "hidden.example", ECHO_PORT, "hello")
    assert done.stdout.strip() == "hello", done.stderr
    assert "CONNECT hidden.example:443 HTTP/1.1\r\nHost: hidden.example:443\r\n\r\n" in \
        world.internet.connects()


def test_bytes_that_follow_its_answer_at_once_arrive(world):
    set_upstream(world, allow=[f"{name}.example:{GREETING_PORT}" for name in ("split", "odd")])
    for host in ("hidden.example", "split.example", "odd.example"):
        done = world.python(TALK, host, GREETING_PORT, "x")
        assert done.stdout.split() == ["SSH-2.0-test", "x"], done.stderr


def test_answers_that_come_late_or_in_parts_are_understood(world):
    set_upstream(world)
    for host in ("split.example", "interim.example", "odd.example", "slow.example"):
        done = world.curl(f"http://{host}/")
        assert done.returncode == 0 and json.loads(done.stdout)["host"] == host, done.stderr


def test_names_are_not_looked_up_here(world):
    set_upstream(world)
    before = len(world.internet.queries())
    done = world.curl("http://plain.example/")
    assert json.loads(done.stdout)["host"] == "plain.example", done.stderr
    assert not {"plain.example", "hidden.example"} & set(world.internet.queries()[before:])


def test_the_log_names_it_in_place_of_an_address(world):
    set_upstream(world)
    world.curl("http://hidden.example/")
    line, = world.log("hidden.example:80")
    assert line["upstream"] == "10.1.2.3:3128" and "address" not in line
    assert line["verdict"] == "permit" and line["status"] == 200


def test_hosts_that_are_not_listed_never_reach_it(world):
    world.set_network({"allow": ["good.example"], "upstream": url(UPSTREAM)})
    before = len(world.internet.connects())
    assert "is not listed" in world.curl("http://hidden.example/").stdout
    assert world.curl("https://hidden.example/").returncode != 0
    assert len(world.internet.connects()) == before


@pytest.mark.parametrize("host, why", [
    ("refused.example", "refused it with status 403"),
    ("password.example", "asks for a password (status 407), and ringfence has none for it"),
    ("switches.example", "refused it with status 101"),
    ("ends.example", "closed the connection without an answer"),
    ("greets.example", "gave an answer that is not HTTP/1"),
    ("endless.example", "gave an answer that is not HTTP/1, or longer than 8 KB"),
    ("bare.example", "gave an answer that is not HTTP/1"),
    ("newer.example", "gave an answer that is not HTTP/1"),
])
def test_its_refusal_is_reported_as_its_own(world, host, why):
    set_upstream(world)
    sentence = f'connection to "{host}:%s" failed: the proxy of network.upstream, "10.1.2.3:3128", {why}'
    done = world.curl("-w", "%{http_code}", f"http://{host}/")
    assert done.stdout.endswith("502")
    assert sentence % 80 in done.stdout
    assert sentence % 80 in done.stderr
    assert ("to port 443 only" in done.stdout) == ("refused" in why)
    done = world.curl("-k", f"https://{host}/")
    assert done.returncode != 0
    assert done.stderr.count(sentence % 443) == 1, done.stderr
    assert "to port 443 only" not in done.stderr
    done = world.curl(*EXPLICIT, "-v", "-k", f"https://{host}/")
    assert "HTTP/1.1 502" in done.stderr and sentence % 443 in done.stderr
    line = world.log(f"{host}:443")[0]
    assert why in line["why"] and line["upstream"] == "10.1.2.3:3128"


def test_a_proxy_that_is_down_or_unknown_is_named(world):
    set_upstream(world, NOBODY)
    done = world.curl("http://hidden.example/")
    assert '"10.1.2.3:3999", cannot be reached: Connection refused' in done.stdout
    set_upstream(world, ("nowhere.example", 3128))
    done = world.curl("http://hidden.example/")
    assert '"nowhere.example:3128", does not resolve' in done.stdout


def test_a_proxy_that_stalls_holds_up_one_connection(world):
    set_upstream(world)
    script = ("curl -sS -m 25 http://silent.example/ & curl -sS -m 25 http://hidden.example/; echo; wait")
    done = world.confined("sh", "-c", script)
    first, second = done.stdout.splitlines()[:2]
    assert json.loads(first)["host"] == "hidden.example", done.stdout + done.stderr
    assert second.endswith('"10.1.2.3:3128", did not answer within 10 seconds')


def test_its_name_is_looked_up_by_the_host(world):
    set_upstream(world, ("proxy.example", 3128))
    assert json.loads(world.curl("http://hidden.example/").stdout)["host"] == "hidden.example"
    line, = world.log("hidden.example:80")
    assert line["upstream"] == "proxy.example:3128"


def test_the_users_own_networks_are_reached_directly(world):
    set_upstream(world, allow=[f"host.ringfence:{LOCAL_PORT}", PRIVATE, "private.example", GOOD],
                 private={"private.example": ["10.1.2.0/24"]})
    before = len(world.internet.connects())
    done = world.python(TALK, "host.ringfence", LOCAL_PORT, "to the host")
    assert done.stdout.strip() == "to the host", done.stderr
    for host in ("private.example", PRIVATE):
        answer = json.loads(world.curl(f"http://{host}/").stdout)
        assert (answer["host"], answer["address"]) == (host, PRIVATE)
    assert len(world.internet.connects()) == before
    assert json.loads(world.curl(f"http://{GOOD}/").stdout)["host"] == GOOD
    assert asked(world, f"{GOOD}:80") == 1


def test_a_private_name_with_a_public_address_goes_through_it(world):
    set_upstream(world, private={"www.good.example": ["10.1.2.0/24"]})
    before = asked(world, "www.good.example:80")
    assert json.loads(world.curl("http://www.good.example/").stdout)["host"] == "www.good.example"
    assert asked(world, "www.good.example:80") == before + 1
    set_upstream(world, private={"mixed.example": ["10.2.0.0/16"]})
    assert "its address 10.1.2.3 is private" in world.curl("http://mixed.example/").stdout
    assert not asked(world, "mixed.example:80")


def test_the_loopback_of_the_proxys_machine_has_no_name(world):
    set_upstream(world, allow=[f"localhost:{LOCAL_PORT}"])
    done = world.curl(*EXPLICIT, f"http://localhost:{LOCAL_PORT}/")
    assert "is loopback" in done.stdout, done.stderr
    assert not asked(world, f"localhost:{LOCAL_PORT}")


def test_nothing_inside_reaches_the_proxy_itself(world):
    """Who speaks to it could ask it for any host."""
    hello = "CONNECT bad.example:80 HTTP/1.1\r\n\r\n"
    rows = (
        (("proxy.example", 3128), "proxy.example", "it is the proxy of network.upstream"),
        (UPSTREAM, PRIVATE, "it is the proxy of network.upstream"),
        (UPSTREAM, "proxy.example", "its address 10.1.2.3 is the proxy of network.upstream"),
        (("proxy.example", 3128), PRIVATE, "its address 10.1.2.3 is the proxy of network.upstream"),
        (LOCAL_UPSTREAM, "host.ringfence", "its address 127.0.0.1 is the proxy of network.upstream"),
        # Whatever listens at ::1 may be the same program.
        (("[::1]", 3129), "host.ringfence", "its address 127.0.0.1 is the proxy of network.upstream"),
        (("10.9.9.9", 3129), "host.ringfence", "its address 127.0.0.1 is the proxy of network.upstream"),
    )
    before = len(world.internet.connects())
    for place, host, why in rows:
        set_upstream(world, place, allow=[f"{host}:{place[1]}"],
                     private={"proxy.example": ["10.1.2.3"]})
        done = world.python(TALK, host, place[1], hello)
        assert "200" not in done.stdout
        assert why in done.stderr, done.stderr
    assert len(world.internet.connects()) == before


def test_a_local_proxy_is_used_although_its_address_is_loopback(world):
    set_upstream(world, LOCAL_UPSTREAM)
    assert json.loads(world.curl("http://hidden.example/").stdout)["host"] == "hidden.example"


def test_a_sandbox_without_namespaces_uses_it_too(world):
    set_upstream(world)
    done = world.curl("http://hidden.example/", extra=("--layers", "landlock"))
    assert json.loads(done.stdout)["host"] == "hidden.example", done.stderr


def doctor(world):
    """The rows about the network and the sandbox."""
    done = world.outside(world.programs.ringfence, "doctor", "--json", "--hook", world.programs.hook,
                         "--policy", world.policy, seconds=120)
    assert "secret" not in done.stdout
    return json.loads(done.stdout)["rows"]


def advice(world):
    """What doctor tells the user to write as "network", if it does."""
    rows = [row for row in doctor(world) if row["about"] == "network"]
    for row in rows:
        assert row["text"].startswith("HTTPS_PROXY names a proxy") and row["health"] == "weak"
    return [json.loads(re.search(r'write "network": (\{.*\}) in the policy', row["fix"])[1])
            for row in rows]


def test_the_fix_of_doctor_for_a_host_behind_a_proxy_works(world):
    world.set_network({"allow": ["hidden.example"]})
    assert not advice(world)
    world.environment["HTTPS_PROXY"] = "http://me:secret@10.1.2.3:3128/"
    assert "does not resolve" in world.curl("http://hidden.example/").stdout
    written, = advice(world)
    world.set_network({"allow": ["hidden.example"], **written})
    assert json.loads(world.curl("http://hidden.example/").stdout)["host"] == "hidden.example"
    rows = doctor(world)
    assert not [row for row in rows if row["about"] == "network"]
    note = 'network.upstream: "10.1.2.3:3128" looks names up'
    assert any(row["text"].startswith(note) for row in rows), rows


@pytest.mark.parametrize("network, value, want", [
    (None, "10.1.2.3:3128", {"allow": ["@agent-hosts"], "upstream": url(UPSTREAM)}),
    ({"allow": ["a.example"]}, "socks5://10.1.2.3:1080", {"upstream": "http://host:port"}),
    ({"unlisted": "allow"}, "10.1.2.3:3128", None),
])
def test_doctor_suggests_a_policy_that_is_valid(world, network, value, want):
    world.environment["HTTPS_PROXY"] = value
    world.set_network(network)
    assert advice(world) == ([want] if want else [])
    if want and "allow" in want:
        world.set_network(want)
        assert world.confined("true").returncode == 0
