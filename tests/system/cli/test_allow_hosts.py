"""`ringfence allow` of hosts with ports, and of ports of this machine."""

import json

import pytest

from command_steps import advice_of
from command_world import error_of


def with_network(world, **network):
    world.write(world.policy, json.dumps({"version": 1, "network": {"allow": ["@agent-hosts"], **network}}))


@pytest.mark.parametrize("url, words", (
    ("https://forge.example:22/", ["forge.example:22"]),
    ("https://forge.example/", ["forge.example"]),
    ("http://half.example/", ["half.example"]),
    ("http://9.9.9.9:8080/", ["9.9.9.9:8080"]),
    ("http://[2620:fe::fe]/", ["[2620:fe::fe]"]),
    ("http://notes.md:22/", ["notes.md:22"]),
    ("http://host.ringfence:5432/", ["host.ringfence:5432"])))
def test_the_advice_of_a_refused_port_permits_it(world, url, words):
    with_network(world, allow=["half.example:443", "forge.example:9418"])
    explained = world.run("explain", url)
    assert explained.returncode == 1, explained
    assert advice_of(explained.stdout) == ["allow", *words], explained.stdout
    assert world.run("allow", *words).returncode == 0
    assert world.run("explain", url).returncode == 0


def test_a_host_without_a_port_is_permitted_on_80_and_443(world):
    with_network(world)
    assert 'Added "a.example"' in world.run("allow", "a.example").stdout
    assert "permitted already" in world.run("allow", "a.example:443").stdout
    for url in ("http://a.example/", "https://a.example/"):
        assert world.run("explain", url).returncode == 0
    explained = world.run("explain", "https://a.example:22/")
    assert "is listed for ports 80 and 443 only" in explained.stdout, explained.stdout
    assert 'Added "a.example:22"' in world.run("allow", "a.example:22").stdout
    assert 'Removed "a.example:22"' in world.run("revoke", "a.example:22").stdout


def test_every_host_is_allowed_on_a_port_after_a_question(world):
    with_network(world)
    error_of(world.run("allow", "*:9418"), 1, "would open every host", "--yes")
    assert 'Added "*:9418"' in world.run("allow", "*:9418", "--yes").stdout
    for entry in ("*.com", "*.com:22"):
        error_of(world.run("allow", entry), 1, 'would open every host below ".com"', "--yes")
    assert 'Added "*.com"' in world.run("allow", "*.com", "--yes").stdout
    assert 'Added "*.b.com"' in world.run("allow", "*.b.com:9").stdout.replace(":9", "")
    assert world.run("explain", "https://a.example:9418/").returncode == 0


@pytest.mark.parametrize("address", ("169.254.169.254", "169.254.169.254:8080", "[fd00:ec2::254]"))
def test_an_address_that_gives_credentials_is_allowed_after_a_question(world, address):
    with_network(world)
    explained = world.run("explain", f"http://{address}/")
    assert explained.returncode == 1 and "credentials" in explained.stdout, explained
    assert "`ringfence" not in explained.stdout
    error_of(world.run("allow", address), 1, "would open an address at which clouds give credentials", "--yes")
    assert f'Added "{address}"' in world.run("allow", address, "--yes").stdout
    assert world.run("explain", f"http://{address}/").returncode == 0


def test_a_port_of_this_machine_goes_into_the_users_policy(world):
    error_of(world.run("allow", "host.ringfence"), 2, "needs a port")
    error_of(world.run("allow", "x.ringfence"), 2, "is a reserved name")
    project = world.write(world.project / ".ringfence/policy.json",
                          '{"version": 1, "network": {"allow": ["a.example"]}}')
    world.trust()
    before = project.read_text()
    # Without a list of the user's own, one would close all other hosts in other projects.
    world.write(world.policy, '{"version": 1}')
    reason = world.run("explain", "http://host.ringfence:5432/").stdout
    assert "`" not in reason and "their own policy" in reason, reason
    error_of(world.run("allow", "host.ringfence:5432"), 2, 'has none', "add the section")
    with_network(world)
    assert "of ~/.config/ringfence/policy.json" in world.run("allow", "Host.Ringfence:5432").stdout
    assert project.read_text() == before
    assert world.run("explain", "http://host.ringfence:5432/").returncode == 0
    assert 'Removed "host.ringfence:5432"' in world.run("revoke", "host.ringfence:5432").stdout


def test_revoke_of_a_host_names_its_entries_with_a_port(world):
    with_network(world, allow=["u.example:8443", "*.example:8080", "v.example"])
    done = world.run("revoke", "u.example")
    assert 'nothing was changed. The policy lists "u.example:8443", "*.example:8080".' in done.stdout, done
    assert 'lists "*.example:8080".' in world.run("revoke", "w.example").stdout
    assert "lists" not in world.run("revoke", "w.test").stdout


def test_a_projects_list_does_not_inherit_a_port_of_this_machine(world):
    with_network(world, allow=["u.example", "host.ringfence:5432"])
    project = world.write(world.project / ".ringfence/policy.json", '{"version": 1}')
    world.trust()
    assert "trusted again" in world.run("allow", "b.example").stdout
    assert json.loads(project.read_text())["network"]["allow"] == ["u.example", "b.example"]
    for host in ("u.example", "b.example", "host.ringfence:5432"):
        assert world.run("explain", f"http://{host}/").returncode == 0, host


def test_a_projects_policy_that_names_a_port_of_this_machine_is_refused(world):
    project = world.project / ".ringfence/policy.json"
    with_network(world)
    for network in ({"upstream": "http://proxy.example:3128"}, {"allow": ["host.ringfence:5432"]}):
        world.write(project, json.dumps({"version": 1, "network": network}))
        error_of(world.run("trust"), 2, "policy.json:1:", "not in a project's")
        done = world.run("check", str(project))
        assert done.returncode == 1 and "not in a project's" in done.stdout + done.stderr, done
    assert world.run("check", str(world.write(world.base / "mine.json", project.read_text()))).returncode == 0
    assert "run: ringfence allow host.ringfence:5432" in world.run("trust").stderr
    project.unlink()
    assert "a way out of the sandbox" in world.run("allow", "host.ringfence:5432").stdout
    assert "way out" not in world.run("allow", "host.ringfence.example.org:5432").stdout
    assert world.run("explain", "http://host.ringfence:5432/").returncode == 0


def test_a_session_may_reach_a_port_of_this_machine(world):
    with_network(world)

    def denial():
        event = json.dumps({"session_id": "one", "cwd": str(world.project), "tool_name": "WebFetch",
                            "hook_event_name": "PreToolUse",
                            "tool_input": {"url": "http://host.ringfence:5432/", "prompt": "p"}})
        return world.start([world.programs.hook], event,
                           env={"HOME": str(world.home), "CLAUDE_PROJECT_DIR": str(world.project)}).stdout

    assert "host.ringfence" in denial()
    assert "only to session one" in world.run("allow", "--session", "host.ringfence:5432").stdout
    assert not denial()


def test_a_hosts_name_that_exists_here_is_not_taken_as_a_path(world):
    """A program in the sandbox could link the name of a host that it is refused to other files."""
    with_network(world, allow=["u.example"])
    secret = world.write(world.home / "secret/key", "x").parent
    for name in ("evil.example", "evil.example:22", "evil.example."):
        (world.project / name).symlink_to(secret)
        before = world.policy.read_text()
        for command in ("allow", "revoke"):
            error_of(world.run(command, name), 2, "exists here as a file or directory", "--as host or --as path")
        assert world.policy.read_text() == before
    assert "network.allow" in world.run("allow", "--as", "host", "evil.example").stdout
    assert "~/secret" in world.run("allow", "--as", "path", "evil.example").stdout
    world.write(world.project / "notes.md", "x")
    assert world.run("allow", "--read", "notes.md").returncode == 0


def test_spellings_of_a_host(world):
    with_network(world, allow=["u.example"])
    assert '"v.example"' in world.run("allow", "v.example.").stdout
    assert '"w.example:22"' in world.run("allow", "w.example:22").stdout
    for name in ("v.example:https", "v.example:22,80"):
        error_of(world.run("allow", name), 2, "a port that is not a number", "name one port")
    error_of(world.run("allow", "ssh://git@v.example/x"), 2, "contains a user name", "with :22 for SSH")
