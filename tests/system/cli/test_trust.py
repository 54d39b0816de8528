"""`ringfence trust`: what it shows, asks and pins."""

import hashlib
import json
import stat
import subprocess

from command_steps import Typed
from command_world import error_of


def test_trust_shows_asks_and_pins(world):
    error_of(world.run("trust"), 2, "does not exist")
    policy = world.write(world.project / ".ringfence/policy.json",
                         '{"version": 1, "permitted": "allow", "read": {"allow": [".", "/srv\\u202e"]},'
                         ' "write": {"allow": ["/"]}, "sandbox": {"mode": "rwx"}}')
    before = world.snapshot()
    with Typed(world, "trust") as user:
        user.wait("Use all of it for this project? [y/N] ")
        shown = user.seen
        user.say("\r", "Not trusted; nothing was changed")
        assert user.status() == 1
    for part in ('May be written: "/"', "not confined", "skip the client's own question"):
        assert shown.index("gives away most") < shown.index(part) < shown.index("It permits more"), (part, shown)
    assert shown.index("It permits more") < shown.index("/srv") < shown.index("It also says"), shown
    assert shown.index("3 lines at the top: most of what") < shown.index("Use all of it"), shown
    assert "\u202e" not in shown, shown
    assert world.snapshot() == before
    with Typed(world, "trust") as user:
        user.wait("[y/N] ")
        user.say("y\r", "Trusted as it is now")
        assert user.status() == 0
    store = world.state / "trust.json"
    assert stat.S_IMODE(store.stat().st_mode) == 0o600
    assert "Already trusted" in world.run("trust").stdout
    policy.write_text('{"version": 1}')
    assert world.run("trust", "--list").stdout.startswith("changed")
    assert "No longer trusted" in world.run("trust", "--remove").stdout
    assert "No project" in world.run("trust", "--list").stdout


def test_trust_shows_the_most_dangerous_rules_first(world):
    project = json.dumps({"version": 1, "stage": {"verify": ["true"]},
                          "write": {"allow": [f"src/{i}" for i in range(3000)] + ["~/.*"]},
                          "read": {"allow": [".", "/./"]}}, indent=1)
    world.write(world.project / ".ringfence/policy.json", project)
    with Typed(world, "trust") as user:
        user.wait("Use all of it for this project? [y/N] ")
        worst = user.seen[user.seen.index("It gives away most"):user.seen.index("It permits more")]
        last = user.seen[user.seen.index("2 lines at the top: most of what ringfence"):]
    assert '"~/.*"' in worst and '"/./"' in worst, worst
    assert last.count("\n") == 1, last
    assert "and 2980 more: see the file" in user.seen and '["true"]' in user.seen, user.seen
    says = json.loads(world.run("trust", "--json").stdout)["says"]
    assert any('"src/2999"' in one["says"] for one in says)


def test_trust_without_a_terminal_needs_the_digest(world):
    policy = world.write(world.project / ".ringfence/policy.json", '{"version": 1, "permitted": "allow"}')
    digest = hashlib.sha256(policy.read_bytes()).hexdigest()
    before = world.snapshot()
    done = world.run("trust")
    error_of(done, 1, "nothing was trusted", "ringfence trust --yes --digest " + digest)
    assert "skip the client's own question" in done.stdout
    piped = subprocess.run([world.programs.ringfence, "trust", "--home", str(world.home)], text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=world.project,
                           timeout=60, env={"HOME": str(world.home)}).stdout
    assert piped.index("skip the client's own question") < piped.index("nothing was trusted"), piped
    error_of(world.run("trust", "--yes"), 2, "--digest")
    error_of(world.run("trust", "--digest", digest), 1, "nothing was trusted")
    error_of(world.run("trust", "--yes", "--digest", "0" * 64), 1, "does not have the given digest", digest,
             "was mistyped, or the file is not the one")
    shown = json.loads(world.run("trust", "--json").stdout)
    assert shown["sha256"] == digest and not shown["is_trusted"], shown
    assert shown["says"][0]["danger"] == "high" and shown["says"][0]["key"] == "/permitted", shown
    assert world.snapshot() == before
    done = world.run("trust", "--yes", "--digest", digest)
    assert done.returncode == 0 and "Trusted as it is now" in done.stdout, done
    assert world.run("trust", "--list").stdout.startswith("trusted")


def test_trust_refuses_a_policy_that_changed_while_shown(world):
    policy = world.write(world.project / ".ringfence/policy.json", '{"version": 1}')
    with Typed(world, "trust") as user:
        user.wait("[y/N] ")
        policy.write_text('{"version": 1, "permitted": "allow"}')
        user.say("y\r", "was changed while it was shown")
        assert user.status() == 1
    assert "No project" in world.run("trust", "--list").stdout


def test_trust_of_a_broken_policy_is_refused(world):
    world.write(world.project / ".ringfence/policy.json", '{"version": 1,\n "x": 1}')
    error_of(world.run("trust"), 2, "policy.json:2:2", "/x is not a known key")
    assert not (world.state / "trust.json").exists()


def test_a_damaged_store_can_be_moved_away(world):
    world.write(world.project / ".ringfence/policy.json", '{"version": 1}')
    store = world.state / "trust.json"
    for text in ("{", "", '{"projects": 1}'):
        world.write(store, text)
        error_of(world.run("trust", "--list"), 2, "trust.json", "Hint: move it away, and then", "ringfence trust")
        store.unlink()
        world.trust()
