// Tools by name, and required arguments.
#include <doctest/doctest.h>

#include "agents/claude/agent.h"
#include "base/text.h"
#include "policy/decide.h"
#include "policy/evaluate/evaluate_tool.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

struct Row {
  std::string_view name;
  std::string_view tool, input, want;
};

void Check(const World& world, std::span<const Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CAPTURE(row.tool);
    CAPTURE(row.input);
    CHECK(world.Call(row.tool, row.input) == row.want);
  }
}

constexpr Row kNames[] = {
    {"a known tool", "Bash", R"({"command":"rm -rf /"})", "permit"},
    {"a former name", "TodoWrite", R"({"todos":[]})", "permit"},
    {"another former name", "BashOutput", R"({"bash_id":"1"})", "permit"},
    {"an alias", "Task", R"({"prompt":"x"})", "permit"},
    {"unknown", "Reed", R"({"file_path":"README.md"})", "deny"},
    {"in other letter case", "read", R"({"file_path":"README.md"})", "deny"},
    {"with white space", "Read ", R"({"file_path":"README.md"})", "deny"},
    {"an MCP tool", "mcp__x__y", R"({})", "deny"},
    {"an MCP tool that looks like one", "mcp__Read", R"({"file_path":"README.md"})", "deny"},
    {"a pattern", "*", R"({})", "deny"},
};

// Calls as the client sends them, all from an ordinary session.
constexpr Row kOrdinary[] = {
    {"read", "Read", R"({"file_path":"/home/dev/project/README.md","offset":1,"limit":10})",
     "permit"},
    {"write", "Write", R"({"file_path":"/home/dev/project/x","content":"cd /etc; ../.."})",
     "permit"},
    {"edit", "Edit",
     R"({"file_path":"/home/dev/project/x","old_string":"/etc","new_string":"~/.ssh","replace_all":false})",
     "permit"},
    {"edits", "MultiEdit", R"({"file_path":"x","edits":[{"old_string":"a","new_string":"b"}]})",
     "permit"},
    {"notebook", "NotebookEdit",
     R"({"notebook_path":"/home/dev/project/n.ipynb","new_source":"/etc"})", "permit"},
    {"command", "Bash",
     R"({"command":"cat /etc/passwd","description":"x","timeout":5000,"run_in_background":true})",
     "permit"},
    {"command, flag false", "Bash", R"({"command":"ls","dangerouslyDisableSandbox":false})",
     "permit"},
    {"agent", "Agent",
     R"({"description":"x","prompt":"read /etc","subagent_type":"Explore","isolation":"worktree"})",
     "permit"},
    {"skill", "Skill", R"({"skill":"review","args":"--path /etc"})", "permit"},
    {"task", "TaskCreate", R"({"subject":"x","description":"y","metadata":{"path":"/etc"}})",
     "permit"},
    {"message", "SendMessage", R"({"to":"a1","message":"/etc/passwd"})", "permit"},
    {"monitor", "Monitor", R"({"description":"x","command":"tail -f /var/log/x","timeout_ms":1})",
     "permit"},
    {"workflow", "Workflow", R"({"script":"x","name":"/etc","args":{"path":"/etc"}})", "permit"},
    {"workflow from a file", "Workflow", R"({"scriptPath":"src/flow.js"})", "permit"},
    {"fetch", "WebFetch", R"({"url":"https://example.com/a","prompt":"/etc"})", "permit"},
    {"search", "WebSearch", R"({"query":"/etc/passwd","allowed_domains":["a.example"]})", "permit"},
    {"cron", "CronCreate", R"({"cron":"* * * * *","prompt":"x","recurring":true})", "permit"},
    {"question", "AskUserQuestion", R"({"questions":[{"question":"?","options":[]}]})", "permit"},
    {"plan", "ExitPlanMode", R"({"plan":"1. /etc"})", "permit"},
    {"stop", "TaskStop", R"({"task_id":"b1"})", "permit"},
    {"find tools", "ToolSearch", R"({"query":"select:Read","max_results":5})", "permit"},
    {"language server", "LSP", R"({"operation":"hover","filePath":"src/main.cc","line":1})",
     "permit"},
    {"findings", "ReportFindings", R"({"level":"high","findings":[{"file":"src/a","line":1}]})",
     "permit"},
};

constexpr Row kWrongArguments[] = {
    {"no path", "Read", R"({})", "deny"},
    {"a number", "Read", R"({"file_path":5})", "deny"},
    {"null", "Write", R"({"file_path":null,"content":""})", "deny"},
    {"null for what may be left out", "Grep", R"({"pattern":"x","path":null})", "deny"},
    {"a list", "Read", R"({"file_path":["README.md"]})", "deny"},
    {"an object", "Read", R"({"file_path":{"path":"README.md"}})", "deny"},
    {"a second path under another name", "Read",
     R"({"file_path":"README.md","path":"/etc/passwd"})", "deny"},
    {"a second path in another case", "Read",
     R"({"file_path":"README.md","FILE_PATH":"/etc/passwd"})", "deny"},
    {"a command with a working directory", "Bash", R"({"command":"ls","cwd":"/etc"})", "deny"},
    {"a script outside", "Workflow", R"({"scriptPath":"/etc/x"})", "deny"},
    {"a published file", "Artifact", R"({"file_path":"README.md"})", "permit"},
    {"a published file outside", "Artifact", R"({"file_path":"/etc/passwd"})", "deny"},
    {"published files", "Artifact", R"({"file_paths":["README.md","/etc/passwd"]})", "deny"},
    {"published files, no list", "Artifact", R"({"file_paths":"/etc/passwd"})", "deny"},
    {"published to a folder outside", "Artifact", R"({"file_path":"README.md","out_dir":"/etc"})",
     "deny"},
    {"a project's file outside", "Projects", R"({"local_path":"/etc/passwd"})", "deny"},
    {"a notebook outside", "NotebookRead", R"({"notebook_path":"/etc/x"})", "deny"},
    {"a source file outside", "LSP", R"({"filePath":"/etc/x"})", "deny"},
};

constexpr Row kWorktrees[] = {
    {"a plain name", "EnterWorktree", R"({"name":"feature-1"})", "permit"},
    {"no name", "EnterWorktree", R"({})", "permit"},
    {"git's own", "EnterWorktree", R"({"name":".git"})", "deny"},
    {"git's own in capitals", "EnterWorktree", R"({"name":".GIT"})", "deny"},
    {"git's own with an ignored character", "EnterWorktree", R"({"name":".g\u200cit"})", "deny"},
    {"up", "EnterWorktree", R"({"name":".."})", "deny"},
    {"here", "EnterWorktree", R"({"name":"."})", "deny"},
    {"two parts", "EnterWorktree", R"({"name":"a/b"})", "permit"},
    {"an empty part", "EnterWorktree", R"({"name":"a//b"})", "deny"},
    {"a part that climbs", "EnterWorktree", R"({"name":"a/../b"})", "deny"},
    {"a part that is git's own", "EnterWorktree", R"({"name":"a/.Git"})", "deny"},
    {"absolute", "EnterWorktree", R"({"name":"/a"})", "deny"},
    {"a climb", "EnterWorktree", R"({"name":"../../x"})", "deny"},
    {"a backslash", "EnterWorktree", R"({"name":"a\\b"})", "deny"},
    {"empty", "EnterWorktree", R"({"name":""})", "deny"},
    {"NUL", "EnterWorktree", R"({"name":"a\u0000"})", "deny"},
    {"white space", "EnterWorktree", R"({"name":" a"})", "deny"},
    {"a number", "EnterWorktree", R"({"name":1})", "deny"},
    {"a path inside", "EnterWorktree", R"({"path":".claude/worktrees/a"})", "permit"},
    {"a path outside", "EnterWorktree", R"({"path":"/srv/elsewhere"})", "deny"},
    {"leaving", "ExitWorktree", R"({"action":"keep","discard_changes":false})", "permit"},
};

}  // namespace

TEST_CASE("tools: known tools are permitted if no policy lists any, others are not") {
  const World world;
  Check(world, kNames);
}

TEST_CASE("tools: ordinary calls of a session in the project pass") {
  const World world;
  Check(world, kOrdinary);
}

TEST_CASE("tools: a path argument that is not a string is denied") {
  const World world;
  Check(world, kWrongArguments);
}

TEST_CASE("tools: the parts of a worktree's name are plain names and not .git") {
  const World world;
  Check(world, kWorktrees);
}

TEST_CASE("tools: deny beats ask beats allow") {
  World world;
  world.User(R"("tools":{"allow":["*"],"ask":["Web*","Bash"],"deny":["WebSearch"]})");
  CHECK(world.Call("WebSearch", R"({"query":"x"})") == "deny");
  CHECK(world.Call("WebFetch", R"({"url":"https://a.example"})") == "ask");
  CHECK(world.Call("Bash", R"({"command":"x"})") == "ask");
  CHECK(world.Call("mcp__any__thing", R"({})") == "permit");
  CHECK(world.Call("AnythingNew", R"({})") == "permit");
}

TEST_CASE("tools: an ask without an allow list permits its tools with a question") {
  World world;
  world.User(R"("tools":{"ask":["mcp__team__*"]})");
  CHECK(world.Call("mcp__team__x", R"({})") == "ask");
  CHECK(world.Call("mcp__other__x", R"({})") == "deny");
  CHECK(world.Call("Bash", R"({"command":"x"})") == "permit");
}

TEST_CASE("tools: @known-tools equals the tools permitted without a list") {
  const World plain;
  World listed;
  listed.User(R"("tools":{"allow":["@known-tools"]})");
  World denied;
  denied.User(R"("tools":{"deny":["@known-tools"]})");
  World asked;
  asked.User(R"("tools":{"ask":["@known-tools"]})");
  for (const KnownTool& tool : ClaudeCode().tools.All()) {
    CAPTURE(tool.name);
    const Policy policy = listed.Merged(listed.EventOf("Read", "{}"));
    CHECK(EvaluateTool(tool.name, policy).verdict == Verdict::kPermit);
    CHECK(denied.Call(tool.name, "{}") == "deny");
  }
  for (const std::string_view tool : {"Task", "KillShell"}) {
    CAPTURE(tool);
    CHECK(listed.Call(tool, R"({"prompt":"x","task_id":"1"})") == "permit");
  }
  for (const std::string_view tool : {"Reed", "mcp__x__y", "@known-tools"}) {
    CAPTURE(tool);
    CHECK(listed.Call(tool, "{}") == "deny");
    CHECK(plain.Call(tool, "{}") == "deny");
  }
  CHECK(asked.Call("Bash", R"({"command":"ls"})") == "ask");
}

TEST_CASE("tools: an allow list permits only its entries, with sets, globs and aliases") {
  World world;
  world.User(R"("tools":{"allow":["@session-tools","Read","Task","Notebook*"]})");
  CHECK(world.Read("README.md") == "permit");
  CHECK(world.Call("TaskCreate", R"({"subject":"x"})") == "permit");
  CHECK(world.Call("Agent", R"({"prompt":"x"})") == "permit");
  CHECK(world.Call("NotebookEdit", R"({"notebook_path":"x"})") == "permit");
  CHECK(world.Call("KillShell", R"({"shell_id":"x"})") == "permit");
  CHECK(world.Write("README.md") == "deny");
  CHECK(world.Call("Bash", R"({"command":"x"})") == "deny");
  CHECK(world.Call("READ", PathInput("README.md")) == "deny");
}

TEST_CASE("tools: a deny ignores letter case and covers the other name") {
  World world;
  world.User(R"("tools":{"deny":["bash","TASK","mcp__Evil__*"]})");
  CHECK(world.Call("Bash", R"({"command":"x"})") == "deny");
  CHECK(world.Call("Task", R"({"prompt":"x"})") == "deny");
  CHECK(world.Call("Agent", R"({"prompt":"x"})") == "deny");
  CHECK(world.Call("BashOutput", R"({})") == "permit");
}

TEST_CASE("tools: the reason for an unknown or MCP tool gives the line to add") {
  const World world;
  CHECK(
      ReasonText(world.Decide("mcp__team__send", R"({})"), "") ==
      R"(ringfence: tool "mcp__team__send" refused: the policy does not list this MCP tool. Ask the )"
      R"(user to run `ringfence allow mcp__team__send`.)");
  const std::string hostile = ReasonText(world.Decide("mcp__a__$(id)\n", R"({})"), "");
  CHECK(hostile.find('\n') == std::string::npos);
  CHECK(hostile.find("ringfence allow $(id)") == std::string::npos);
}

TEST_CASE("tools: a known tool missing from a narrower list is not called unknown") {
  World world;
  world.User(R"("profiles":{"sub":{"when":{"subagent":true},"tools":{"allow":["Read"]}}})");
  world.agent_type = "Explore";
  const std::string reason = ReasonText(world.Decide("Bash", R"({"command":"x"})"), "");
  CHECK(reason.find("not in the list of what is allowed") != std::string::npos);
  CHECK(reason.find("/profiles/sub/tools/allow") != std::string::npos);
  CHECK(reason.find("not a tool that ringfence knows") == std::string::npos);
}

TEST_CASE("tools: a worktree may be created only where the client puts worktrees") {
  World world;
  world.files.Put("/home/dev/project/.claude/worktrees", LinkTo("/home/dev"));
  CHECK(world.Call("EnterWorktree", R"({"name":"x"})") == "deny");
  CHECK(world.Call("EnterWorktree", R"({"name":".ssh"})") == "deny");
  CHECK(world.Call("EnterWorktree", "{}") == "deny");
}

TEST_CASE("tools: paths in unexpected arguments of a file tool are evaluated at any depth") {
  const World world;
  CHECK(world.Call("Read", R"({"file_path":"x","files":["/etc/passwd"]})") == "deny");
  CHECK(world.Call("Projects", R"({"uploads":[{"local_path":"/etc/passwd"}]})") == "deny");
  CHECK(world.Call("MultiEdit", R"({"file_path":"x","edits":[{"file_path":"/etc/x"}]})") == "deny");
  CHECK(world.Call("Agent", R"({"prompt":"x","extra":{"path":"/etc/x"}})") == "permit");
}

TEST_CASE("tools: if commands are wrapped, a shell that cannot be wrapped is denied") {
  World world;
  world.User(R"("bash":{"wrap":true},"tools":{"allow":["Bash","PowerShell","mcp__x__*"]})");
  CHECK(world.Call("Bash", R"({"command":"ls"})") == "permit");
  CHECK(world.Call("PowerShell", R"({"command":"ls"})") == "deny");
  CHECK(world.Call("mcp__x__y", "{}") == "permit");
  CHECK(world.Call("Bash", R"({"command":5})") == "deny");
  CHECK(world.Call("Bash", R"({"command":["ls"]})") == "deny");
  CHECK(world.Call("Bash", R"({"description":"d"})") == "permit");
  Event event = world.EventOf("Bash", R"({"command":5})");
  event.raw_input.reset();  // no tool_input
  CHECK(world.Decide(event, world.files).verdict == Verdict::kPermit);
}

TEST_CASE("tools: a permission request is decided like the call itself") {
  World world;
  world.permission_request = true;
  CHECK(world.Read("README.md") == "permit");
  CHECK(world.Read("/etc/passwd") == "deny");
  CHECK(world.Write(".envrc") == "ask");
}

TEST_CASE("tools: a tool that only the policy knows may name its working directory, nothing else") {
  World world;
  world.User(R"("tools":{"allow":["@session-tools","Odd","Read","Artifact"]})");
  static constexpr Row kRows[] = {
      {"its working directory", "Odd", R"({"cwd":"/etc"})", "permit"},
      {"a path", "Odd", R"({"path":"/etc/passwd"})", "deny"},
      {"a path inside", "Odd", R"({"path":"README.md"})", "permit"},
      {"a working directory deeper", "Odd", R"({"a":{"cwd":"/etc"}})", "deny"},
      {"a path deeper", "Odd", R"({"a":{"path":"/etc/passwd"}})", "deny"},
      {"a working directory that a known tool has no use for", "Read",
       R"({"file_path":"README.md","cwd":"/etc"})", "deny"},
      {"lists in a list", "Artifact", R"({"file_paths":[["README.md"]]})", "deny"},
      {"a list", "Artifact", R"({"file_paths":["README.md"]})", "permit"},
  };
  Check(world, kRows);
}

TEST_CASE("tools: a device is denied where devices do not belong") {
  World world;
  world.files.Put("/home/dev/project/disk", Special(FileKind::kBlockDevice));
  world.files.Put("/home/dev/project/tty", Special(FileKind::kCharacterDevice));
  world.files.Put("/dev/null", Special(FileKind::kCharacterDevice));
  world.User(R"("read":{"allow":[".","/dev/null"]})");
  CHECK(world.Read("disk") == "deny");
  CHECK(world.Read("tty") == "deny");
  CHECK(world.Read("/dev/null") == "permit");
}

TEST_CASE("tools: every evaluated path can be explained") {
  const World world;
  const Event event = world.EventOf("Read", R"({"file_path":"src/../README.md"})");
  const Policy policy = world.Merged(event);
  const CachedFiles files(world.files);
  Trace trace;
  const Decision decision = Decide(event, {policy, world.places, files}, &trace);
  CHECK(decision.verdict == Verdict::kPermit);
  const std::vector<PathTrace>& traces = trace.paths;
  REQUIRE(traces.size() == 1);
  CHECK(traces[0].field == "/file_path");
  CHECK(traces[0].text == "src/../README.md");
  REQUIRE_FALSE(traces[0].readings.empty());
  CHECK(traces[0].readings.front().end == Path::Clean("/home/dev/project/README.md"));
}

TEST_CASE("tools: the rules involved are named, also for a permission") {
  World world;
  world.User(
      R"("tools":{"allow":["Read","WebFetch"]},"read":{"allow":["src","."],"deny":["**/.env"]},
    "network":{"allow":["*.forge.example"],"deny":["gist.forge.example"]})");
  struct Use {
    const char* tool;
    const char* input;
    std::vector<std::string> rules;
  };
  const Use uses[] = {
      {"Read", R"({"file_path":"src/main.cc"})", {"Read", "src"}},
      {"Read", R"({"file_path":"README.md"})", {"Read", "."}},
      {"Read", R"({"file_path":".env"})", {"Read", "**/.env"}},
      {"WebFetch", R"({"url":"https://a.forge.example"})", {"WebFetch", "*.forge.example"}},
      {"WebFetch", R"({"url":"https://gist.forge.example"})", {"WebFetch", "gist.forge.example"}},
      {"Write", R"({"file_path":"README.md"})", {}},
  };
  for (const Use& use : uses) {
    CAPTURE(use.input);
    const Event event = world.EventOf(use.tool, use.input);
    const Policy policy = world.Merged(event);
    Trace trace;
    Decide(event, {policy, world.places, CachedFiles(world.files)}, &trace);
    std::vector<std::string> rules;
    for (const RuleUse& rule : trace.rules) rules.push_back(rule.written);
    CHECK(rules == use.rules);
  }
}

TEST_CASE("tools: a subagent's worktree is created where the client creates worktrees") {
  World world;
  static constexpr Row kRows[] = {
      {"none", "Agent", R"({"prompt":"x","description":"y"})", "permit"},
      {"a worktree", "Agent", R"({"prompt":"x","isolation":"worktree"})", "permit"},
      {"by the other name", "Task", R"({"prompt":"x","isolation":"worktree"})", "permit"},
      {"null", "Agent", R"({"prompt":"x","isolation":null})", "permit"},
      {"remote", "Agent", R"({"prompt":"x","isolation":"remote"})", "permit"},
  };
  Check(world, kRows);
  world.files.Put("/home/dev/project/.claude/worktrees", LinkTo("/srv"));
  CHECK(world.Call("Agent", R"({"prompt":"x","isolation":"worktree"})") == "deny");
  CHECK(world.Call("Task", R"({"prompt":"x","isolation":"worktree"})") == "deny");
  CHECK(world.Call("Agent", R"({"prompt":"x","isolation":"remote"})") == "permit");
}
