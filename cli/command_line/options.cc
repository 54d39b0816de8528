#include "cli/command_line/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "base/text.h"
#include "cli/command_line/usage.h"
#include "cli/command_line/version.h"
#include "run/messages.h"

namespace ringfence {
namespace {

struct CommandEntry {
  std::string_view name;
  void (*add)(Command&, Action&);
};

// In the order of --help.
// clang-format off
constexpr CommandEntry kCommands[] = {
    {"run", AddRun},
    {"stage", AddStage},
    {"init", AddInit},
    {"install", AddInstall},
    {"uninstall", AddUninstall},
    {"allow", AddAllow},
    {"revoke", AddRevoke},
    {"trust", AddTrust},
    {"explain", AddExplain},
    {"check", AddCheck},
    {"audit", AddAudit},
    {"log", AddLog},
    {"proxy", AddProxy},
    {"doctor", AddDoctor},
    {"replay", AddReplay},
    {"settings", AddSettings},
    {"layout", AddLayout},
    {"prompt", AddPrompt},
    {"answer", AddAnswer},
    {"completion", AddCompletion},
    {"help", AddHelp},
    {"manual", AddManual},
};
// clang-format on

constexpr const char* kMainExamples = R"(Examples:
  ringfence init                       register the hook for all your projects
  ringfence init --local               register it for this project only
  ringfence allow --read ~/src/shared  allow one more directory to be read
  ringfence explain Write /etc/hosts   say why a call is allowed or refused
  ringfence help allow                 the options of a command

Exit status: 0 success, 1 a negative result (denied, not changed, differs), 2 wrong usage or
invalid input.)";

}  // namespace

void AddCommonOptions(Command& command, Registration& given, bool& json) {
  command.AddOption("--home DIR", given.home, "The home directory, instead of HOME");
  command.AddFlag("--json", json, "Print the result as JSON");
}

void AddContextOptions(Command& command, Registration& given, bool& json) {
  AddCommonOptions(command, given, json);
  command.AddOption("--root DIR", given.root,
                    "The project (default: around the current directory)");
  command.AddOption("--policy FILE", given.policy,
                    "Use this policy instead of the user's and the project's");
  command.AddOption("--profile NAME", given.profile, "Use this profile of the policy");
}

SettingsLayer LayerOptions::layer() const {
  if (project) return SettingsLayer::kProject;
  if (local) return SettingsLayer::kLocal;
  return managed ? SettingsLayer::kManaged : SettingsLayer::kUser;
}

void AddLayerOptions(Command& command, LayerOptions& layers) {
  const auto add = [&](const std::string& name, bool& given, const std::string& what) {
    command.app().add_flag(name, given, what)->group("Settings file (one of)");
  };
  add("--user", layers.user, "~/.claude/settings.json: all your projects (default)");
  add("--project", layers.project, ".claude/settings.json: all who work on the project");
  add("--local", layers.local, ".claude/settings.local.json: only you, in this project");
  add("--managed", layers.managed, "the managed settings of this machine: all users");
  command.OnParsed([&layers] {
    const std::pair<bool, const char*> names[] = {{layers.user, "--user"},
                                                  {layers.project, "--project"},
                                                  {layers.local, "--local"},
                                                  {layers.managed, "--managed"}};
    std::string given;
    int count = 0;
    for (const auto& [is_given, name] : names) {
      if (is_given) given += (count++ == 0 ? "" : " and ") + std::string(name);
    }
    if (count > 1) RefuseUsage(given + " exclude each other: name one settings file");
  });
}

void DeclareCommandLine(CLI::App& app, Action& chosen, std::string_view only) {
  app.name("ringfence");
  app.description("Sets up, changes and explains the policy that says what a coding agent may do.");
  const auto as_json = std::make_shared<bool>(false);
  app.add_flag("--json", *as_json, "With --version: also the commit and the libraries, as JSON");
  const auto version = [as_json] {
    return *as_json ? VersionJson() : std::string("ringfence " RINGFENCE_VERSION);
  };
  app.set_version_flag("-V,--version", version, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.footer(kMainExamples);
  app.require_subcommand(1);
  Command program(app);
  for (const CommandEntry& command : kCommands) {
    if (only.empty() || command.name == only) command.add(program, chosen);
  }
}

namespace {

// CLI11 would put the words on both sides of "--" into the same list, so words after "--" do not go
// through CLI11 if the command has an option for them.
void Parse(CLI::App& app, std::span<char*> words) {
  const bool takes_command = words.size() > 1 && std::string_view(words[1]) == "layout";
  const auto end = takes_command ? std::ranges::find(words, std::string_view("--")) : words.end();
  for (const std::string_view word :
       std::span(words.begin(), takes_command ? end : words.begin())) {
    // CLI11 would parse the word as a list of words.
    if (word.starts_with('[') && word.ends_with(']')) {
      throw CLI::ValidationError(Quote(word) + " is in brackets, which is not allowed here");
    }
  }
  app.parse(static_cast<int>(end - words.begin()), words.data());
  if (end == words.end()) return;
  CLI::Option* option = app.get_subcommand(words[1])->get_option(kCommandOption);
  for (const char* word : std::span(end + 1, words.end())) option->add_result(word);
}

// Returns the first option that ends with "=", which would take the next word as its value.
std::string_view OptionWithoutValue(std::span<char* const> words) {
  for (const std::string_view word : words) {
    if (word == "--") break;
    if (word.starts_with("--") && word.find('=') == word.size() - 1) return word;
  }
  return {};
}

}  // namespace

int RunCommandLine(int argc, char** argv) {
  CLI::App app;
  Action chosen;
  // `ringfence run` declares only its own options, so that the sandbox starts faster.
  const std::string_view first = argc > 1 ? argv[1] : "";
  const std::string_view empty = OptionWithoutValue({argv, static_cast<size_t>(argc)});
  if (!empty.empty()) {
    PrintError(UsageError(std::string(empty.substr(0, empty.size() - 1)), "is empty",
                          "write a value after the \"=\", or leave the option out"));
    return 2;
  }
  DeclareCommandLine(app, chosen, first == "run" ? first : "");
  try {
    Parse(app, {argv, static_cast<size_t>(argc)});
  } catch (const CLI::Success& success) {
    if (app.remaining().empty()) return app.exit(success);
    PrintError(CommandLineError(app, success));
    return 2;
  } catch (const CLI::ParseError& error) {
    PrintError(CommandLineError(app, error));
    return 2;
  }
  const Outcome outcome = chosen();
  std::fflush(stdout);  // if both go to one pipe, the output comes before the error
  if (outcome.error) PrintError(*outcome.error);
  return outcome.status;
}

}  // namespace ringfence
