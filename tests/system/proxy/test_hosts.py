"""A confined command reaches the hosts that the policy lists, and no others."""

import json
import re
import shlex

import pytest

from internet import ECHO_PORT, GOOD, GREETING_PORT, LOCAL_PORT
from network_world import EXPLICIT, SOCKS, TALK, refusals


def test_a_listed_host_is_reached_without_any_setting(world):
    done = world.curl("http://good.example/a?b=c")
    assert done.returncode == 0, done.stderr
    asked = json.loads(done.stdout)
    assert (asked["host"], asked["path"], asked["address"]) == ("good.example", "/a?b=c", GOOD)
    assert not done.stderr
    done = world.curl("https://good.example/x")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["path"] == "/x"


def test_programs_that_use_no_proxy_arrive(world):
    code = "import urllib.request as r; print(r.urlopen('http://good.example/p').read().decode())"
    done = world.python(code)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["path"] == "/p"


def test_an_unlisted_host_is_refused_with_its_rule_and_a_command(world):
    done = world.curl("-w", "%{http_code}", "http://bad.example/")
    assert done.stdout.endswith("403")
    sentence = done.stdout.splitlines()[0]
    assert 'connection to "bad.example:80" refused: the host "bad.example" is not listed' in sentence
    assert "ringfence allow" in sentence
    assert str(world.policy.name) in sentence
    assert refusals(done) == [sentence]


@pytest.mark.parametrize("host", ("bad.example", "203.0.113.9"))
@pytest.mark.parametrize("port", (80, 443))
def test_an_unlisted_host_is_refused_even_if_the_program_says_nothing(world, host, port):
    done = world.python("import socket, sys\nsocket.create_connection(tuple(sys.argv[1:])).recv(1)", host, port)
    assert "ConnectionResetError" in done.stderr and len(refusals(done)) == 1, done.stderr


def test_tls_to_an_unlisted_host_is_reset_at_once(world):
    done = world.curl("-w", "%{time_total}", "https://bad.example/")
    assert done.returncode != 0
    assert float(done.stdout) < 2
    assert len(refusals(done)) == 1
    assert '"bad.example:443"' in refusals(done)[0]


def test_each_host_is_reported_once(world):
    done = world.confined("sh", "-c", "for i in 1 2 3; do curl -s http://bad.example/; done; true")
    assert len(refusals(done)) == 1


def test_the_explicit_proxy_applies_the_same_rules(world):
    for proxy in (EXPLICIT, SOCKS):
        done = world.curl(*proxy, "http://good.example/a")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["path"] == "/a"
        done = world.curl(*proxy, "https://good.example/b")
        assert done.returncode == 0, done.stderr
        assert world.curl(*proxy, "https://bad.example/").returncode != 0
    refused = world.curl(*EXPLICIT, "-v", "https://bad.example/")
    assert "HTTP/1.1 403 Forbidden" in refused.stderr
    assert 'X-Ringfence: ringfence: connection to "bad.example:443" refused' in refused.stderr


def test_a_listed_port_of_any_protocol_is_reached(world):
    world.set_network({"allow": [f"good.example:{ECHO_PORT}", f"good.example:{GREETING_PORT}"]})
    done = world.python(TALK, "good.example", ECHO_PORT, "hello")
    assert done.stdout.strip() == "hello", done.stderr
    done = world.python(TALK, "good.example", GREETING_PORT, "x")
    assert done.stdout.split() == ["SSH-2.0-test", "x"], done.stderr
    # Such an entry lists no other port.
    assert world.curl("http://good.example/").stdout.startswith("ringfence: connection to")


def test_an_unlisted_port_is_refused_with_an_explanation(world):
    done = world.python(TALK, "good.example", ECHO_PORT, "hello")
    assert done.returncode != 0
    assert len(refusals(done)) == 1
    assert f'"good.example:{ECHO_PORT}"' in refusals(done)[0]
    done = world.curl("http://good.example:8080/")
    assert done.stdout.startswith('ringfence: connection to "good.example:8080" refused')


def test_tls_must_name_the_host_that_was_asked_for(world):
    world.set_network({"allow": ["good.example", "www.good.example"]})
    hidden = ("--connect-to", "bad.example:443:good.example:443")
    for proxy in ((), EXPLICIT):
        done = world.curl(*proxy, *hidden, "https://bad.example/")
        assert done.returncode != 0
        assert 'names another host: "' in done.stderr
    code = """
import socket, ssl, sys
context = ssl._create_unverified_context()
socket_ = socket.create_connection(("good.example", 443), 10)
try:
    context.wrap_socket(socket_)
except OSError as error:
    sys.exit(type(error).__name__)
"""
    done = world.python(code)
    assert done.returncode != 0
    assert "names no host" in done.stderr


def test_plain_text_to_the_tls_port_is_refused(world):
    done = world.python(TALK, "good.example", 443, "GET / HTTP/1.1\r\nHost: good.example\r\n\r\n")
    assert done.returncode != 0
    assert "is not TLS" in done.stderr


def test_a_host_header_for_another_host_is_refused(world):
    done = world.curl("-H", "Host: bad.example", "http://good.example/")
    assert done.stdout.startswith("ringfence: the request")
    assert "bad.example" not in json.dumps(world.log("good.example:80"))


@pytest.mark.parametrize("private", ({}, {"private": {}}))
def test_private_addresses_need_an_entry(world, private):
    world.set_network({"allow": ["private.example"], **private})
    done = world.curl("http://private.example/")
    assert "its address 10.1.2.3 is private" in done.stdout
    host, address, file = re.search('add "(.*)": \\["(.*)"\\] to network.private of ([^ ]*)[.]', done.stdout).groups()
    assert file == str(world.policy)
    world.set_network({"allow": ["private.example"], "private": {host: [address]}})
    assert json.loads(world.curl("http://private.example/").stdout)["host"] == "private.example"
    world.set_network({"allow": ["private.example"], "private": {"private.example": ["10.1.2.0/24"]}})
    done = world.curl("http://private.example/")
    assert json.loads(done.stdout)["host"] == "private.example"


def test_names_of_loopback_and_metadata_addresses_are_refused(world):
    world.set_network({"allow": [f"loopback.example:{LOCAL_PORT}", "metadata.example"]})
    done = world.python(TALK, "loopback.example", LOCAL_PORT, "x")
    assert done.returncode != 0
    assert "loopback" in done.stderr
    done = world.curl("http://metadata.example/")
    assert "169.254.169.254" in done.stdout


def test_an_address_counts_only_where_it_is_listed(world):
    assert f'connection to "{GOOD}:80" refused' in world.curl(f"http://{GOOD}/").stdout
    world.set_network({"allow": [GOOD]})
    assert json.loads(world.curl(f"http://{GOOD}/").stdout)["host"] == GOOD
    assert "is not listed" in world.curl("http://good.example/").stdout


def test_the_loopback_of_the_host_has_a_name(world):
    done = world.python(TALK, "host.ringfence", LOCAL_PORT, "x")
    assert done.returncode != 0
    world.set_network({"allow": [f"host.ringfence:{LOCAL_PORT}"]})
    done = world.python(TALK, "host.ringfence", LOCAL_PORT, "to the host")
    assert done.stdout.strip() == "to the host", done.stderr


def test_a_permission_counts_from_the_next_attempt_on(world):
    """The sandbox runs on while the policy changes."""
    wait = "while [ ! -e go ]; do sleep 0.05; done"
    script = f"curl -s http://bad.example/ | head -c 9; {wait}; curl -s http://bad.example/"
    change = (f"sleep 1.5; {shlex.quote(world.programs.ringfence)} allow --policy "
              f"{shlex.quote(str(world.policy))} --as host bad.example; touch go")
    run = shlex.join(world.command("sh", "-c", script))
    done = world.outside("sh", "-c", f"({change}) >change 2>&1 & {run}")
    assert done.stdout.startswith("ringfence"), done.stderr
    assert '"host": "bad.example"' in done.stdout, (world.project / "change").read_text()


def test_a_revocation_counts_from_the_next_attempt_on(world):
    world.set_network({"allow": ["good.example", "bad.example"]})
    script = ("curl -s http://bad.example/1; touch asked; while [ ! -e go ]; do sleep 0.05; done;"
              " curl -s http://bad.example/2")
    change = (f"while [ ! -e asked ]; do sleep 0.05; done; {shlex.quote(world.programs.ringfence)} revoke"
              f" --policy {shlex.quote(str(world.policy))} bad.example; touch go")
    run = shlex.join(world.command("sh", "-c", script))
    done = world.outside("sh", "-c", f"({change}) >change 2>&1 & {run}")
    assert '"path": "/1"' in done.stdout, done.stderr
    assert '"path": "/2"' not in done.stdout, (world.project / "change").read_text()
    assert 'connection to "bad.example:80" refused' in done.stdout


def test_a_permission_of_a_session_counts_in_that_session_only(world):
    allow = shlex.join([world.programs.ringfence, "allow", "--policy", str(world.policy), "bad.example",
                        "--session-id", "one"])
    ask = {name: shlex.join(world.command("curl", "-s", "http://bad.example/", extra=("--session", name)))
           for name in ("one", "two")}
    done = world.outside("sh", "-c", f"{ask['one']}; {allow}; {ask['one']}; {ask['two']}")
    answers = [line.startswith("{") for line in done.stdout.replace("}ringfence", "}\nringfence").splitlines()
               if line.startswith(("{", "ringfence: connection"))]
    assert answers == [False, True, False], done


def test_the_log_has_a_line_for_each_connection(world):
    world.curl("http://good.example/secret?token=1")
    world.curl("https://good.example/")
    world.curl("https://bad.example/")
    first, second, third = world.log()
    assert (first["host"], first["protocol"], first["method"], first["path"], first["status"],
            first["address"]) == ("good.example:80", "http", "GET", "/secret", 200, GOOD)
    assert first["verdict"] == "permit" and first["up"] > 0 and first["down"] > 0
    assert (second["host"], second["protocol"], second["verdict"]) == ("good.example:443", "tls",
                                                                       "permit")
    assert second["down"] > 1000
    assert (third["host"], third["verdict"]) == ("bad.example:443", "deny")
    assert third["rule"]["pointer"] == "/network"
    assert "token" not in world.log_file.read_text()
    assert world.outside(world.programs.ringfence, "log", "verify", "--policy", world.policy,
                         "--root", world.project).returncode == 0
