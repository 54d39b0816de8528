#include "agents/claude/agent.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "agents/claude/input_reader.h"
#include "policy/event.h"
#include "policy/mcp/argument_names.h"
#include "policy/mcp/mcp_name.h"

using namespace ringfence;

TEST_CASE("agent: the names that sets and protection are built from are not empty") {
  const Agent& agent = ClaudeCode();
  for (const std::string_view name :
       {agent.program, agent.state.folder, agent.state.file, agent.state.projects,
        agent.settings.what, agent.settings.pattern, agent.settings.managed,
        agent.settings.managed_macos}) {
    CHECK_FALSE(name.empty());
  }
  const AgentVariables& variables = agent.variables;
  for (const char* name : {variables.project, variables.settings, variables.started, variables.tmp,
                           variables.confined}) {
    CHECK_FALSE(std::string_view(name).empty());
  }
}

TEST_CASE("tools: every known tool is found by its name, in exactly one spelling") {
  std::string_view before;
  for (const KnownTool& tool : ClaudeCode().tools.All()) {
    CAPTURE(tool.name);
    CHECK(before < tool.name);
    before = tool.name;
    CHECK(ClaudeCode().tools.Find(tool.name)->name == tool.name);
    for (const ToolField& field : tool.fields) {
      CHECK(field.pointer.starts_with('/'));
      CHECK(field.role <= FieldRole::kIsolation);
    }
  }
  for (const std::string_view name : {"", "read", "Rea", "Reads", "mcp__x__y", "AAA", "zzz"}) {
    CAPTURE(name);
    CHECK_FALSE(ClaudeCode().tools.Find(name));
  }
}

TEST_CASE("tools: the client's tools and their former names are known") {
  for (const std::string_view name : {"Read",
                                      "Write",
                                      "Edit",
                                      "NotebookEdit",
                                      "Glob",
                                      "Grep",
                                      "Bash",
                                      "PowerShell",
                                      "Monitor",
                                      "Workflow",
                                      "EnterWorktree",
                                      "ExitWorktree",
                                      "Agent",
                                      "Skill",
                                      "WebFetch",
                                      "WebSearch",
                                      "ReadMcpResourceTool",
                                      "ReadMcpResourceDirTool",
                                      "ListMcpResourcesTool",
                                      "TaskStop",
                                      "CronCreate",
                                      "CronDelete",
                                      "CronList",
                                      "ScheduleWakeup",
                                      "SendMessage",
                                      "ListAgents",
                                      "ReportFindings",
                                      "ToolSearch",
                                      "TaskCreate",
                                      "TaskGet",
                                      "TaskList",
                                      "TaskUpdate",
                                      "AskUserQuestion",
                                      "EnterPlanMode",
                                      "ExitPlanMode",
                                      "Artifact",
                                      "Projects",
                                      "ClaudeDesign",
                                      "RemoteTrigger",
                                      "PushNotification",
                                      "SendFeedback",
                                      "LSP",
                                      "MultiEdit",
                                      "LS",
                                      "NotebookRead",
                                      "TodoWrite",
                                      "BashOutput",
                                      "KillShell",
                                      "TaskOutput",
                                      "Task",
                                      "StructuredOutput",
                                      "WaitForMcpServers",
                                      "RefreshMcpTools",
                                      "ReadNotifications",
                                      "SetGoal",
                                      "SubagentHandback",
                                      "propose_skills",
                                      "REPL",
                                      "Eval"}) {
    CAPTURE(name);
    CHECK(ClaudeCode().tools.Find(name));
  }
}

TEST_CASE("tools: the known name nearest to a misspelt one") {
  CHECK(ClaudeCode().tools.Nearest("Raed") == "Read");
  CHECK(ClaudeCode().tools.Nearest("Taks") == "Task");  // the former name of "Agent"
  CHECK(ClaudeCode().tools.Nearest("Frobnicate").empty());
}

TEST_CASE("tools: tools that run code are marked") {
  for (const KnownTool& tool : ClaudeCode().tools.All()) {
    CAPTURE(tool.name);
    static constexpr std::string_view kRunCode[] = {"Agent",
                                                    "AppifactRepl",
                                                    "Bash",
                                                    "CronCreate",
                                                    "Monitor",
                                                    "PowerShell",
                                                    "REPL",
                                                    "RemoteTrigger",
                                                    "Skill",
                                                    "Workflow",
                                                    "self_hosted_runner_requeue_session",
                                                    "self_hosted_runner_spawn_local"};
    CHECK(tool.runs_code == (std::ranges::find(kRunCode, tool.name) != std::end(kRunCode)));
  }
}

TEST_CASE("tools: the event reader keeps every argument that a decision depends on") {
  for (const KnownTool& tool : ClaudeCode().tools.All()) {
    for (const ToolField& field : tool.fields) {
      CAPTURE(tool.name);
      CAPTURE(field.pointer);
      CHECK(MayMatter(field.pointer.substr(field.pointer.rfind('/') + 1)));
    }
  }
}

TEST_CASE("tools: other names for the same tool") {
  for (const KnownTool& tool : ClaudeCode().tools.All()) {
    CHECK(ClaudeCode().tools.MainName(tool.name) == tool.name);
    for (const std::string_view alias : tool.aliases) {
      CAPTURE(alias);
      CHECK(ClaudeCode().tools.MainName(alias) == tool.name);
      REQUIRE(ClaudeCode().tools.Find(alias));
      CHECK(ClaudeCode().tools.Find(alias)->name == tool.name);
    }
  }
  CHECK(ClaudeCode().tools.MainName("Task") == "Agent");
  CHECK(ClaudeCode().tools.MainName("KillBash") == "TaskStop");
  CHECK(ClaudeCode().tools.MainName("Eval") == "REPL");
  CHECK(ClaudeCode().tools.MainName("Read") == "Read");
  CHECK(ClaudeCode().tools.MainName("") == "");
  CHECK_FALSE(ClaudeCode().tools.Find("aka:Task"));
  CHECK_FALSE(ClaudeCode().tools.Find("Agent aka:Task"));
  CHECK_FALSE(ClaudeCode().tools.Find("code"));
}

TEST_CASE("tools: shells") {
  CHECK(ClaudeCode().tools.IsShell("Monitor"));
  CHECK(ClaudeCode().tools.IsShell("PowerShell"));
  CHECK(ClaudeCode().tools.IsShell("Bash"));
  CHECK_FALSE(ClaudeCode().tools.IsShell("Workflow"));
}

TEST_CASE("tools: those that can fail because a host is refused") {
  for (const char* name : {"Bash", "Monitor", "WebFetch", "mcp__a__b", "ReadMcpResourceTool"}) {
    CHECK(ClaudeCode().tools.ReachesHosts(name));
  }
  for (const char* name : {"Read", "Write", "Grep", "TodoWrite", "unknown"}) {
    CHECK_FALSE(ClaudeCode().tools.ReachesHosts(name));
  }
}

TEST_CASE("tools: an MCP tool's name begins with mcp__") {
  CHECK(IsMcpTool("mcp__a__b"));
  CHECK(IsMcpTool("mcp__"));
  CHECK_FALSE(IsMcpTool("mcp_a"));
  CHECK_FALSE(IsMcpTool("MCP__a__b"));
  CHECK_FALSE(IsMcpTool("Read"));
}

TEST_CASE("tools: keys are compared without case, separators and invisible characters") {
  CHECK(NormalKey("file_path") == "filepath");
  CHECK(NormalKey("File-Path") == "filepath");
  CHECK(NormalKey(" file \t path\n") == "filepath");
  CHECK(NormalKey("file\xE2\x80\x8Bpath\xC2\xA0") == "filepath");
  CHECK(NormalKey("file\x7Fpath") == "filepath");
  CHECK(NormalKey("__--") == "");
  CHECK(NormalKey("\xC3\x9C") == "\xC3\x9C");
  CHECK(NormalKey("a\xFF"
                  "b") ==
        "a\xFF"
        "b");
}

TEST_CASE("tools: the sandbox flag in every spelling, and nothing else") {
  for (const std::string_view key : {"dangerouslyDisableSandbox", "dangerously_disable_sandbox",
                                     "DANGEROUSLY-DISABLE-SANDBOX", "dangerously disable sandbox",
                                     "dangerouslydisablesandbox", "_dangerouslyDisableSandbox_"}) {
    CAPTURE(key);
    CHECK(ClaudeCode().IsSandboxFlag(key));
  }
  for (const std::string_view key :
       {"", "disableSandbox", "dangerouslyDisableSandboxes", "dangerouslyDisableSandbo",
        "xdangerouslyDisableSandbox", "dangerously.disable.sandbox"}) {
    CAPTURE(key);
    CHECK_FALSE(ClaudeCode().IsSandboxFlag(key));
  }
}

TEST_CASE("tools: arguments that are usually paths, lists of paths or URLs") {
  struct Row {
    std::string_view key;
    UsualName want;
  };
  using enum UsualName;
  static constexpr Row kRows[] = {
      {"path", kPath},
      {"Path", kPath},
      {"file_path", kPath},
      {"filePath", kPath},
      {"filename", kPath},
      {"file", kPath},
      {"source", kPath},
      {"destination", kPath},
      {"directory", kPath},
      {"dir", kPath},
      {"folder", kPath},
      {"cwd", kPath},
      {"working_directory", kPath},
      {"repo_path", kPath},
      {"root", kPath},
      {"target", kPath},
      {"notebook_path", kPath},
      {"output_dir", kPath},
      {"old_path", kPath},
      {"new_path", kPath},
      {"src", kPath},
      {"dst", kPath},
      {"workdir", kPath},
      {"local_path", kPath},
      {"paths", kPaths},
      {"files", kPaths},
      {"filenames", kPaths},
      {"file_paths", kPaths},
      {"directories", kPaths},
      {"roots", kPaths},
      {"uri", kUrl},
      {"url", kUrl},
      {"urls", kUrl},
      {"uris", kUrl},
      {"image_paths", kPaths},
      {"logFiles", kPaths},
      {"SourceFolders", kPaths},
      {"cachefolder", kPath},
      {"base-filename", kPath},
      {"page_urls", kUrl},
      {"rootUris", kUrl},
      {"content", kNone},
      {"command", kNone},
      {"pattern", kNone},
      {"query", kNone},
      {"text", kNone},
      {"profile", kNone},
      {"filetype", kNone},
      {"", kNone},
      {"description", kNone},
      {"name", kNone},
      {"pathology", kNone},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.key);
    CHECK(UsualNameOf(row.key) == row.want);
    CHECK((MayMatter(row.key) || row.want == kNone));
  }
}

TEST_CASE("tools: words in the argument names of MCP servers") {
  struct Row {
    std::string_view key;
    UsualName want;
    bool is_output = false;
  };
  static constexpr Row kRows[] = {
      {"baseURLPrefix", UsualName::kUrl},
      {"theFiles2", UsualName::kPaths},
      {"pathInProject", UsualName::kPath},
      {"outputDir2", UsualName::kPath, true},
      {"name", UsualName::kNone},
      {"_", UsualName::kNone},
      {"an_argument_with_a_name_of_more_than_sixty_four_letters_is_no_path_of_output",
       UsualName::kNone},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.key);
    CHECK(McpNameOf(row.key) == row.want);
    CHECK(NamesOutput(row.key) == row.is_output);
  }
}

TEST_CASE("tools: a key of any length is checked, and a very long key is not a usual name") {
  CHECK(UsualNameOf(std::string(60, 'a') + "path") == UsualName::kPath);
  CHECK(UsualNameOf(std::string(61, 'a') + "path") == UsualName::kNone);
  CHECK(UsualNameOf("") == UsualName::kNone);
}

TEST_CASE("tools: one word in an MCP argument's name is enough") {
  struct Row {
    std::string_view key;
    UsualName want;
  };
  using enum UsualName;
  static constexpr Row kRows[] = {
      {"source_dir", kPath}, {"pathInProject", kPath}, {"file1", kPath},
      {"URLPath", kPath},    {"PDFFile2", kPath},      {"API_HOST", kUrl},
      {"URLHost", kUrl},     {"linkURLText", kNone},   {"changedFilesList", kPaths},
      {"dirs2", kPaths},     {"hostFile2", kPath},     {"profile", kNone},
      {"4711", kNone},       {"filed", kNone},         {"", kNone},
      {"siteId", kNone},     {"domain_ids", kNone},    {"host_name", kUrl},
      {"link_name", kNone},  {"linkIdHost", kUrl},     {"id_of_site", kUrl},
      {"hostOS", kNone},     {"domainNames", kUrl},    {"host_name_type", kNone},
      {"server", kPeer},     {"serverName", kPeer},    {"ipAddress", kPeer},
      {"proxies", kPeer},    {"server_id", kNone},     {"addressHost", kUrl},
      {"hostAddress", kUrl}, {"serverFile", kPath},    {"mirror_name", kNone},
      {"callbackUrl", kUrl}, {"zip", kNone},           {"observer", kNone},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.key);
    CHECK(McpNameOf(row.key) == row.want);
  }
  CHECK(McpNameOf("dir_" + std::string(60, 'a')) == kPath);
  CHECK(McpNameOf("dir_" + std::string(61, 'a')) == kNone);
}

TEST_CASE("tools: argument names whose bare values are more likely files") {
  for (const std::string_view key : {"link", "links", "endpoint", "apiEndpoint", "links2"}) {
    CAPTURE(key);
    CHECK(NamesLink(key));
  }
  for (const std::string_view key : {"url", "linkUrl", "link_host", "host", "site", "q", "path"}) {
    CAPTURE(key);
    CHECK_FALSE(NamesLink(key));
  }
}

TEST_CASE("tools: argument names for sources that are cloned") {
  for (const std::string_view key : {"repo", "remote", "gitUrl", "source_repository", "upstream"}) {
    CAPTURE(key);
    CHECK(NamesRepository(key));
  }
  for (const std::string_view key : {"assignee", "q", "", "report"}) {
    CAPTURE(key);
    CHECK_FALSE(NamesRepository(key));
  }
}

TEST_CASE("tools: argument names for mailboxes and properties") {
  CHECK(NamesMailbox("emailAddress"));
  CHECK_FALSE(NamesMailbox("server"));
  CHECK(NamesProperties("@context"));
  CHECK(NamesProperties("patternProperties"));
  CHECK_FALSE(NamesProperties("urls"));
}

TEST_CASE("tools: argument names for a tool's output") {
  for (const std::string_view key : {"savePath", "output", "dest_dir", "PDFOutput", "toDST"}) {
    CAPTURE(key);
    CHECK(NamesOutput(key));
  }
  for (const std::string_view key : {"path", "outputs", "outer", "saved", "7", ""}) {
    CAPTURE(key);
    CHECK_FALSE(NamesOutput(key));
  }
  CHECK(NamesOutput("out_" + std::string(60, 'a')));
  CHECK_FALSE(NamesOutput("out_" + std::string(61, 'a')));
}
