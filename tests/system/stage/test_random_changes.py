"""Random changes: the list of changes is compared with `diff -r` of two full copies, and applying
them must give the tree that the command saw."""

import random
import shlex
import subprocess

import pytest

from stage_world import tree_of

NAMES = ["a", "b", "c", "a.b", "d", "e"]
ROUNDS = 12
COMMANDS = 40
# Closed directories have a test of their own; here tar could not read them.
OPEN = "find . -type d -exec chmod u+rwx {} ';' 2>/dev/null || true\n"


def random_path(dice):
    return "/".join(dice.choice(NAMES) for _ in range(dice.randint(1, 3)))


def random_command(dice):
    one, other = (shlex.quote(random_path(dice)) for _ in range(2))
    text = dice.choice(["", "1", "12", "x\\ny\\n"])
    return dice.choice([
        f"printf '{text}' > {one}", f"printf '{text}' >> {one}", f"mkdir -p {one}",
        f"rm -rf {one}", f"rm -f {one}", f"mv {one} {other}", f"mv -T {one} {other}",
        f"cp -r {one} {other}", f"ln -s {other} {one}", f"ln {one} {other}", f"chmod {dice.choice(['600', '644', '755', '700'])} {one}",
        f"rm -rf {one}; mkdir -p {one}", f"printf n > {one}.t && mv {one}.t {one}",
        f"[ -f {one} ] && printf {dice.choice('123')} | dd of={one} conv=notrunc status=none",
        f"touch {one}", f"truncate -s {dice.randint(0, 9)} {one}"])


# By an overlay, by a copy in the project's place, and by a copy elsewhere.
KINDS = ["overlay", "copy", "elsewhere"]


@pytest.mark.parametrize("kind,seed", [(kind, seed) for kind in KINDS for seed in range(ROUNDS)])
def test_random_changes(world, pytestconfig, kind, seed):
    dice = random.Random((pytestconfig.option.seed or 0) * 1000 + seed)
    script = "".join(f"({random_command(dice)}) 2>/dev/null || true\n" for _ in range(COMMANDS))
    world.start(["sh", "-c", script + OPEN])
    if kind == "copy":
        world.forbid_overlay()
    before = world.base / "before"
    subprocess.run(["cp", "-a", world.project, before], check=True)
    script = "".join(f"({random_command(dice)}) 2>/dev/null || true\n" for _ in range(COMMANDS))
    seen = world.base / "seen"
    stage = world.stage(script + OPEN + "tar cf always --exclude=./always . || [ $? = 1 ]",
                        *(["--layers", "landlock"] if kind == "elsewhere" else []))
    assert world.stages()[0]["mechanism"] == ("overlay" if kind == "overlay" else "copy")
    # What the command saw, from the archive that it made of it.
    world.good("stage", "apply", stage)
    after = tree_of(world.project)
    seen.mkdir()
    subprocess.run(["tar", "xpf", world.project / "always", "-C", seen], check=True)
    expected = tree_of(seen)
    expected["always"] = after["always"]
    assert after == expected, f"seed {seed}: {script}"
    world.good("stage", "undo", stage)
    assert tree_of(world.project) == tree_of(before), f"seed {seed}: {script}"
    listed = set(world.changes(stage)) - {"always"}
    old, new = tree_of(before), tree_of(seen)
    differing = {name for name in set(old) | set(new) if old.get(name) != new.get(name)} - {"always"}
    assert listed == differing, f"seed {seed}: {script}"
