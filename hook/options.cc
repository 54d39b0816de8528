#include "hook/options.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/contains.h"
#include "base/text.h"

namespace ringfence {
namespace {

struct Option {
  std::string_view name;
  std::string HookOptions::*value;
};
constexpr Option kHookOptions[] = {
    {"--policy", &HookOptions::policy},
    {"--root", &HookOptions::root},
    {"--home", &HookOptions::home},
    {"--profile", &HookOptions::profile},
};

Error WrongOption(std::string what) {
  return UsageError("command line", std::move(what),
                    "run: ringfence-hook --help, or register it again with: ringfence init");
}

bool* FlagNamed(std::string_view word, HookOptions& options) {
  if (word == "--help" || word == "-h") return &options.help;
  if (word == "--version" || word == "-V") return &options.version;
  return word == "--trial" ? &options.trial : nullptr;
}

Error Unknown(std::string_view word) {
  constexpr std::string_view kFlags[] = {"--help", "--version", "--trial"};
  if (Contains(kFlags, word)) return WrongOption(std::string(word) + " takes no value");
  constexpr std::string_view kNames[] = {"--policy", "--root",    "--home", "--profile",
                                         "--help",   "--version", "--trial"};
  return WrongOption(Quote(word) + " is not an option" + DidYouMean(Nearest(word, kNames)));
}

}  // namespace

Result<HookOptions> ParseHookOptions(std::span<char* const> arguments) {
  HookOptions options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (bool* flag = FlagNamed(word, options)) {
      *flag = true;
      continue;
    }
    const size_t equals = word.find('=');
    const Option* option = std::ranges::find(kHookOptions, word.substr(0, equals), &Option::name);
    if (option == std::end(kHookOptions)) return Unknown(word.substr(0, equals));
    std::string_view value;
    if (equals != std::string_view::npos) {
      value = word.substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      value = arguments[++i];
    }
    if (value.empty()) return WrongOption(std::string(option->name) + " needs a value");
    if (!(options.*option->value).empty()) {
      return WrongOption(std::string(option->name) + " is given twice");
    }
    options.*option->value = std::string(value);
  }
  return options;
}

std::string HookHelp() {
  return "ringfence-hook " RINGFENCE_VERSION
         ": decides the tool calls of a coding agent by a policy\n"
         "\n"
         "Usage: ringfence-hook [--policy FILE] [--root DIR] [--home DIR] [--profile NAME]\n"
         "                      [--trial] < EVENT\n"
         "\n"
         "  --policy FILE   use this policy instead of the user's and the project's\n"
         "  --root DIR      the project (default: CLAUDE_PROJECT_DIR)\n"
         "  --home DIR      the home directory, \"~\" in a policy (default: HOME; if the two\n"
         "                  differ, both count)\n"
         "  --profile NAME  use this profile of the policy\n"
         "  --trial         decide, but leave nothing behind: no audit log, no alerts\n"
         "  -h, --help      print this help and exit\n"
         "  -V, --version   print the version and exit\n"
         "\n"
         "Claude Code starts this program for each event; `ringfence init` registers it. It reads\n"
         "one JSON event from standard input and prints one JSON answer, or nothing.\n"
         "Exit status: 0 answered, 2 refused, with the reason on standard error.\n"
         "\n"
         "Example:\n"
         "  echo '{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Read\",\"cwd\":\"/tmp/p\",\n"
         "    \"tool_input\":{\"file_path\":\"/etc/shadow\"}}' | ringfence-hook --root /tmp/p\n"
         "\n"
         "See ringfence-hook(1) and ringfence-policy(5).\n";
}

}  // namespace ringfence
