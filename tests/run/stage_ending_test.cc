#include "run/stage_ending.h"

#include <doctest/doctest.h>

#include "tests/support/plan_world.h"

using namespace ringfence;

namespace {

struct EndingWorld {
  // "automatic", "alone" or both: what is planned for "npm install".
  std::string Ending(bool can_ask = false) {
    world.User(std::string(R"("stage":{"commands":)") + commands + "}");
    world.files.Put("/usr/bin/npm", File().Mode(0755));
    RunRequest request{};
    request.policy = world.Merged(Event());
    request.context.places = world.places;
    request.command.argv = {"npm", "install"};
    request.command.cwd = "/home/dev/project";
    request.command.environment = environment;
    request.command.is_agent = is_agent;
    const CachedFiles files(world.files);
    const StageEnding ending = PlanEnding(options, request, files, can_ask);
    why_not = ending.why_not;
    return std::string(ending.automatic) + (ending.works_alone ? " alone" : "");
  }

  World world;
  std::string commands = "{}";
  std::vector<std::string> environment = {"PATH=/usr/bin"};
  RunOptions options;
  bool is_agent = false;
  std::string why_not;
};

constexpr const char* kTrusted = R"({"trusted":["npm install *"]})";

}  // namespace

TEST_CASE("stage ending: the policy decides about a command of the user's") {
  struct Row {
    const char* commands;
    std::string_view want;
  };
  static constexpr Row kRows[] = {
      {"{}", ""},
      {kTrusted, "trusted alone"},
      {R"({"trusted":["npm install *"],"auto_apply_trusted":false})", ""},
      {R"({"auto_apply":true})", "all alone"},
      {R"({"trusted":["npm ci"]})", ""},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.commands);
    EndingWorld ending;
    ending.commands = row.commands;
    CHECK(ending.Ending() == row.want);
    CHECK(ending.why_not == "");
  }
}

TEST_CASE("stage ending: a program in reach of commands is not trusted, with the reason") {
  EndingWorld ending;
  ending.commands = kTrusted;
  ending.environment = {"PATH=/home/dev/project/bin:/usr/bin"};
  CHECK(ending.Ending() == "");
  CHECK(ending.why_not.find("/home/dev/project/bin/npm") != std::string::npos);
}

TEST_CASE("stage ending: agents and their commands are never trusted") {
  for (const char* commands : {kTrusted, R"({"auto_apply":true})"}) {
    EndingWorld agent;
    agent.commands = commands;
    agent.is_agent = true;
    CHECK(agent.Ending(true) == "");
    EndingWorld of_agent;
    of_agent.commands = commands;
    of_agent.environment.emplace_back("CLAUDECODE=1");
    CHECK(of_agent.Ending(true) == "");
  }
}

TEST_CASE("stage ending: options go before the policy") {
  for (bool RunOptions::*option : {&RunOptions::keep, &RunOptions::discard}) {
    EndingWorld ending;
    ending.commands = R"({"auto_apply":true})";
    ending.options.*option = true;
    CHECK(ending.Ending(true) == "");
  }
  EndingWorld ending;
  ending.options.apply = true;
  CHECK(ending.Ending() == " alone");
}

TEST_CASE("stage ending: a command works alone if the user is going to be asked") {
  EndingWorld ending;
  CHECK(ending.Ending(true) == " alone");
  ending.options.json = true;
  CHECK(ending.Ending(true) == "");
}
