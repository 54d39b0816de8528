#include "cli/command_line/options.h"

#include <doctest/doctest.h>

#include <CLI/CLI.hpp>
#include <string>

#include "agents/claude/setup/mcp_servers.h"
#include "cli/command_line/completion.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

struct Declared {
  CLI::App app{"", "ringfence"};
  Action chosen;
  Declared() { DeclareCommandLine(app, chosen); }
};

TEST_CASE("options: every command has help with an example") {
  Declared declared;
  const auto commands = ShownCommands(declared.app);
  CHECK(commands.size() >= 5);
  for (const CLI::App* command : commands) {
    CAPTURE(command->get_name());
    CHECK_FALSE(command->get_description().empty());
    CHECK(command->get_footer().find("ringfence " + command->get_name()) != std::string::npos);
    for (const CLI::Option* option : command->get_options()) {
      CAPTURE(option->get_name());
      CHECK_FALSE(option->get_description().empty());
    }
  }
}

TEST_CASE("options: a second layer is a usage error") {
  Declared declared;
  CHECK_THROWS_AS(declared.app.parse("init --user --local"), CLI::ParseError);
  Declared once;
  CHECK_NOTHROW(once.app.parse("init --local"));
  CHECK(static_cast<bool>(once.chosen));
}

TEST_CASE("completion: each shell's script knows every command and option") {
  Declared declared;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    CAPTURE(shell);
    const std::string script = CompletionScript(declared.app, shell);
    for (const CLI::App* command : ShownCommands(declared.app)) {
      CAPTURE(command->get_name());
      CHECK(script.find(command->get_name()) != std::string::npos);
      for (const CLI::App* below : ShownCommands(*command)) {
        CAPTURE(below->get_name());
        CHECK(script.find(below->get_name()) != std::string::npos);
        for (const CLI::Option* option : below->get_options()) {
          if (!option->get_lnames().empty()) {
            CHECK(script.find(option->get_lnames().front()) != std::string::npos);
          }
        }
      }
    }
    CHECK(script.find("no-client-sandbox") != std::string::npos);
  }
}

TEST_CASE("mcp servers: every file that configures a server is read") {
  const TemporaryTree tree;
  tree.File("p/.mcp.json", R"({"mcpServers": {"from project": {}}})");
  tree.File("h/.claude.json",
            R"({"mcpServers": {"user": {}}, "projects": {")" + tree.At("p") +
                R"(": {"mcpServers": {"local": {}}}, "/other": {"mcpServers": {"no": {}}}}})");
  tree.File("p/.claude/settings.local.json", R"({"enabledMcpjsonServers": ["enabled"]})");
  tree.File("h/.claude/settings.json", "no JSON");
  const Registration where{.project_dir = tree.At("p"), .home = tree.At("h")};
  CHECK(ConfiguredMcpServers(where) ==
        std::vector<std::string>{"enabled", "from_project", "local", "user"});
}

}  // namespace
