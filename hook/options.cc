#include "hook/options.h"

#include <string_view>

#include "base/text.h"

namespace ringfence {
namespace {

struct Option {
  std::string_view name;
  std::string HookOptions::*value;
};
constexpr Option kOptions[] = {
    {"--policy", &HookOptions::policy},
    {"--root", &HookOptions::root},
    {"--home", &HookOptions::home},
    {"--profile", &HookOptions::profile},
};

Error Wrong(std::string what) {
  return Error{Error::Kind::kUsage, "command line", std::move(what),
               "run: ringfence-hook --help, or register it again with: ringfence init"};
}

const Option* Find(std::string_view name) {
  for (const Option& option : kOptions) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

}  // namespace

Result<HookOptions> ParseHookOptions(std::span<char* const> arguments) {
  HookOptions options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (word == "--help" || word == "-h") {
      options.help = true;
      continue;
    }
    if (word == "--version") {
      options.version = true;
      continue;
    }
    const size_t equals = word.find('=');
    const Option* option = Find(word.substr(0, equals));
    if (option == nullptr) return Wrong(Quote(word) + " is not an option");
    std::string_view value;
    if (equals != std::string_view::npos) {
      value = word.substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      value = arguments[++i];
    }
    if (value.empty()) return Wrong(std::string(option->name) + " needs a value");
    if (!(options.*option->value).empty()) {
      return Wrong(std::string(option->name) + " is given twice");
    }
    options.*option->value = std::string(value);
  }
  return options;
}

std::string HookHelp() {
  return "ringfence-hook " RINGFENCE_VERSION
         ": answers the hook events of a coding agent from a policy\n"
         "\n"
         "usage: ringfence-hook [--policy FILE] [--root DIR] [--home DIR] [--profile NAME] < "
         "EVENT\n"
         "\n"
         "  --policy FILE   this policy instead of the user's and the project's\n"
         "  --root DIR      the project (default: CLAUDE_PROJECT_DIR)\n"
         "  --home DIR      what \"~\" means (default: HOME; where both differ, both count)\n"
         "  --profile NAME  the policy's profile of that name\n"
         "\n"
         "The client starts it; `ringfence init` registers it. It reads one JSON event and prints "
         "one\n"
         "JSON answer or nothing. Exit status: 0 answered, 2 refused with the reason on stderr.\n"
         "Try it: echo "
         "'{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Read\",\"cwd\":\"/tmp/p\",\n"
         "  \"tool_input\":{\"file_path\":\"/etc/shadow\"}}' | ringfence-hook --root /tmp/p\n"
         "See ringfence-hook(1) and ringfence-policy(5).\n";
}

}  // namespace ringfence
