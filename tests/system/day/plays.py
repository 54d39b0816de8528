"""Sessions of the client made of rows, and the result of each call."""

import dataclasses
import pathlib
import shutil
import sys
import time

import fake_api
import home
import script
import session
import world as worlds

SESSION_ID = "5d0c1f5e-0000-4000-8000-000000000001"
SECONDS = 240  # for a session on a busy machine
SERVER = pathlib.Path(__file__).with_name("mcp_server.py")
CONFIG = "$BASE/mcp.json"

# Set in each session. Otherwise, in the mode "auto", the client would leave its safety check to a
# real model's server; with this it asks the model itself, and the director answers that the call is
# harmless.
ENVIRONMENT = {"CLAUDE_CODE_AUTO_MODE_SERVER": "0"}

OURS = "ringfence: "
# The client's answer before it runs any hook, if init wrote a rule for the call.
DENIED_BY_RULE = "denied by your permission settings"


@dataclasses.dataclass(frozen=True)
class Setting:
    """The setting in which a topic is played: client, mode, with or without ringfence."""

    version: str
    mode: str
    is_fenced: bool
    is_wrapped: bool = False  # commands run in ringfence's own sandbox instead of the client's

    def __str__(self):
        return f"{self.version} {self.mode} {'with' if self.is_fenced else 'without'} ringfence"


@dataclasses.dataclass
class Seen:
    """The result of a row's call."""

    call_id: str
    ran: bool
    text: str  # the model's text
    missing: list  # expected fragments that it lacks
    asked: bool = False  # the user would have been asked

    def verdict(self):
        if self.ran:
            return "fails" if self.missing else "passes"
        if self.asked:
            return "prompts"
        is_refused = OURS in self.text or DENIED_BY_RULE in self.text
        return "refused" if is_refused else "fails"


class FoundOrNot(script.Found):
    """A missing match fails one row, not the session."""

    def within(self, said):
        try:
            return super().within(said)
        except LookupError:
            return "/nothing/found"


class RowCall(script.Call):
    """A call that only records its result."""

    def __init__(self, row, seen):
        super().__init__(row.name, row.use, told=None)
        self.row, self._seen = row, seen

    def problems(self, world, result):
        text = fake_api.text_of(result.get("content"))
        missing = [fragment for fragment in world.expand(self.row.says) if fragment not in text]
        self._seen[self.row.name] = Seen(result["tool_use_id"], not result.get("is_error"), text, missing)
        return []


def steps(row, seen):
    if row.wait:
        yield script.Do("wait", lambda _: time.sleep(row.wait))
    if row.wait_for:
        yield script.Do("wait", session.waits_for_script(row.wait_for))
    yield RowCall(dataclasses.replace(row, use=_with_finds(row.use)), seen)


def _with_finds(use):
    tool, arguments = use
    return tool, {key: FoundOrNot(value["$found"]) if isinstance(value, dict) and "$found" in value
                  else value for key, value in arguments.items()}


def session_of(topic, rows, setting, seen):
    def note_prompts(stage):
        for call in seen.values():
            call.asked = call.call_id in stage.client.prompts()

    conversations = {}
    for row in rows:
        conversations.setdefault(row.conversation, []).extend(steps(row, seen))
    main = conversations.pop("main")
    prepare = [home.furnish(topic.project), home.moves(topic.links), home.in_session(SESSION_ID, {**ENVIRONMENT, **topic.environment})]
    arguments = ["--session-id", SESSION_ID, *topic.arguments]
    if topic.servers:
        prepare.append(session.writes(CONFIG, servers_config(topic.servers)))
        arguments += ["--mcp-config", CONFIG, "--strict-mcp-config"]
    if setting.is_fenced:
        prepare.append(fences(topic.allowed, setting.is_wrapped))
        if topic.start:
            prepare.append(widens(topic.start))
    return session.Session(
        topic.name, main, start=f"$PROJECT/{topic.start}".rstrip("/"), subagents=conversations, mode=setting.mode, world=home.DayWorld,
        prepare=tuple(prepare), register=lambda _: None, arguments=tuple(arguments),
        when_ended=note_prompts, fenced=setting.is_fenced, seconds=SECONDS)


def servers_config(kinds):
    return {"mcpServers": {kind: {"type": "stdio", "command": sys.executable,
                                  "args": [str(SERVER), kind]} for kind in kinds}}


def fences(allowed, is_wrapped):
    """The steps of a new user: `ringfence init`, and `ringfence allow` for each MCP server."""
    def act(stage):
        session.run_program(stage, [stage.tools.ringfence, "init", "--user"])
        if is_wrapped:
            wraps(stage)
        for server in allowed:
            session.run_program(stage, [stage.tools.ringfence, "allow", f"mcp__{server}__*"])
    return act


def widens(start):
    """The user sets the whole repository as the project, and runs init where the client starts."""
    def act(stage):
        policy = stage.world.read(worlds.USER_POLICY)
        if '// "root": "git",' not in policy:
            raise RuntimeError(f"the policy of init offers no \"root\": {policy}")
        stage.world.write(worlds.USER_POLICY, policy.replace('// "root": "git",', '"root": "git",'))
        session.run_program(stage, [stage.tools.ringfence, "init", "--user", f"$PROJECT/{start}"])
    return act


def wraps(stage):
    """The user enables `bash.wrap` in init's policy."""
    policy = stage.world.read(worlds.USER_POLICY)
    if '"bash": {' not in policy:
        raise RuntimeError(f"the policy of init has no \"bash\": {policy}")
    stage.world.write(worlds.USER_POLICY, policy.replace('"bash": {', '"bash": { "wrap": true,'))
    session.run_program(stage, [stage.tools.ringfence, "init", "--user"])


def play(topic, setting, tools, keep=False):
    """The result of each row by its name, and the problems of the session as a whole."""
    rows = [row for row in topic.played(setting.mode, setting.is_fenced)
            if all(shutil.which(program) for program in row.needs)]
    seen = {}
    outcomes = session.perform(session_of(topic, rows, setting, seen), tools, keep)
    problems = [f"{outcome.name}: {problem}" for outcome in outcomes for problem in outcome.problems]
    return rows, seen, problems
