// Settings by which the client, or a program that it starts, runs something else.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "policy/client_settings.h"
#include "policy/client_settings_keys.h"

namespace ringfence {
namespace {

constexpr const char* kProgram = "/opt/bin/ringfence-hook";

ClientSettings Read(std::string text) {
  return ParseClientSettings(std::move(text), "settings.json", "/home/dev/.claude/settings.json");
}

std::vector<std::string> WeakerThan(const std::string& before, const std::string& now) {
  Approvals approvals;
  approvals.files.push_back(ApprovedAsIs(Read(before), kProgram));
  const Result<Approvals> kept = ParseApprovals(RenderApprovals(approvals), "approvals.json");
  REQUIRE(kept.has_value());
  CHECK(*kept == approvals);
  return Weakens(Read(now), *kept, kProgram);
}

bool Says(const std::vector<std::string>& sentences, std::string_view part) {
  return std::ranges::any_of(sentences, [&](const std::string& sentence) {
    return sentence.find(part) != std::string::npos;
  });
}

TEST_CASE("client settings: a new command is reported under any key, an approved one is not") {
  struct Row {
    const char* now;
    const char* says;
  };
  static constexpr Row kRows[] = {
      {R"({"apiKeyHelper": "/tmp/x"})", "apiKeyHelper"},
      {R"({"proxyAuthHelper": "/tmp/x"})", "proxyAuthHelper"},
      {R"({"gcpAuthRefresh": "/tmp/x"})", "gcpAuthRefresh"},
      {R"({"processWrapper": "/tmp/x"})", "processWrapper"},
      {R"({"policyHelper": {"path": "/tmp/x"}})", "policyHelper"},
      {R"({"sshHostCommands": [{"id": "a", "command": "/tmp/x"}]})", "command=/tmp/x"},
      {R"({"subagentStatusLine": {"type": "command", "command": "/tmp/x"}})",
       "subagentStatusLine.command"},
      {R"({"statusLine": {"type": "command", "command": "/tmp/x"}})", "statusLine.command"},
      {R"({"enabledPlugins": {"a@b": true}})", "a@b=true"},
      {R"({"enabledPlugins": {"a@b": ["1.0"]}})", "a@b=1.0"},
      {R"({"extraKnownMarketplaces": {"m": {"source": {"source": "command", "command": "x"}}}})",
       "m/source/command=x"},
      {R"({"enableAllProjectMcpServers": true})", "enableAllProjectMcpServers"},
      {R"({"enabledMcpjsonServers": ["x"]})", "enabledMcpjsonServers"},
      {R"({"env": {"BASH_ENV": "/tmp/x"}})", "env.BASH_ENV"},
      {R"({"env": {"LD_PRELOAD": "/tmp/x.so"}})", "env.LD_PRELOAD"},
      {R"({"env": {"PATH": "/tmp/x:/usr/bin"}})", "env.PATH"},
      {R"({"env": {"GIT_CONFIG_COUNT": "1"}})", "env.GIT_CONFIG_COUNT"},
      {R"({"env": {"GIT_SSH_COMMAND": "x"}})", "env.GIT_SSH_COMMAND"},
      {R"({"env": {"BASH_FUNC_ls%%": "() { x; }"}})", "env.BASH_FUNC_ls%%"},
      {R"({"env": {"NODE_OPTIONS": "--max-old-space-size=4096 --require /tmp/x"}})",
       "NODE_OPTIONS"},
      {R"({"env": {"NODE_OPTIONS": "--no-warnings-but-load=/tmp/x"}})", "NODE_OPTIONS"},
      // The client makes a string of every value, so that each of these is one.
      {R"({"env": {"BASH_ENV": true}})", "env.BASH_ENV"},
      {R"({"env": {"BASH_ENV": false}})", "env.BASH_ENV"},
      {R"({"env": {"BASH_ENV": null}})", "env.BASH_ENV"},
      {R"({"env": {"BASH_ENV": 1}})", "env.BASH_ENV"},
      {R"({"env": {"BASH_ENV": ["/tmp/x"]}})", "env.BASH_ENV"},
      {R"({"env": {"CLAUDE_CODE_SIMPLE": true}})", "CLAUDE_CODE_SIMPLE"},
      {R"({"env": {"JAVA_TOOL_OPTIONS": "-javaagent:/tmp/x"}})", "JAVA_TOOL_OPTIONS"},
      {R"({"env": {"EDITOR": "/tmp/x"}})", "env.EDITOR"},
      {R"({"env": {"PAGER": "sh"}})", "env.PAGER"},
      {R"({"env": {"PYTHONSTARTUP": "/tmp/x"}})", "env.PYTHONSTARTUP"},
      {R"({"env": {"CLAUDE_CODE_SHELL_PREFIX": "/tmp/x"}})", "CLAUDE_CODE_SHELL_PREFIX"},
      {R"({"env": {"CLAUDE_CODE_SIMPLE": "1"}})", "CLAUDE_CODE_SIMPLE"},
      {R"({"env": {"CLAUDE_CODE_EXPERIMENTAL_CODE_MODE": "1"}})", "CODE_MODE"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.now);
    const std::vector<std::string> said = WeakerThan("{}", row.now);
    REQUIRE(said.size() >= 1);
    CHECK(Says(said, row.says));
    CHECK(WeakerThan(row.now, row.now).empty());
    CHECK(WeakerThan(row.now, "{}").size() <= 1);
  }
  for (const char* type :
       {R"("http", "url": "https://x.example")", R"("prompt", "prompt": "x")",
        R"("agent", "prompt": "x")", R"("mcp_tool", "server": "a", "tool": "b")"}) {
    CAPTURE(type);
    const std::string now =
        R"({"hooks": {"PreToolUse": [{"hooks": [{"type": )" + std::string(type) + "}]}]}}";
    CHECK_FALSE(WeakerThan("{}", now).empty());
  }
}

TEST_CASE("client settings: ordinary variables and switches say nothing") {
  for (const char* now :
       {R"({"env": {"EDITOR": "vim", "PAGER": "less -R", "GIT_PAGER": "cat", "CC": "clang"}})",
        R"({"env": {"NODE_OPTIONS": "--max-old-space-size=4096", "MAVEN_OPTS": "-Xmx2g -Xss4m"}})",
        R"({"env": {"NODE_OPTIONS": "--no-warnings  --dns-result-order=ipv4first"}})",
        R"({"env": {"JAVA_OPTS": "-Dfile.encoding=UTF-8", "EDITOR": true, "DEBUG": true}})",
        R"({"env": {"NODE_ENV": "test", "DEBUG": "1", "PYTHONUNBUFFERED": "1", "LANG": "C"}})",
        R"({"env": {"BASH_DEFAULT_TIMEOUT_MS": "600000", "MAKEFLAGS": "-j8", "GOFLAGS": "-v"}})",
        R"({"env": {"GIT_AUTHOR_NAME": "x", "PIP_INDEX_URL": "https://x.example"}})",
        R"({"enabledPlugins": {"a@b": false}, "theme": "dark", "model": "x"})"}) {
    CAPTURE(now);
    CHECK(WeakerThan("{}", now).empty());
  }
}

}  // namespace
}  // namespace ringfence
