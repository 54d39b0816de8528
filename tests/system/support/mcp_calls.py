"""The calls of fixtures/mcp, and worlds with the files that they name."""

import json

from hook_world import HookWorld
from repository import ROOT

FIXTURES = ROOT / "fixtures/mcp"
POLICIES = json.loads((FIXTURES / "policies.json").read_text())
ROWS = [json.loads(line) for line in (FIXTURES / "calls.jsonl").read_text().splitlines()]


def furnish(world):
    """Files that the rows name, in addition to those of every world."""
    (world.project / ".env").write_text("TOKEN=x\n")
    (world.home / ".ssh").mkdir()
    (world.home / ".ssh/id_rsa").write_text("key\n")
    (world.outside / "a folder of words").mkdir()
    (world.project / "a b c d").symlink_to(world.outside / "a folder of words")
    (world.project / "~/.claude").mkdir(parents=True)
    (world.project / "~/.claude/plans").symlink_to(world.home / ".ssh")
    (world.project / "$HOME").symlink_to("~")
    (world.project / "~x").symlink_to("../outside")
    for name in ("odd\u200b", "odd\n", " odd"):
        (world.project / name).symlink_to(world.home)


def expand(value, world):
    if isinstance(value, dict) and {"repeat", "times"} <= value.keys():
        return value.get("first", "") + value["repeat"] * value["times"] + value.get("then", "")
    if isinstance(value, dict):
        return {expand(key, world): expand(item, world) for key, item in value.items()}
    if isinstance(value, list):
        return [expand(item, world) for item in value]
    if not isinstance(value, str):
        return value
    for name in ("project", "outside"):
        value = value.replace("$" + name.upper(), str(getattr(world, name)))
    return value


def event_of(row, world):
    return world.event(row["tool"], expand(row["input"], world),
                       cwd=expand(row.get("cwd", "$PROJECT"), world))


def worlds_of_policies():
    """One world for each policy."""
    worlds = {}
    for name, policy in POLICIES.items():
        worlds[name] = HookWorld(extra=policy)
        furnish(worlds[name])
    return worlds
