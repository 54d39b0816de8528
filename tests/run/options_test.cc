#include "cli/command_line/options.h"

#include <doctest/doctest.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "run/options.h"

using namespace ringfence;

namespace {

std::optional<RunOptions> Read(std::vector<std::string> words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size());
  for (std::string& word : words) pointers.push_back(word.data());
  return ReadRunLine(pointers);
}

}  // namespace

TEST_CASE("run options: valid command lines are parsed") {
  const std::optional<RunOptions> read = Read({"--mode",
                                               "rx",
                                               "--layers=landlock",
                                               "--root",
                                               "/p",
                                               "--home=/h",
                                               "--policy",
                                               "a.json",
                                               "--profile",
                                               "x",
                                               "--chdir",
                                               "sub",
                                               "--session",
                                               "s-1",
                                               "--agent",
                                               "--no-sandbox",
                                               "--",
                                               "ls",
                                               "--",
                                               "--mode"});
  REQUIRE(read);
  CHECK(read->mode == "rx");
  CHECK(read->layers == "landlock");
  CHECK(read->root == "/p");
  CHECK(read->home == "/h");
  CHECK(read->policy == "a.json");
  CHECK(read->profile == "x");
  CHECK(read->chdir == "sub");
  CHECK(read->session == "s-1");
  CHECK(read->is_agent);
  CHECK(read->no_sandbox);
  CHECK(read->command == std::vector<std::string>{"ls", "--", "--mode"});
  CHECK(Read({"--", "ls"})->command == std::vector<std::string>{"ls"});
}

TEST_CASE("run options: other command lines are left to the complete program") {
  const std::vector<std::vector<std::string>> lines{
      {},
      {"--"},
      {"ls"},
      {"ls", "-l"},
      {"--help"},
      {"--dry-run", "--", "ls"},
      {"--json", "--", "ls"},
      {"--for", "macos", "--", "ls"},
      {"--mode", "other", "--", "ls"},
      {"--mode=", "--", "ls"},
      {"--mode", "--", "ls"},
      {"--mode"},
      {"--mode", "rx", "--mode", "rx", "--", "ls"},
      {"--layers", "none", "--", "ls"},
      {"--agent=yes", "--", "ls"},
      {"--agent", "--agent", "--", "ls"},
      {"--root", "", "--", "ls"},
      {"--roo", "/p", "--", "ls"},
      {"--root", "-x", "--", "ls"},
  };
  for (const std::vector<std::string>& line : lines) {
    std::string all;
    for (const std::string& word : line) all += word + " ";
    CAPTURE(all);
    CHECK_FALSE(Read(line));
  }
}

TEST_CASE("run options: the fast parser knows the options that the complete program declares") {
  CLI::App app{"", "ringfence"};
  Action chosen;
  DeclareCommandLine(app, chosen, "run");
  const CLI::App* run = app.get_subcommand("run");
  std::set<std::string> declared;
  for (const CLI::Option* option : run->get_options()) {
    if (!option->get_lnames().empty()) declared.insert("--" + option->get_lnames().front());
  }
  std::set<std::string> known{"--help", "--dry-run", "--json", "--for"};  // not parsed here
  for (const RunOption& option : RunOptionTable()) {
    known.emplace(option.name);
    const CLI::Option* same = run->get_option(std::string(option.name));
    CAPTURE(option.name);
    CHECK((option.flag != nullptr) == (same->get_items_expected_max() == 0));
  }
  CHECK(declared == known);
}

TEST_CASE("run options: the complete program accepts every value of the fast parser") {
  for (const RunOption& option : RunOptionTable()) {
    for (const std::string_view value : option.values) {
      CLI::App app{"", "ringfence"};
      Action chosen;
      DeclareCommandLine(app, chosen, "run");
      CAPTURE(option.name);
      CAPTURE(value);
      std::vector<std::string> reversed{"ls", "--", std::string(value), std::string(option.name),
                                        "run"};
      CHECK_NOTHROW(app.parse(reversed));
    }
  }
}
