"""The tools that a started client offers to the model, for comparison with its schema."""

import client
import fake_api
import world

# Switches that enable more tools.
SWITCHES = {"CLAUDE_CODE_USE_POWERSHELL_TOOL": "1", "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1",
            "CLAUDE_CODE_ENABLE_REFRESH_MCP_TOOLS": "1", "ENABLE_LSP_TOOL": "1",
            "CLAUDE_CODE_SKILL_PROPOSALS": "1", "CLAUDE_CODE_ENABLE_WRAP_UP": "1",
            "CLAUDE_CODE_REPORT_FINDINGS": "1"}
SANDBOXED = '{"sandbox":{"enabled":true}}'
SESSIONS = {
    "by default": ((), {}),
    "in auto mode": (("--permission-mode", "auto", "--settings", SANDBOXED), {}),
    "with more tools": (("--json-schema", '{"type":"object","properties":{"a":{"type":"string"}}}'),
                        SWITCHES),
    "with Glob and Grep": (("--tools", "Glob,Grep,Bash,NotebookEdit"), {}),
}


class _Listener:
    """A model that says nothing and records the tools that it was offered."""

    def __init__(self):
        self.tools = {}

    def next_blocks(self, request):
        for tool in request.get("tools") or ():
            if "input_schema" in tool:
                self.tools[tool["name"]] = tool["input_schema"]
        return [fake_api.text_block("done")]


def _offered(program, arguments, switches):
    place, listener = world.ClientWorld(), _Listener()
    try:
        with fake_api.FakeApi(listener) as api:
            launcher = ("env", *(f"{name}={value}" for name, value in switches.items()))
            with client.Client(program, place, api.url, place.project, "say something", arguments,
                               launcher) as started:
                started.wait()
    finally:
        place.remove()
    return listener.tools


def problems(program, session, found):
    """Everything offered must have been found in the schema."""
    tools = _offered(program, *SESSIONS[session])
    wrong = [] if "Bash" in tools else [f"only {sorted(tools)} were offered"]
    for tool, schema in sorted(tools.items()):
        if tool.startswith("mcp__"):
            continue
        if tool not in found:
            wrong.append(f"{tool} is not in the schema that was read")
            continue
        unread = set(schema.get("properties", ())) - found[tool].fields
        if tool != "StructuredOutput":  # has the caller's own
            wrong += [f'{tool} is offered with "{field}", which is not in the schema that was read'
                      for field in sorted(unread)]
    return wrong
