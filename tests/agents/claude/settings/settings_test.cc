#include "agents/claude/settings/settings.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace ringfence;

namespace {

constexpr const char* kProgram = "/opt/bin/ringfence-hook";

ClientSettings Read(std::string text) {
  return ParseClientSettings(std::move(text), "settings.json", "/home/dev/.claude/settings.json");
}

std::string Hooks(const std::string& event, const std::string& entry) {
  return R"({"hooks": {")" + event + R"(": [{"hooks": [)" + entry + "]}]}}";
}

std::string Registered(const std::string& more = "", const std::string& event = "PreToolUse") {
  return Hooks(event, R"({"type": "command", "command": ")" + std::string(kProgram) +
                          R"(", "args": ["--home", "/home/dev"], "onFailure": "block")" + more +
                          "}");
}

// Every finding of Weakens() for `now`, after `before` was approved.
std::vector<std::string> WeakerThan(const std::string& before, const std::string& now) {
  Approvals approvals;
  approvals.files.push_back(ApprovedAsIs(Read(before), kProgram));
  return Weakens(Read(now), approvals, kProgram);
}

bool Says(const std::vector<std::string>& sentences, std::string_view part) {
  return std::ranges::any_of(sentences, [&](const std::string& sentence) {
    return sentence.find(part) != std::string::npos;
  });
}

TEST_CASE("client settings: a hook entry is read with its place and the program that it starts") {
  const ClientSettings settings = Read(
      "{\n \"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [\n"
      "  {\"type\": \"command\", \"command\": \"/x/hook\", \"args\": [\"a\"], \"async\": "
      "true}]}]}}");
  REQUIRE(settings.hooks.size() == 1);
  const HookEntry& entry = settings.hooks[0];
  CHECK(entry.event == "PreToolUse");
  CHECK(entry.matcher == "Bash");
  CHECK(entry.place == "settings.json:3:3");
  CHECK(entry.pointer == "/hooks/PreToolUse/0/hooks/0");
  CHECK(entry.is_exec_form);
  CHECK(entry.args == std::vector<std::string>{"a"});
  CHECK(entry.is_async);
  CHECK_FALSE(entry.blocks_on_failure);
  CHECK_FALSE(entry.is_for_everything());
}

TEST_CASE("client settings: white space does not change an entry's digest, anything else does") {
  const auto digest = [](const std::string& text) { return Read(text).hooks.at(0).digest; };
  const std::string plain = digest(Hooks("Stop", R"({"type":"command","command":"a b"})"));
  CHECK(digest(Hooks("Stop", "\n{ \"type\" : \"command\",\t\"command\":\"a b\" }")) == plain);
  CHECK(digest(Hooks("Stop", R"({"type":"command","command":"a  b"})")) != plain);
  CHECK(digest(Hooks("Stop", R"({"type":"command","command":"a\" b"})")) != plain);
  CHECK(digest(Hooks("Setup", R"({"type":"command","command":"a b"})")) != plain);
  CHECK(digest(R"({"hooks":{"Stop":[{"matcher":"x","hooks":[
                   {"type":"command","command":"a b"}]}]}})") != plain);
}

TEST_CASE("client settings: entries that run our program") {
  struct Row {
    const char* entry;
    bool want;
  };
  static constexpr Row kRows[] = {
      {R"({"type":"command","command":"/opt/bin/ringfence-hook","args":[]})", true},
      {R"({"type":"command","command":"/old/place/ringfence-hook","args":[]})", true},
      {R"({"type":"command","command":"/opt/bin/ringfence-hook --home /h"})", true},
      {R"({"type":"command","command":"\"/opt/my bin/ringfence-hook\" --home /h"})", true},
      {R"({"type":"command","command":"'/opt/my bin/ringfence-hook' --home /h"})", true},
      {R"({"type":"command","command":"'/opt/my bin/ringfence-hook"})", true},
      {R"({"type":"command","command":"/opt/bin/ringfence-hook --home","args":[]})", false},
      {R"({"type":"command","command":"echo /opt/bin/ringfence-hook"})", false},
      {R"({"type":"command","command":"/opt/bin/ringfence-hook2","args":[]})", false},
      {R"({"type":"prompt","prompt":"/opt/bin/ringfence-hook"})", false},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.entry);
    const ClientSettings settings = Read(Hooks("Stop", row.entry));
    REQUIRE(settings.hooks.size() == 1);
    CHECK(Runs(settings.hooks[0], kProgram) == row.want);
    CHECK_FALSE(Runs(settings.hooks[0], ""));
  }
}

// Each row was tried with the client itself (2.1.330), as were the values that it accepts.
TEST_CASE("client settings: values for which the client drops the whole file") {
  static constexpr const char* kRows[] = {
      R"({"model": 5})",
      R"({"model": null})",
      R"({"permissions": []})",
      R"({"permissions": null})",
      R"({"permissions": {"allow": 5}})",
      R"({"permissions": {"defaultMode": "often"}})",
      R"({"permissions": {"disableBypassPermissionsMode": true}})",
      R"({"permissions": {"blockReadsOutsideWorkingDirectories": "x"}})",
      R"({"permissions": {"additionalDirectories": [5]}})",
      R"({"sandbox": 5})",
      R"({"sandbox": {"enabled": "x"}})",
      R"({"sandbox": {"network": []}})",
      R"({"sandbox": {"filesystem": {"denyRead": "x"}}})",
      R"({"sandbox": {"excludedCommands": "x"}})",
      R"({"env": []})",
      R"({"statusLine": {"type": "command"}})",
      R"({"statusLine": 5})",
      R"({"statusLine": {"command": "x"}})",
      R"({"fileSuggestion": {"command": "x"}})",
      R"({"cleanupPeriodDays": "5"})",
      R"({"cleanupPeriodDays": -5})",
      R"({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x",
          "rewakeMessage": ""}]}]}})",
      R"({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x",
          "rewakeMessage": 5}]}]}})",
      R"({"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": ":x"}]}]}})",
      R"({"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": "a b:c"}]}]}})",
      R"({"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": "https://"}]}]}})",
      R"({"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": 5}]}]}})",
      R"({"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": "https://h/",
          "headers": {"A": 5}}]}]}})",
      R"({"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": "https://h/",
          "headers": []}]}]}})",
      R"({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x",
          "timeout": "5"}]}]}})",
      R"({"statusLine": {"type": "x", "command": "y"}})",
      R"({"cleanupPeriodDays": 1.5})",
      R"({"defaultShell": "zsh"})",
      R"({"companyAnnouncements": [5]})",
      R"({"disableAllHooks": null})",
      R"({"hooks": 5})",
      R"({"hooks": {"PreToolUse": 5}})",
      R"({"hooks": {"PermissionRequest": 5}})",
      R"({"hooks": {"PreToolUse": [5]}})",
      R"({"hooks": {"PreToolUse": [{"matcher": "x"}]}})",
      R"({"hooks": {"PreToolUse": [{"matcher": 5, "hooks": []}]}})",
      R"({"hooks": {"PreToolUse": [{"hooks": 5}]}})",
      R"([{}])",
      "// comment\n{}",
      R"({"a": 1,})",
      R"({} x)",
      "",
  };
  for (const char* row : kRows) {
    CAPTURE(row);
    CHECK(Read(row).drops.size() == 1);
  }
  // Not tried: the schema of 2.1.331 describes it like blockReadsOutsideWorkingDirectories.
  const char* like = R"({"permissions": {"blockFileToolReadsOutsideWorkingDirectories": "x"}})";
  CHECK(Read(like).drops.size() == 1);
}

TEST_CASE(
    "client settings: entries of a guarding event for which the client drops the whole file") {
  static constexpr const char* kRows[] = {
      R"("x")",
      R"({"command": "x"})",
      R"({"type": 5})",
      R"({"type": "zz"})",
      R"({"type": "command"})",
      R"({"type": "command", "command": 5})",
      R"({"type": "command", "command": "x", "args": [5]})",
      R"({"type": "command", "command": "x", "timeout": 0})",
      R"({"type": "command", "command": "x", "timeout": "5"})",
      R"({"type": "command", "command": "x", "onFailure": "deny"})",
      R"({"type": "command", "command": "x", "onFailure": null})",
      R"({"type": "command", "command": "x", "shell": "zsh"})",
      R"({"type": "command", "command": "x", "once": 1})",
      R"({"type": "command", "command": "x", "async": "x"})",
      R"({"type": "command", "command": "x", "if": 5})",
      R"({"type": "command", "command": "x", "rewakeMessage": ""})",
      R"({"type": "http", "url": "zz"})",
      R"({"type": "http", "url": "http://h/", "headers": {"a": 5}})",
      R"({"type": "mcp_tool", "server": "x"})",
      R"({"type": "mcp_tool", "server": "x", "tool": "y", "input": 5})",
      R"({"type": "prompt"})",
      R"({"type": "agent"})",
  };
  for (const char* row : kRows) {
    CAPTURE(row);
    CHECK(Read(Hooks("PreToolUse", row)).drops.size() == 1);
    CHECK(Read(Hooks("PermissionRequest", row)).drops.size() == 1);
    // For an event that guards nothing, the client drops only the entry.
    CHECK(Read(Hooks("PostToolUse", row)).drops.empty());
    CHECK(Read(Hooks("PostToolUse", row)).ignored.size() == 1);
  }
}

TEST_CASE("client settings: values that the client accepts") {
  const std::string kRows[] = {
      "{}",
      "\xEF\xBB\xBF{}",
      R"({"unknown": 5, "theme": 5, "effortLevel": 5})",
      R"({"env": {"A": 5, "B": null}})",
      R"({"permissions": {"allow": [5, "Read"], "unknown": 5, "defaultMode": "manual"}})",
      R"({"sandbox": {"unknown": 1}})",
      R"({"hooks": {"PreToolUse": null, "Unknown": 5}})",
      R"({"hooks": {"PreToolUse": [{"hooks": []}, {"unknown": 1, "hooks": []}]}})",
      Hooks("PreToolUse", R"({"type": "command", "command": "", "timeout": 0.5, "unknown": 1})"),
      Hooks("PreToolUse", R"({"type": "http", "url": "https://h.example/"})"),
      Hooks("PreToolUse", R"({"type": "http", "url": "HTTP:h", "headers": {"A": "b"}})"),
      Hooks("PreToolUse", R"({"type": "http", "url": "mailto:x"})"),
      R"({"cleanupPeriodDays": 5})",
      Hooks("PreToolUse", R"({"type": "command", "command": "x", "rewakeMessage": "y"})"),
      Hooks("PreToolUse", R"({"type": "mcp_tool", "server": "x", "tool": "y", "onFailure": "z"})"),
  };
  for (const std::string& row : kRows) {
    CAPTURE(row);
    CHECK(Read(row).drops.empty());
  }
}

TEST_CASE("client settings: an entry that runs only sometimes protects only sometimes") {
  struct Row {
    const char* more;
    bool async, conditional;
  };
  static constexpr Row kRows[] = {
      {"", false, false},
      {R"(, "async": true)", true, false},
      {R"(, "asyncRewake": true)", true, false},
      {R"(, "async": false, "asyncRewake": false, "once": false)", false, false},
      {R"(, "once": true)", false, true},
      {R"(, "if": "Bash")", false, true},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.more);
    const HookEntry entry = Read(Registered(row.more)).hooks.at(0);
    CHECK(entry.is_async == row.async);
    CHECK(entry.is_conditional == row.conditional);
  }
  for (const char* matcher : {"", "*", ".*"}) {
    HookEntry entry;
    entry.matcher = matcher;
    CHECK(entry.is_for_everything());
  }
}

TEST_CASE("client settings: a mistake is reported with place and pointer") {
  const ClientSettings settings = Read("{\n  \"model\": 5\n}");
  REQUIRE(settings.drops.size() == 1);
  CHECK(settings.drops[0].where == "settings.json:2:12");
  CHECK(settings.drops[0].what == "/model must be a string");
}

TEST_CASE("client settings: approvals survive being written and read") {
  Approvals approvals;
  approvals.files.push_back(
      ApprovedAsIs(Read(R"({"sandbox": {"enabled": true, "allowUnsandboxedCommands": false,
                            "excludedCommands": ["git \"x\""],
                            "network": {"allowedDomains": ["a.example", "b.example"]}},
               "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}})"),
                   kProgram));
  approvals.files.push_back(ApprovedAsIs(Read(Registered()), kProgram));
  approvals.files[1].path = "/home/dev/p/.claude/settings.json";
  const Result<Approvals> again = ParseApprovals(RenderApprovals(approvals), "approvals.json");
  REQUIRE(again.has_value());
  CHECK(*again == approvals);
  CHECK(ParseApprovals(RenderApprovals({}), "approvals.json").value().files.empty());
}

TEST_CASE("client settings: approvals are read strictly") {
  for (const char* text :
       {"", "{}", R"({"version": 2, "files": []})", R"({"version": 1, "files": {}})",
        R"({"version": 1, "files": [], "x": 1})",
        R"({"version": 1, "files": [{"path": "relative"}]})",
        R"({"version": 1, "files": [{"path": "/x", "hooks": [5]}]})",
        R"({"version": 1, "files": [{"path": "/x", "flags": {"/model": true}}]})",
        R"({"version": 1, "files": [{"path": "/x", "lists": {"/env/HARMLESS": ["x"]}}]})",
        R"({"version": 1, "files": [{"path": "/x", "lists": {"/env/BASH_ENV": "x"}}]})"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseApprovals(text, "approvals.json").has_value());
  }
}

TEST_CASE("client settings: an approved state is not weaker than itself") {
  const std::string kRows[] = {"{}", Registered(), Registered(R"(, "timeout": 10)"),
                               R"({"sandbox": {"enabled": false, "excludedCommands": ["x"]}})"};
  for (const std::string& text : kRows) {
    CAPTURE(text);
    CHECK(WeakerThan(text, text).empty());
  }
}

TEST_CASE("client settings: everything that drops or weakens the registration is reported") {
  struct Row {
    std::string before, now;
    const char* says;
  };
  const Row kRows[] = {
      {"{}", R"({"disableAllHooks": true})", "disableAllHooks"},
      {"{}", R"({"model": 5})", "drop the whole file"},
      {"{}", "{", "drop the whole file"},
      {"{}", R"({"a": 1, "a": 2})", "drop the whole file"},
      {Registered(), "{}", "1 of the 1 hook entries that ringfence registered"},
      {Registered(), Registered(R"(, "timeout": 1)"), "gone or changed"},
      {Registered(), Registered("", "Stop"), "is not approved"},
      {"{}", Registered(R"(, "async": true)"), "is asynchronous"},
      {"{}", Registered(R"(, "if": "x")"), "has a condition"},
      {"{}",
       Hooks("PreToolUse", R"({"type": "command", "command": "/tmp/ringfence-hook", "args": [],
                               "onFailure": "block"})"),
       "starts another program"},
      {"{}", Hooks("PreToolUse", R"({"type": "command", "command": "/opt/bin/ringfence-hook"})"),
       "onFailure"},
      {"{}", Hooks("PreToolUse", R"({"type": "command", "command": "/opt/bin/ringfence-hook"})"),
       "by a shell"},
      {"{}", Hooks("Stop", R"({"type": "command", "command": "rm"})"), "not approved"},
      {"{}", R"({"allowManagedHooksOnly": true})", "allowManagedHooksOnly"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.now);
    CHECK(Says(WeakerThan(row.before, row.now), row.says));
  }
}

TEST_CASE("client settings: everything that weakens the client's sandbox is reported") {
  const std::string before =
      R"({"disableSkillShellExecution": true, "allowManagedHooksOnly": true,
          "sandbox": {"enabled": true, "allowUnsandboxedCommands": false,
          "filesystem": {"denyRead": ["~/.ssh"], "allowWrite": ["/a"]},
          "network": {"deniedDomains": ["x.example"]}}})";
  struct Row {
    const char* now;
    const char* says;
  };
  static constexpr Row kRows[] = {
      {"{}", "\"sandbox.enabled\" is gone; it was true"},
      {"{}", "\"disableSkillShellExecution\" is gone"},
      {"{}", "no longer has \"x.example\""},
      {R"({"allowManagedHooksOnly": false})", "\"allowManagedHooksOnly\" is false"},
      {R"({"sandbox": {"enabled": false}})", "\"sandbox.enabled\" is false"},
      {R"({"sandbox": {"allowUnsandboxedCommands": true}})", "allowUnsandboxedCommands\" is true"},
      {R"({"sandbox": {"excludedCommands": ["git *"]}})", "git *"},
      {R"({"sandbox": {"filesystem": {"disabled": true}}})", "filesystem.disabled"},
      {R"({"sandbox": {"filesystem": {"denyRead": []}}})", "no longer has \"~/.ssh\""},
      {R"({"sandbox": {"filesystem": {"allowWrite": ["/a", "/b"]}}})", "has \"/b\""},
      {R"({"sandbox": {"enableWeakerNestedSandbox": true}})", "enableWeakerNestedSandbox"},
      {R"({"sandbox": {"bwrapPath": "/tmp/bwrap"}})", "/tmp/bwrap"},
      {R"({"sandbox": {"ripgrep": {"command": "/tmp/rg"}}})", "/tmp/rg"},
      {R"({"sandbox": {"network": {"httpProxyPort": 8080}}})", "8080"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.now);
    CHECK(Says(WeakerThan(before, row.now), row.says));
    CHECK_FALSE(Says(WeakerThan(before, before), row.says));
  }
}

TEST_CASE(
    "client settings: stronger settings, and those that do not concern ringfence, may change") {
  const std::string before =
      R"({"sandbox": {"enabled": true, "filesystem": {"denyRead": ["~/.ssh"]}}})";
  for (const char* now :
       {R"({"sandbox": {"enabled": true, "filesystem": {"denyRead": ["~/.ssh", "~/.aws"]}}})",
        R"({"sandbox": {"enabled": true, "failIfUnavailable": true,
            "filesystem": {"denyRead": ["~/.ssh"]}}})",
        R"({"model": "x", "env": {"TZ": "UTC"},
            "sandbox": {"enabled": true, "filesystem": {"denyRead": ["~/.ssh"]}}})"}) {
    CAPTURE(now);
    CHECK(WeakerThan(before, now).empty());
  }
}

TEST_CASE("client settings: allowing only managed hooks is fine if ringfence is one of them") {
  std::string now = Registered();
  now.insert(1, R"("allowManagedHooksOnly": true, )");
  CHECK_FALSE(Says(WeakerThan(Registered(), now), "allowManagedHooksOnly"));
}

TEST_CASE("client settings: the user may register by hand, as init does") {
  CHECK(Weakens(Read(Registered()), {}, kProgram).empty());
}

TEST_CASE("client settings: an approved hook may move to another file") {
  const std::string hook = Hooks("Stop", R"({"type": "command", "command": "x"})");
  Approvals approvals;
  approvals.files.push_back(ApprovedAsIs(Read(hook), kProgram));
  ClientSettings moved = Read(hook);
  moved.path = "/home/dev/p/.claude/settings.json";
  CHECK(Weakens(moved, approvals, kProgram).empty());
}

TEST_CASE("client settings: a removed file takes its registration with it") {
  Approvals approvals;
  approvals.files.push_back(ApprovedAsIs(Read(Registered()), kProgram));
  ClientSettings gone;
  gone.path = "/home/dev/.claude/settings.json";
  CHECK(Says(Weakens(gone, approvals, kProgram), "1 of the 1"));
}

}  // namespace
