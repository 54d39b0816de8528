"""The advice in the reason of a denial, and what following it permits."""

import json
import re
import shlex
import tempfile

from command_steps import advice_of, denial_of, read_of
from command_world import error_of


def test_a_fix_for_a_trusted_project_works_in_any_directory(world):
    shop = world.home / "my src/shop"
    world.write(shop / ".ringfence/policy.json", '{"version": 1, "read": {"allow": ["."]}}')
    world.trust(shop)
    for name, options in (("~/notes.md", ["--read"]), ("mcp__team__send", [])):
        call = ["Read", name] if options else [name, "{}"]
        told = json.loads(world.run("explain", "--json", *call, cwd=shop).stdout)["reason"]
        words = shlex.split(re.search("`ringfence (.*?)`", told)[1])
        assert words[:3] == ["allow", "--project", "~/my src/shop"], told
        done = world.run(*words, cwd=world.home)
        assert done.returncode == 0 and "trusted again" in done.stdout, done
        assert world.run("explain", *call, cwd=shop).returncode == 0, call


def test_the_advice_of_a_denial_permits_only_that_path(world):
    for folder in ("out", "it's a folder", "-x"):
        (world.home / folder).mkdir()
        for name in ("o", "*", "a $(id)", "a b", "$x"):
            (world.home / folder / name).write_text("x")
    for path in ("out/*", "out/a $(id)", "it's a folder/a b", "-x/o"):
        reason = denial_of(world, world.home / path, "one")
        done = world.run(*advice_of(reason))
        assert done.returncode == 0, done.stderr
        assert read_of(world, world.home / path, "one") == "permit"
    assert read_of(world, world.home / "out/o", "one") == "deny"
    assert read_of(world, world.home / "it's a folder/o", "one") == "deny"
    # No policy can name it, so its directory must be permitted.
    assert advice_of(denial_of(world, world.home / "out/$x", "one"))[-1] == "~/out"


def test_advice_avoids_shared_directories_and_temporary_names(world):
    for path in ("/tmp", "/etc", "/", "/home", world.home):
        assert "ringfence allow" not in denial_of(world, path, "one"), path
    with tempfile.NamedTemporaryFile(dir="/tmp") as file:
        command = advice_of(denial_of(world, file.name, "one"))
        assert command == ["allow", "--read", "--session", file.name], command
        assert world.run(*command).returncode == 0
        assert read_of(world, file.name, "one") == "permit"
        assert read_of(world, file.name, "two") == "deny"
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        command = advice_of(denial_of(world, folder + "/tmpabc123xy", "one"))
        assert command[-2:] == ["--session", folder], command
        assert world.run(*command).returncode == 0
        assert read_of(world, folder + "/another", "one") == "permit"
    (world.home / "data").mkdir()
    command = advice_of(denial_of(world, world.home / "data/tmpab12cd34", "one"))
    assert command == ["allow", "--read", "~/data"], command


def test_advice_about_a_path_with_a_question_keeps_the_question(world):
    (world.home / "other/.git/hooks").mkdir(parents=True)
    for path in (".bashrc", ".config/nvim/init.lua", ".local/bin/x", "other/.git/hooks/post-merge"):
        reason = world.run("explain", "Write", world.home / path).stdout
        command = advice_of(reason)
        assert command == ["allow", "--ask", "~/" + path], (path, reason)
        error_of(world.run("allow", "~/" + path), 1, "add --ask")
        assert world.run(*command).returncode == 0
        reason = world.run("explain", "Write", world.home / path).stdout
        assert "needs the user's approval: it can run code later (@runs-later)" in reason, reason


def test_advice_about_ambiguous_names_works(world):
    world.write(world.policy, '{"version": 1, "network": {"allow": ["@agent-hosts"]}}')
    (world.project / "notes.md").write_text("x")
    for url in ("http://host/", "https://a_b.example.org/", "http://readme.md/", "http://notes.md/"):
        explained = world.run("explain", url)
        assert explained.returncode == 1, explained
        assert world.run(*advice_of(explained.stdout)).returncode == 0, explained.stdout
        assert world.run("explain", url).returncode == 0, url
    for tool in ("SlashCommand", "NewTool"):
        explained = world.run("explain", tool, "{}")
        assert advice_of(explained.stdout) == ["allow", "--as", "tool", tool], explained.stdout
        assert world.run("allow", "--as", "tool", tool).returncode == 0
        assert world.run("explain", tool, "{}").returncode == 0, tool


def test_advice_with_a_named_policy_changes_that_policy(world):
    policy = world.write(world.base / "a policy.json", '{"version": 1}')
    (world.home / "data").mkdir()
    (world.home / "data/x").write_text("x")
    reason = denial_of(world, world.home / "data/x", "one", options=("--policy", str(policy)))
    assert world.run(*advice_of(reason)).returncode == 0
    assert not denial_of(world, world.home / "data/x", "one", options=("--policy", str(policy)))


def test_advice_about_a_name_that_ends_in_a_dot_works(world):
    for path in ("odd/dot.", "deeper/dir./f", "gone/none."):
        file = world.home / path
        file.parent.mkdir(parents=True)
        if "gone" not in path:
            file.write_text("x")
        command = advice_of(denial_of(world, file, "one"))
        assert command == ["allow", "--read", "~/" + path.split("/")[0]], command
        assert world.run(*command).returncode == 0
        assert not denial_of(world, file, "one")
