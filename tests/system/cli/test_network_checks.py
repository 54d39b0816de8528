"""What `check` says about the entries for hosts."""

import json


def test_entries_that_do_not_do_what_they_seem_to_are_named(world):
    world.write(world.policy, json.dumps({"version": 1, "network": {
        "allow": ["a.example", "a.example:53", "localhost:8080", "127.0.0.1"]}}))
    found = json.loads(world.run("check", "--json", world.policy).stdout)["findings"]
    assert [(one["severity"], one["code"], one["what"].split('"')[1]) for one in found] == [
        ("warning", "wide-host", "a.example:53"), ("note", "own-loopback", "localhost:8080"),
        ("note", "own-loopback", "127.0.0.1")]
