"""What the tools say about the network is what happens, and their suggestions work."""

import json
import re
import shlex

import pytest

from internet import ECHO_PORT, GOOD, LOCAL_PORT
from network_world import EXPLICIT, TALK, run_suggested, suggested

NO_NETWORK = "ringfence: use of the network refused: commands have no network"
WRAPPED = {"bash": {"wrap": True}}


def open_as_suggested(world, text, host=None):
    """Runs the command for a first list of hosts, about which the command asks."""
    with pytest.raises(AssertionError, match="add --yes"):
        run_suggested(world, text, host=host)
    run_suggested(world, text, "--yes", host=host)


def test_a_command_without_a_network_is_told_how_to_get_one(world):
    world.set_network(None)
    for attempt in ("http://good.example/", f"http://{GOOD}/", "http://[2001:db8::1]/"):
        done = world.curl(attempt)
        assert done.returncode != 0
        lines = [line for line in done.stderr.splitlines() if line.startswith("ringfence")]
        assert len(lines) == 1 and lines[0].startswith(NO_NETWORK), done.stderr
    open_as_suggested(world, done.stderr, "good.example")
    done = world.curl("http://good.example/")
    assert json.loads(done.stdout)["host"] == "good.example", done.stderr


@pytest.mark.parametrize("resolver", ("127.0.0.53", "::1"))
def test_a_lookup_at_a_resolver_of_this_machine_counts(world, resolver):
    world.set_network(None)
    run = shlex.join(world.command("curl", "-sS", "http://no.example/"))
    file = world.project / "resolv.conf"
    file.write_text(f"nameserver {resolver}\n")
    mounted = f"mount --bind {shlex.quote(str(file))} /etc/resolv.conf && {run}"
    done = world.outside("unshare", "--user", "--map-current-user", "--keep-caps", "--mount", "sh", "-c", mounted)
    assert done.stderr.count(NO_NETWORK) == 1, done.stderr


PROBES = """
import socket, sys
for family, address in ((socket.AF_INET, ("127.0.0.1", 9)), (socket.AF_INET6, ("::1", 9)),
                        (socket.AF_UNIX, "/var/run/nscd/socket")):
    with socket.socket(family) as one:
        assert one.connect_ex(address) != 0
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
    one.sendto(b"statistics", ("127.0.0.1", 8125))
assert socket.getaddrinfo("localhost", 80)
sys.exit(3)
"""


def test_a_command_that_needs_no_host_is_told_nothing(world):
    world.set_network(None)
    assert NO_NETWORK not in world.python(PROBES).stderr
    assert NO_NETWORK not in world.confined("false").stderr
    # The command did without the host.
    done = world.confined("sh", "-c", "curl -sS http://good.example/; true")
    assert done.returncode == 0 and "ringfence" not in done.stderr, done.stderr


def test_a_host_that_the_policy_would_ask_about_can_be_allowed(world):
    world.set_network({"unlisted": "ask"})
    done = world.curl("http://good.example/")
    assert "is not listed, and a connection cannot ask" in done.stderr
    run_suggested(world, done.stderr)
    assert json.loads(world.curl("http://good.example/").stdout)["host"] == "good.example"


def test_an_entry_for_the_port_of_the_resolver_harms_nothing(world):
    world.set_network({"allow": ["good.example", "good.example:53"]})
    assert json.loads(world.curl("http://good.example/").stdout)["host"] == "good.example"
    done = world.outside(world.programs.ringfence, "check", world.policy)
    assert "at port 53, sandboxed commands reach the sandbox's resolver" in done.stdout


def explained(world, target):
    """The connections of `ringfence explain`, and its exit status."""
    done = world.outside(world.programs.ringfence, "explain", "--policy", world.policy, "--root", world.project,
                         "--json", target)
    answer = json.loads(done.stdout)
    calls = answer.get("calls", [answer])
    return [call for call in calls if "connection" in call], done


# A policy, and what to ask about: a URL for curl, or a host and a port.
EXPLAINED = (
    ({"allow": ["good.example"]}, "http://good.example/"),
    ({"allow": ["good.example"]}, "https://good.example/"),
    ({"allow": ["good.example"]}, "http://bad.example/x"),
    ({"allow": ["*"], "deny": ["bad.example"]}, "https://bad.example/"),
    ({"allow": ["good.example"]}, f"good.example:{ECHO_PORT}"),
    ({"allow": [f"good.example:{ECHO_PORT}"]}, f"good.example:{ECHO_PORT}"),
    ({"allow": ["good.example:443"]}, "http://good.example/"),
    ({"allow": [GOOD]}, f"http://{GOOD}/"),
    ({"allow": ["good.example"]}, f"http://{GOOD}/"),
    ({"unlisted": "ask"}, "http://good.example/"),
    ({"allow": ["host.ringfence:80"]}, "host.ringfence:5454"),
)


@pytest.mark.parametrize("network, target", EXPLAINED, ids=[f"{row[1]} of {row[0]}" for row in EXPLAINED])
def test_explain_says_what_happens(world, network, target):
    world.set_network(network)
    (connection,), asked = explained(world, target)
    url = target if "://" in target else f"telnet://{target}"
    done = world.confined("sh", "-c", f"curl -sS -m 10 {shlex.quote(url)} </dev/null")
    refused = [line for line in done.stderr.splitlines() if line.startswith("ringfence: connection")]
    assert (connection["verdict"] == "deny") == bool(refused), (connection, done)
    assert asked.returncode == len(refused)
    if refused:
        # The user's own words in place of the target that the proxy saw.
        named = re.sub('^ringfence: connection to "[^"]*"', f'ringfence: connection to "{target}"', refused[0])
        assert connection["reason"] == named


@pytest.mark.parametrize("is_listed", (False, True))
@pytest.mark.parametrize("host", ("127.0.0.1", "localhost", "x.localhost"))
def test_a_port_of_this_machine_by_another_name(world, host, is_listed):
    target = f"{host}:{LOCAL_PORT}"
    world.set_network({"allow": ["good.example", *([target] if is_listed else [])]})
    (connection,), _ = explained(world, target)
    done = world.curl(*EXPLICIT, f"http://{target}/")
    assert connection["verdict"] == "deny" and connection["reason"] in done.stderr, (connection, done)
    assert "sandbox's own loopback" in connection["notes"][0]
    run_suggested(world, done.stderr)
    assert world.python(TALK, "host.ringfence", LOCAL_PORT, "x").stdout.strip() == "x"
    assert f'Connect to "host.ringfence:{LOCAL_PORT}" instead' in world.curl(*EXPLICIT, f"http://{target}/").stdout


def test_explain_says_which_addresses_count(world):
    """A name is permitted; no entry of a list lets it lead to loopback or to a metadata service."""
    names = {"loopback.example": "is loopback", "metadata.example": "is a cloud's metadata service",
             "private.example": "is private"}
    world.set_network({"allow": [*names, "127.0.0.1", "169.254.169.254", "10.1.2.3"]})
    for name, refusal in names.items():
        (connection,), _ = explained(world, name)
        for part in ("private and link-local ones count only with an entry of network.private",
                     "this machine's own only if the policy lists them",
                     "loopback, metadata and reserved ones never"):
            assert part in connection["how"]
        assert refusal in world.curl(f"http://{name}/").stdout


def test_explain_names_nothing_that_was_not_asked(world):
    for target in ("bad.example:22", "https://bad.example/", "bad.example", "ssh://bad.example/x"):
        _, asked = explained(world, target)
        named = asked.stdout.replace(target, "")
        assert not re.search("[a-z]+://", named), named
        assert "no network" not in asked.stdout
    asked = world.outside(world.programs.ringfence, "explain", "--root", world.project, "postgres://good.example/")
    assert asked.returncode == 2 and "without a host or a known port" in asked.stderr, asked


def test_explain_of_a_policy_without_a_network(world):
    world.set_network(None)
    (connection,), asked = explained(world, "good.example")
    assert asked.returncode == 1
    for target in ("http://good.example/x", "good.example.", "Good.Example", "https://good.example:443/"):
        (other,), _ = explained(world, target)
        assert other["reason"] == connection["reason"].replace("good.example", target, 1)
    (other,), _ = explained(world, "ssh://good.example/")
    words = suggested(other["reason"])
    assert words[0] == "allow" and "good.example:22" in words
    open_as_suggested(world, connection["reason"])
    assert explained(world, "good.example")[1].returncode == 0
    world.set_network(None)
    (connection,), _ = explained(world, "api.anthropic.com")
    assert "an agent that runs confined" in connection["notes"][0]


def test_explain_of_a_host_whose_ports_differ(world):
    world.set_network({"allow": ["good.example:443", "*.wide.example"]})
    connections, _ = explained(world, "good.example")
    assert [(one["connection"], one["verdict"]) for one in connections] == [
        ("good.example:443", "permit"), ("good.example:80", "deny")]
    (connection,), _ = explained(world, "*.wide.example")
    assert connection["verdict"] == "permit"
    world.set_network({"unlisted": "allow", "deny": ["bad.example"]})
    (connection,), asked = explained(world, "bad.example")
    assert connection["verdict"] == "permit" and "the agent's own tools only" in connection["how"]
    assert asked.returncode == 1  # WebFetch


def told(world, done, event="PostToolUseFailure"):
    """What the hook tells the model after this command of a wrapped Bash."""
    result = {"error": f"Exit code {done.returncode}\n{done.stderr}"}
    if event == "PostToolUse":
        result = {"tool_response": {"stdout": done.stdout, "stderr": done.stderr}}
    call = {"hook_event_name": event, "session_id": "s", "cwd": str(world.project), "tool_name": "Bash",
            "tool_input": {"command": "x"}, **result}
    file = world.project / "event"
    file.write_text(json.dumps(call))
    hook = shlex.join([world.programs.hook, "--policy", str(world.policy), "--root", str(world.project)])
    answer = world.outside("sh", "-c", f"{hook} <{shlex.quote(str(file))}")
    assert answer.returncode == 0, answer
    return json.loads(answer.stdout)["hookSpecificOutput"]["additionalContext"] if answer.stdout else ""


def test_the_model_is_told_of_a_refused_host_and_what_the_user_can_do(world):
    world.set_network({"allow": ["good.example"]}, **WRAPPED)
    done = world.confined("curl", "-sS", "https://bad.example/")
    text = told(world, done)
    line = 'ringfence: connection to "bad.example:443" refused: the host "bad.example" is not listed.'
    assert line in done.stderr and line in text
    assert "ask for it only if your task needs it" in text
    run_suggested(world, text)
    assert world.curl("https://bad.example/").returncode == 0
    # A program that goes on without the host is not asked to end with an error.
    done = world.confined("sh", "-c", "curl -sS http://private.example/; true")
    assert 'connection to "private.example:80" refused' in told(world, done, "PostToolUse")


def test_the_model_is_told_of_a_missing_network(world):
    world.set_network(None, **WRAPPED)
    done = world.curl("http://good.example/")
    text = told(world, done)
    assert 'connection to "good.example:80" refused: commands have no network' in text
    open_as_suggested(world, text)
    assert world.curl("http://good.example/").returncode == 0


def test_a_refusal_of_no_session_is_allowed_as_the_error_says(world):
    world.set_network({"allow": ["good.example"]})

    def allow(*words):
        return world.outside(world.programs.ringfence, "allow", "--policy", world.policy, *words, "bad.example")

    assert world.curl("http://bad.example/").returncode == 0  # the proxy's answer
    done = allow("--session")
    assert "belong to no session" in done.stderr and "ringfence run --session ID" in done.stderr, done
    assert allow("--session-id", "one").returncode == 0
    assert "is not listed" in world.curl("http://bad.example/").stdout
    done = world.curl("http://bad.example/", extra=("--session", "one"))
    assert json.loads(done.stdout)["host"] == "bad.example", done
    assert allow().returncode == 0
    assert json.loads(world.curl("http://bad.example/").stdout)["host"] == "bad.example"
