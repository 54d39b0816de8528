"""`ringfence run -- claude`: whole sessions of the real client, whose model is a script that a host of
the test's network serves under the service's own name."""

import os
import pathlib
import re
import shlex
import shutil
import signal
import time

import pytest

from agent_network import API, NOTHING, PLAIN_PORT, ScreenClient, awaits, lines_of
from client import TerminalClient
from plain_world import give_away
from script import Call, Do, Heard, Told, holds, play_prompt, runs
from tool import bash, read, write

LOST = "ringfence: warning: Claude Code cannot reach its service: "
NOT_LISTED = 'refused: the host "bad.example" is not listed'
# What the client connects to and tries to write without need (agents/claude/agent.cc).
OWN_HOSTS = {"downloads.claude.ai:443", "http-intake.logs.us5.datadoghq.com:443",
             "raw.githubusercontent.com:443"}
OWN_WRITES = r"\.claude/(remote-settings\.json|projects(/[^/]+)?|plugins|\.last-update-result\.json.*)|\.local/share"


def play():
    return [
        Call("a command", bash("echo made > made; cat made"), runs("made"), holds("$PROJECT/made", "made")),
        Call("a file is read", read("in.txt"), runs("harmless")),
        Call("a file", write("new.txt"), runs(), holds("$PROJECT/new.txt", "by the model")),
        Call("no proxy variable is set", bash("env | grep -ci _proxy= || true"), runs("0")),
        Call("a host that is not listed", bash("curl -sS http://bad.example/"),
             Told(True, (NOT_LISTED, "`ringfence allow --session-id agent-", " bad.example` in another terminal"))),
        Call("its port for TLS", bash("curl -sS https://bad.example/ || echo failed"), Told(True, ("failed",))),
    ]


def check(checks, told):
    for outcome in told.outcomes():
        checks.check(outcome.name, "; ".join(outcome.problems))
    checks.check("the whole", "; ".join(told.trouble()))


def leave(running, told):
    """Ends a client with its user interface, as soon as it has played."""
    told.wait_until_finished("main", 120)
    awaits_screen(running, "done")
    running.say("/exit")
    time.sleep(1)  # input that arrives at once counts as pasted
    running.say("\r")
    assert running.wait(120), running.diagnosis()


def awaits_screen(running, text):
    late = time.monotonic() + 120
    while not running.shows(text):
        assert running.runs() and time.monotonic() < late, running.diagnosis()
        time.sleep(0.05)


def refused_hosts(agent):
    return {line["host"] for line in agent.lines_of_log("Connection") if line["verdict"] == "deny"}


def unknown_writes(agent):
    paths = {path for line in agent.lines_of_log("SandboxDenial") for path in line["paths"]}
    return {path for path in paths if not re.fullmatch(f"{re.escape(str(agent.home))}/({OWN_WRITES})", path)}


def assert_only_the_refused_are_named(errors):
    lines = lines_of(errors)
    assert len(lines) == 2, errors
    for line, port in zip(sorted(lines), (443, 80)):
        assert f'connection to "bad.example:{port}" {NOT_LISTED}' in line
        # The session is over, and so is what holds for it.
        assert "`ringfence allow bad.example`" in line
        assert "--session" not in line


def test_a_whole_session_without_a_policy_for_the_network(agent, checks):
    told, api = agent.played(*play())
    with api, agent.client() as running:
        assert running.wait(120), running.diagnosis()
    told.check_results(running.user_messages())
    check(checks, told)
    assert running.status == 0, running.diagnosis()
    assert_only_the_refused_are_named(running.errors())
    assert refused_hosts(agent) <= {"bad.example:80", "bad.example:443"} | OWN_HOSTS
    assert not unknown_writes(agent)


def initialize(agent):
    """As the README says; so the client's own sandbox is on."""
    agent.set_network({"allow": ["@agent-hosts"]})
    hook = shutil.copy(agent.programs.hook, pathlib.Path(agent.programs.ringfence).parent)
    os.chmod(hook, 0o755)
    done = agent.in_another_terminal("ringfence", "init")
    assert done.returncode == 0 and "confined by the client's own sandbox" in done.stdout, done


def test_a_session_in_a_home_that_init_has_prepared(agent, checks):
    """The client's own sandbox cannot start inside another one."""
    initialize(agent)
    told, api = agent.played(Call("a command", bash("echo made > made; cat made"), runs("made"),
                                  holds("$PROJECT/made", "made")))
    with api, agent.client() as running:
        assert running.wait(120), running.diagnosis()
    told.check_results(running.user_messages())
    check(checks, told)
    assert running.status == 0 and not running.errors(), running.diagnosis()


def test_the_model_hears_why_a_connection_ended(agent, checks):
    """A program that speaks TLS knows only that it was reset; another one prints what it likes."""
    initialize(agent)
    forged = "curl: (6) Could not resolve host: forged.example"
    told, api = agent.played(
        Call("forged", bash(f"echo '{forged}' >&2; exit 1"), Told(False)),
        Call("TLS", bash("curl -s https://bad.example/"), Told(False)),
        Call("it goes on", bash("curl -s https://later.example/ | cat"), runs()),
        Call("a file", read("missing.txt"), Told(False)))
    with api, agent.client() as running:
        assert running.wait(120), running.diagnosis()
    told.check_results(running.user_messages())
    check(checks, told)
    for fragments in ((f'connection to "bad.example:443" {NOT_LISTED}', "`ringfence allow --session-id agent-",
                       "ask for it only if your task needs it", "Tell the user what was refused"),
                      ('connection to "later.example:443" refused',)):
        heard = told.heard(Heard("why it ended", "main", fragments))
        checks.check(heard.name, "; ".join(heard.problems))
    assert not told.ever_heard('connection to "forged.example')


def test_an_agent_with_landlock_alone_knows_its_network(agent, checks):
    initialize(agent)
    told, api = agent.played(
        Call("refused", bash("curl -sSv https://bad.example/"),
             Told(False, (f'X-Ringfence: ringfence: connection to "bad.example:443" {NOT_LISTED}',))))
    launcher = [agent.programs.ringfence, "run", "--layers", "landlock", "--"]
    with api, agent.client(launcher=launcher) as running:
        assert running.wait(120), running.diagnosis()
    told.check_results(running.user_messages())
    check(checks, told)
    heard = told.heard(Heard("what it has", "main", (
        "confined by ringfence's sandbox", "Only programs that use HTTPS_PROXY reach anything",
        "the header X-Ringfence of the proxy's answer says how the user permits it")))
    checks.check(heard.name, "; ".join(heard.problems))


def test_settings_of_its_user_that_leave_its_own_sandbox_on_are_reported(agent, checks):
    initialize(agent)
    told, api = agent.played(Call("a command", bash("echo hi"), Told(False, ("bwrap",))))
    with api, agent.client(options=("--settings", "{}")) as running:
        assert running.wait(120), running.diagnosis()
    told.check_results(running.user_messages())
    check(checks, told)
    assert "Claude Code's own sandbox is on, and cannot run inside this one" in running.errors()
    # As the line says.
    option, value = shlex.split(running.errors().partition("Start it with: ")[2].splitlines()[0])
    told, api = agent.played(Call("a command", bash("echo hi"), runs("hi")))
    with api, agent.client(options=(option, value)) as running:
        assert running.wait(120), running.diagnosis()
    told.check_results(running.user_messages())
    check(checks, told)
    assert not running.errors()


def test_a_whole_session_with_its_user_interface(agent, checks):
    """The client then also looks for updates and the like, of which its user hears nothing."""
    told, api = agent.played(*play())
    with api, agent.client(TerminalClient) as running:
        leave(running, told)
    check(checks, told)
    assert running.status == 0, running.diagnosis()
    assert_only_the_refused_are_named(running.errors())
    assert not running.shows("Auto-update failed")
    assert refused_hosts(agent) <= {"bad.example:80", "bad.example:443"} | OWN_HOSTS
    assert not unknown_writes(agent)


@pytest.mark.parametrize("address, why", (
    (NOTHING, "it cannot be reached: Connection refused"), (None, "it does not resolve: ")))
def test_a_service_out_of_reach_is_reported_while_the_client_waits(agent, address, why):
    """The client itself retries for minutes, and says nothing in the first."""
    agent.network.resolve(address)
    with agent.client() as running:
        awaits(running, LOST + f'connection to "api.anthropic.com:443" failed: {why}')
        assert running.end(), running.diagnosis()
    assert len(lines_of(running.errors())) == 1, running.errors()


def test_a_service_that_does_not_answer_is_reported_too(agent):
    agent.set_network({"allow": ["api.stalls.example"]})
    agent.more_environment["ANTHROPIC_BASE_URL"] = "https://api.stalls.example"
    with agent.client() as running:
        awaits(running, LOST + 'connection to "api.stalls.example:443" failed: no answer for 4 seconds')
        running.end()


def test_a_client_that_gives_up_blames_only_its_service(agent):
    agent.network.resolve(NOTHING)
    agent.more_environment["CLAUDE_CODE_MAX_RETRIES"] = "0"
    with agent.client() as running:
        assert running.wait(300), running.diagnosis()
    assert running.status == 1, running.diagnosis()
    lines = lines_of(running.errors())
    assert len(lines) == 1 and lines[0].startswith(LOST), running.errors()
    assert agent.lines_of_log("SandboxDenial"), "no write was refused, so nothing is shown"


def test_a_service_that_the_policy_does_not_list_can_be_allowed_while_the_client_waits(agent):
    agent.set_network({"allow": ["good.example"]})
    told, api = agent.played(Call("a command", bash("echo made"), runs("made")))
    with api, agent.client() as running:
        awaits(running, LOST + 'connection to "api.anthropic.com:443" refused: ')
        words = re.search("`(ringfence allow [^`]*)`", running.errors())[1].split()
        assert agent.in_another_terminal(*words).returncode == 0
        assert running.wait(300), running.diagnosis()
    told.check_results(running.user_messages())
    assert not told.outcomes()[0].problems
    assert running.status == 0, running.diagnosis()


def test_a_service_on_the_hosts_loopback_has_another_name(agent):
    agent.more_environment["ANTHROPIC_BASE_URL"] = f"http://127.0.0.1:{PLAIN_PORT}"
    with agent.client() as running:
        awaits(running, LOST + f'ANTHROPIC_BASE_URL names "127.0.0.1:{PLAIN_PORT}"')
        running.end()
    name = re.search(r"host\.ringfence:\d+", running.errors())[0]
    agent.more_environment["ANTHROPIC_BASE_URL"] = f"http://{name}"
    agent.set_network({"allow": ["@agent-hosts", name]})
    told, api = agent.played(Call("a command", bash("echo made"), runs("made")))
    with api, agent.client() as running:
        assert running.wait(120), running.diagnosis()
    assert told.outcomes()[0].problems == []
    assert not lines_of(running.errors())


def test_the_line_is_repeated_when_the_screen_is_left(agent):
    agent.network.resolve(NOTHING)
    with agent.client(ScreenClient) as running:
        awaits(running, LOST)
        # In raw mode, a line feed alone would shift all that follows.
        assert re.search(r"\r" + LOST + "[^\n]*\r\n", running.errors())
        running.end()
    assert running.errors().count(LOST) == 2, running.diagnosis()


def test_the_line_is_not_repeated_if_the_service_answers_later(agent):
    agent.network.resolve(NOTHING)
    told, api = agent.played(Call("a command", bash("echo made"), runs("made")))
    with api, agent.client(ScreenClient) as running:
        awaits(running, LOST)
        agent.network.resolve(API)
        leave(running, told)
    assert running.errors().count(LOST) == 1, running.diagnosis()


def test_the_line_is_not_repeated_if_the_service_has_been_allowed(agent):
    agent.set_network({"allow": ["good.example"]})
    told, api = agent.played(Call("a command", bash("echo made"), runs("made")))
    with api, agent.client(ScreenClient) as running:
        awaits(running, LOST)
        assert agent.in_another_terminal("ringfence", "allow", "api.anthropic.com").returncode == 0
        leave(running, told)
    assert running.errors().count(LOST) == 1, running.diagnosis()


def test_a_host_is_allowed_for_the_running_session_only(agent, checks):
    def allow(stage):
        said = stage.played_by.told("refused")
        words = re.search("`(ringfence allow [^`]*)`", said)[1].split()
        done = stage.in_another_terminal(*words)
        assert "it applies only to session agent-" in done.stdout, done
        assert sorted(path.suffix for path in grants.iterdir()) == [".json", ".lock"]

    grants = agent.home / ".local/state/ringfence/sessions"
    agent.played_by, api = agent.played(
        Call("refused", bash("curl -sS http://good.example/a"), Told(True, ("refused",))),
        Do("what the text says", allow),
        Call("permitted", bash("curl -sS http://good.example/b"), runs('"path": "/b"')))
    with api, agent.client() as running:
        assert running.wait(120), running.diagnosis()
    check(checks, agent.played_by)
    assert not list(grants.iterdir())


def test_the_second_agent_of_the_day_is_the_one_that_is_meant(agent, checks):
    def kill(stage):
        os.kill(running._process.pid, signal.SIGKILL)
        running._process.wait()

    def allow(stage):
        said = re.search("--session-id (agent-[0-9a-f]{32}) ", stage.played_by.told("refused"))[1]
        done = stage.in_another_terminal("ringfence", "allow", "--session", "good.example")
        assert f"it applies only to session {said}" in done.stdout, done

    ask = Call("refused", bash("curl -sS http://good.example/a"), Told(True, ("refused",)))
    _, api = agent.played(ask, Do("its launcher is killed", kill), Call("never", bash("true"), runs()))
    with api, agent.client() as running:
        assert running.wait(120), running.diagnosis()
    grants = agent.home / ".local/state/ringfence/sessions"
    left = [path.stem for path in grants.iterdir()]
    assert len(left) == 1 and left[0].startswith("agent-")
    done = agent.in_another_terminal("ringfence", "allow", "--session", "good.example")
    assert done.returncode == 2 and "has ended" in done.stderr, done
    assert not list(grants.iterdir())
    agent.played_by, api = agent.played(
        ask, Do("allow", allow), Call("permitted", bash("curl -sS http://good.example/b"), runs('"path": "/b"')))
    with api, agent.client() as running:
        assert running.wait(120), running.diagnosis()
    check(checks, agent.played_by)


def test_an_agent_that_cannot_be_marked_as_running_runs(agent):
    agent.write("$HOME/.local/state/ringfence/sessions", "")
    told, api = agent.played(Call("a command", bash("echo made"), runs("made")))
    with api, agent.client() as running:
        assert running.wait(120), running.diagnosis()
    assert not told.trouble()
    assert running.errors().count("since it counts as ended: ") == 1, running.errors()


def test_the_last_line_says_how_to_list_the_host(agent):
    step = Call("refused", bash("curl -sS http://good.example/"), Told(True, ("refused",)))
    _, api = agent.played(step)
    with api, agent.client() as running:
        assert running.wait(120), running.diagnosis()
    words = shlex.split(re.search("`(ringfence allow [^`]*)`", running.errors())[1])
    allowed = agent.in_another_terminal(*words, "--yes")
    assert allowed.returncode == 0, allowed
    told, api = agent.played(Call("permitted", bash("curl -sS http://good.example/b"), runs('"path": "/b"')))
    with api, agent.client() as running:
        assert running.wait(120), running.diagnosis()
    assert told.outcomes()[0].problems == []
    assert not lines_of(running.errors())


@pytest.mark.skipif(not shutil.which("tmux"), reason="no tmux")
def test_agents_of_a_layout_reach_their_service(agent):
    agent.write("$HOME/.config/ringfence/policy.json",
                {"version": 1, "profiles": {"main": {}, "worker": {}}})
    told, api = agent.played(Call("a command", bash("echo pane >> panes"), runs()))
    made = agent.in_another_terminal(
        "ringfence", "layout", "main", "worker", "--for", "tmux", "--output", "agents.sh", "--", "claude",
        "-p", play_prompt("main"), "--permission-mode", "bypassPermissions")
    assert made.returncode == 0, made.stderr
    script = (agent.project / "agents.sh").read_text()
    for profile in ("main", "worker"):
        assert f"/ringfence' 'run' '--profile={profile}' " in script
    agent.more_environment |= {"ANTHROPIC_API_KEY": "dummy", "TERM": "xterm", "LANG": "C.UTF-8",
                               "TMUX_TMPDIR": str(agent.home), "SHELL": "/bin/sh"}
    tmux = ("tmux", "-L", "agents")
    with api:
        started = agent.in_another_terminal("sh", "agents.sh", *tmux[1:])
        assert started.returncode == 0, started.stderr
        try:
            late = time.monotonic() + 120
            while (agent.read("$PROJECT/panes") or "").count("pane") < 2:
                assert time.monotonic() < late, agent.in_another_terminal(*tmux, "capture-pane", "-p").stdout
                time.sleep(0.1)
        finally:
            agent.in_another_terminal(*tmux, "kill-server")
    assert not told.trouble()


def test_files_may_vanish_while_they_are_given_to_a_user(tmp_path, monkeypatch):
    (tmp_path / "socket/below").mkdir(parents=True)
    (tmp_path / "kept").touch()
    given, chown = [], os.chown

    def vanishing_chown(path, *rest, **named):
        shutil.rmtree(tmp_path / "socket", ignore_errors=True)
        chown(path, *rest, **named)
        given.append(pathlib.Path(path))

    monkeypatch.setattr(os, "chown", vanishing_chown)
    give_away(tmp_path, os.getuid())
    assert sorted(given) == [tmp_path, tmp_path / "kept"]
