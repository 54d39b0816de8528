"""What the tools say about the network is what happens, and their suggestions work."""

import json
import re
import shlex

NO_NETWORK = "ringfence: use of the network refused: commands have no network"


def suggested(text):
    """The command between backquotes, for this policy."""
    return shlex.split(re.search("`ringfence ([^`]*)`", text)[1])


def run_suggested(world, text):
    words = suggested(text)
    if "--policy" not in words:
        words += ["--policy", str(world.policy)]
    done = world.outside(world.programs.ringfence, *words)
    assert done.returncode == 0, done


def add_suggested(world, text, host):
    """Adds the section that the text has to the file that it names."""
    section, file = re.search('Ask the user to add "network": ({.*}) to ([^ ]*)[.]', text).groups()
    assert file == str(world.policy)
    rules = json.loads(world.policy.read_text())
    rules["network"] = json.loads(section.replace("HOST", host))
    world.policy.write_text(json.dumps(rules))


def test_a_command_without_a_network_is_told_how_to_get_one(world):
    world.set_network(None)
    for attempt in ("http://good.example/", f"http://{GOOD}/", "http://[2001:db8::1]/"):
        done = world.curl(attempt)
        assert done.returncode != 0
        lines = [line for line in done.stderr.splitlines() if line.startswith("ringfence")]
        assert len(lines) == 1 and lines[0].startswith(NO_NETWORK), done.stderr
    add_suggested(world, done.stderr, "good.example")
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
