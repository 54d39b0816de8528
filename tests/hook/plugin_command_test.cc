// The commands of the plugin, which the hook answers.
#include "hook/plugin_command.h"

#include <doctest/doctest.h>

#include "agents/claude/agent.h"

using namespace ringfence;

TEST_CASE("plugin command: only the plugin's own commands are answered") {
  for (const char* name : {"ringfence:explain", "ringfence:allow", "ringfence:doctor"}) {
    CAPTURE(name);
    CHECK(IsPluginCommand({.name = name}));
  }
  for (const char* name : {"ringfence:", "ringfence:init", "explain", "other:explain", ""}) {
    CAPTURE(name);
    CHECK_FALSE(IsPluginCommand({.name = name}));
  }
}

TEST_CASE("plugin command: the program beside the hook answers, with the text as one argument") {
  Registration registration{.agent = &ClaudeCode()};
  registration.project_dir = "/p";
  const auto words = AnswerOf({"ringfence:explain", "Read '; x", false}, registration);
  REQUIRE(words.has_value());
  CHECK(words->front().ends_with("/ringfence"));
  CHECK(std::vector(words->begin() + 1, words->end()) ==
        std::vector<std::string>{"answer", "--", "explain", "/p", "Read '; x"});
  const auto bare = AnswerOf({"ringfence:doctor", "", false}, registration);
  REQUIRE(bare.has_value());
  CHECK(bare->back() == "/p");
  CHECK_FALSE(AnswerOf({"ringfence:explain", "x", true}, registration).has_value());
}

TEST_CASE("plugin command: the program gets no PATH of the client") {
  Registration registration{.agent = &ClaudeCode()};
  CHECK(AnswerEnvironment(registration) ==
        std::vector<std::string>{"PATH=/usr/local/bin:/usr/bin:/bin"});
  registration.home_variable = "/h";
  registration.config_dir = "/h/cc";
  CHECK(AnswerEnvironment(registration) ==
        std::vector<std::string>{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/h",
                                 "CLAUDE_CONFIG_DIR=/h/cc"});
}
