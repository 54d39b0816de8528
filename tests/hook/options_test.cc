// The hook's command line, which another program writes: the parser guesses nothing.
#include "hook/options.h"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

using namespace ringfence;

namespace {

// "policy|root|home|profile|", followed by "help" or "version", or "! " and the reason.
std::string Parsed(const std::vector<std::string>& words) {
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  arguments.reserve(copies.size());
  for (std::string& word : copies) arguments.push_back(word.data());
  const Result<HookOptions> options = ParseHookOptions(arguments);
  if (!options) {
    CHECK(options.error().kind == Error::Kind::kUsage);
    CHECK(!options.error().hint.empty());
    return "! " + options.error().what;
  }
  return options->policy + "|" + options->root + "|" + options->home + "|" + options->profile +
         "|" + (options->help ? "help" : "") + (options->version ? "version" : "") +
         (options->trial ? "trial" : "") + (options->is_plugin ? "plugin" : "");
}

}  // namespace

TEST_CASE("options: of the hook") {
  struct Row {
    std::string_view name;
    std::vector<std::string> words;
    std::string_view want;
  };
  const Row rows[] = {
      {"none", {}, "||||"},
      {"all", {"--policy", "p", "--root", "r", "--home", "h", "--profile", "x"}, "p|r|h|x|"},
      {"with =", {"--policy=p", "--root=a=b"}, "p|a=b|||"},
      {"help", {"--help"}, "||||help"},
      {"help, short", {"-h"}, "||||help"},
      {"version", {"--version"}, "||||version"},
      {"version, short", {"-V"}, "||||version"},
      {"a trial", {"--trial", "--root", "r"}, "|r|||trial"},
      {"of the plugin", {"--plugin"}, "||||plugin"},
      {"a trial with a value", {"--trial=1"}, "! --trial takes no value"},
      {"a value that looks like an option", {"--root", "--help"}, "! --root needs a value"},
      {"an unknown option",
       {"--polcy", "p"},
       "! \"--polcy\" is not an option; did you mean \"--policy\"?"},
      {"a beginning of an option", {"--pol=p"}, "! \"--pol\" is not an option"},
      {"a word", {"p"}, "! \"p\" is not an option"},
      {"an empty word", {""}, "! \"\" is not an option"},
      {"no value", {"--policy"}, "! --policy needs a value"},
      {"an empty value", {"--policy", ""}, "! --policy needs a value"},
      {"an empty value with =", {"--home="}, "! --home needs a value"},
      {"twice", {"--root", "a", "--root=b"}, "! --root is given twice"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(Parsed(row.words) == row.want);
  }
}

TEST_CASE("options: the help names every option") {
  const std::string help = HookHelp();
  for (const std::string_view option : {"--policy", "--root", "--home", "--profile"}) {
    CAPTURE(option);
    CHECK(help.find(option) != std::string::npos);
  }
}
