#include "run/options.h"

namespace ringfence {
namespace {

constexpr std::string_view kModes[] = {"sandbox", "rx", "rwx"};
constexpr std::string_view kLayers[] = {"full", "landlock"};

constexpr RunOption kOptions[] = {
    {"--home", &RunOptions::home},
    {"--root", &RunOptions::root},
    {"--policy", &RunOptions::policy},
    {"--profile", &RunOptions::profile},
    {"--mode", &RunOptions::mode, nullptr, kModes},
    {"--layers", &RunOptions::layers, nullptr, kLayers},
    {"--chdir", &RunOptions::chdir},
    {"--session", &RunOptions::session},
    {"--write", &RunOptions::write},
    {"--report", &RunOptions::report},
    {"--agent", nullptr, &RunOptions::is_agent},
    {"--no-sandbox", nullptr, &RunOptions::no_sandbox},
    {"--trial", nullptr, &RunOptions::trial},
};

}  // namespace

std::span<const RunOption> RunOptionTable() { return kOptions; }

std::optional<RunOptions> ReadRunLine(std::span<char* const> words) {
  RunOptions options;
  while (!words.empty() && std::string_view(words.front()) != "--") {
    if (!TakeOption<RunOptions>(words, kOptions, options).empty()) return std::nullopt;
  }
  if (words.size() < 2) return std::nullopt;
  options.command.assign(words.begin() + 1, words.end());
  return options;
}

}  // namespace ringfence
