#include "hook/plugin_command.h"

#include "base/program.h"
#include "policy/agent.h"
#include "policy/rules/word_list.h"

namespace ringfence {
namespace {

constexpr std::string_view kPluginPrefix = "ringfence:";
constexpr WordList kOwnCommands("explain\nallow\ndoctor\n");

}  // namespace

bool IsPluginCommand(const SlashCommand& command) {
  return command.name.starts_with(kPluginPrefix) &&
         kOwnCommands.Contains(std::string_view(command.name).substr(kPluginPrefix.size()));
}

Result<std::vector<std::string>> AnswerOf(const SlashCommand& command,
                                          const Registration& registration) {
  if (command.is_cut) {
    return UsageError("", "the text after /" + command.name + " is too long", "shorten it");
  }
  const Result<std::string> program = ProgramBeside("ringfence");
  if (!program) return program.error();
  std::vector<std::string> words{*program, "answer", "--",
                                 command.name.substr(kPluginPrefix.size()),
                                 registration.project_dir};
  if (!command.arguments.empty()) words.push_back(command.arguments);
  return words;
}

std::vector<std::string> AnswerEnvironment(const Registration& registration) {
  std::vector<std::string> environment{"PATH=/usr/local/bin:/usr/bin:/bin"};
  if (!registration.home_variable.empty()) {
    environment.push_back("HOME=" + registration.home_variable);
  }
  if (!registration.config_dir.empty()) {
    environment.push_back(registration.agent->variables.settings + ("=" + registration.config_dir));
  }
  return environment;
}

}  // namespace ringfence
