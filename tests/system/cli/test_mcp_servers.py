"""The reports of `ringfence init` and `ringfence explain` about the configured MCP servers."""

import json
import re
import shlex
import subprocess

from terminal_session import TerminalSession

SERVERS = {"mcpServers": {"größe 4.0": {"command": "x"}, "git": {"command": "x"}}}


def configure(world):
    world.write(world.project / ".mcp.json", json.dumps(SERVERS))
    world.write(world.home / ".claude.json", json.dumps({
        "mcpServers": {"claude.ai My Drive": {}},
        "projects": {str(world.project): {"mcpServers": {"local": {}}}}}))


def verdict(world, tool, tool_input):
    done = world.run("explain", tool, json.dumps(tool_input), "--json")
    assert done.stdout, done
    return json.loads(done.stdout)["verdict"]


def test_init_names_each_server_and_the_command_that_allows_it(world):
    configure(world)
    out = world.init()
    offers = re.findall(r"^MCP server .* is not allowed\. To allow it: (.*)$", out, re.MULTILINE)
    tools = {re.search(r"mcp__[^*]*__\*", offer).group(0) for offer in offers}
    assert tools == {"mcp__gr__e_4_0__*", "mcp__git__*", "mcp__claude_ai_My_Drive__*",
                     "mcp__local__*"}, out
    assert '"größe 4.0" (.mcp.json)' in out, out
    for offer in offers:
        tool = re.search(r"mcp__[^*]*__", offer).group(0) + "any"
        assert verdict(world, tool, {"text": "x"}) == "deny"
        words = shlex.split(offer)
        assert words[0] == "ringfence"
        done = subprocess.run([world.programs.ringfence, *words[1:]], cwd=world.project, text=True,
                              capture_output=True, timeout=60, env={"PATH": "/usr/bin:/bin"})
        assert done.returncode == 0, (offer, done.stderr)
        assert verdict(world, tool, {"text": "x"}) == "permit"
    assert "is not allowed" not in world.init()


def test_without_servers_init_says_nothing_about_them(world):
    assert "MCP" not in world.init()


def test_a_dry_run_only_lists_servers(world):
    configure(world)
    before = world.snapshot()
    assert "To allow it: " in world.init("--dry-run")
    assert world.snapshot() == before


def test_init_lists_servers_as_json(world):
    configure(world)
    servers = json.loads(world.init("--json"))["mcp_servers"]
    assert [server["name"] for server in servers] == [
        "claude.ai My Drive", "git", "größe 4.0", "local"], servers
    assert not any(server["allowed"] for server in servers)


def test_on_a_terminal_init_asks_about_each_server(world):
    configure(world)
    world.environment = {"PATH": "/usr/bin:/bin", "TERM": "dumb"}
    command = [world.programs.ringfence, "init", "--home", str(world.home), "--hook",
               world.programs.hook]
    with TerminalSession(command, world) as session:
        session.wait('"claude.ai My Drive"')
        session.say("\n", "Not allowed. To allow it later: ringfence allow 'mcp__claude_ai_My_Drive__*'")
        session.wait('"git"')
        session.say("y\n", 'Added "mcp__git__*"')
        session.wait('"größe 4.0"')
        session.say("no\n", "Not allowed.")
        session.wait('"local"')
        session.say("\x04", "Not allowed.")
        assert session.status() == 0
    assert verdict(world, "mcp__git__git_status", {"repo_path": "."}) == "permit"
    assert verdict(world, "mcp__local__x", {}) == "deny"


def test_after_an_interrupt_init_asks_about_no_other_server(world):
    configure(world)
    world.environment = {"PATH": "/usr/bin:/bin", "TERM": "dumb"}
    command = [world.programs.ringfence, "init", "--home", str(world.home), "--hook",
               world.programs.hook]
    with TerminalSession(command, world) as session:
        session.wait('"claude.ai My Drive"')
        session.say("perhaps\n", "Please answer y or n.")
        session.say("\x03", "Not allowed. To allow it later: ")
        session.wait('"git" (.mcp.json) is not allowed. To allow it: ringfence allow')
        assert session.status() == 0, session.seen
        assert "[y/N]" not in session.seen, session.seen


def test_names_in_a_project_file_cannot_disturb_the_terminal(world):
    world.write(world.project / ".mcp.json",
                json.dumps({"mcpServers": {"a\u001b[2Jb\u202e'; id #": {}}}))
    out = world.init()
    assert "\u001b" not in out and "\u202e" not in out, out
    assert "ringfence allow 'mcp__a__2Jb____id____*'" in out, out


def test_explain_prints_the_maps(world):
    out = world.run("explain", "mcp").stdout
    assert "mcp__filesystem: write_file\n  writes /path, never a path: /content\n" in out, out
    assert "mcp__github: every tool" in out, out
    out = world.run("explain", "mcp__git").stdout
    assert "git_commit" in out and "filesystem" not in out, out
    maps = json.loads(world.run("explain", "mcp__git", "--json").stdout)["maps"]
    assert {entry["server"] for entry in maps} == {"git"}
    assert "No map of" in world.run("explain", "mcp__other").stdout


def test_explain_says_how_arguments_were_classified(world):
    def arguments(tool):
        done = world.run("explain", tool, '{"path": "x"}', "--json")
        return json.loads(done.stdout)["arguments"]
    assert 'the map of "filesystem" (reads /path)' in arguments("mcp__filesystem__read_file")
    assert arguments("mcp__team__read_x") == "by their value, as reads"
    assert arguments("mcp__team__do") == "by their value, as writes"
    world.write(world.policy, json.dumps({"version": 1, "mcp": {"mcp__filesystem__*": {}}}))
    assert '"mcp" entry "mcp__filesystem__*"' in arguments("mcp__filesystem__read_file")
