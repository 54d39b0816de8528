#include "hook/options.h"

#include "base/option_rows.h"

namespace ringfence {

Result<HookOptions> ParseHookOptions(std::span<char* const> arguments) {
  constexpr OptionRow<HookOptions> kRows[] = {
      {"--policy", &HookOptions::policy},
      {"--root", &HookOptions::root},
      {"--home", &HookOptions::home},
      {"--profile", &HookOptions::profile},
      {"--trial", nullptr, &HookOptions::trial},
      {"--plugin", nullptr, &HookOptions::is_plugin},
      {"--help", nullptr, &HookOptions::help},
      {"-h", nullptr, &HookOptions::help},
      {"--version", nullptr, &HookOptions::version},
      {"-V", nullptr, &HookOptions::version},
  };
  HookOptions options;
  while (!arguments.empty()) {
    std::string wrong = TakeOption<HookOptions>(arguments, kRows, options);
    if (wrong.empty()) continue;
    return UsageError("command line", std::move(wrong),
                      "run: ringfence-hook --help, or register it again with: ringfence init");
  }
  return options;
}

std::string HookHelp() {
  return "ringfence-hook " RINGFENCE_VERSION
         ": decides the tool calls of a coding agent by a policy\n"
         "\n"
         "Usage: ringfence-hook [--policy FILE] [--root DIR] [--home DIR] [--profile NAME]\n"
         "                      [--trial] [--plugin] < EVENT\n"
         "\n"
         "  --policy FILE   use this policy instead of the user's and the project's\n"
         "  --root DIR      the project (default: CLAUDE_PROJECT_DIR)\n"
         "  --home DIR      the home directory, \"~\" in a policy (default: HOME; if the two\n"
         "                  differ, both count)\n"
         "  --profile NAME  use this profile of the policy\n"
         "  --trial         decide, but leave nothing behind: no audit log, no alerts\n"
         "  --plugin        started by the plugin for Claude Code: also answers its commands\n"
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
