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
    {"--stage", nullptr, &RunOptions::stage},
    {"--apply", nullptr, &RunOptions::apply},
    {"--discard", nullptr, &RunOptions::discard},
    {"--keep", nullptr, &RunOptions::keep},
    {"--json", nullptr, &RunOptions::json},
    {"--trial", nullptr, &RunOptions::trial},
};

bool AreConsistent(const RunOptions& options) {
  const int ends = int{options.apply} + int{options.discard} + int{options.keep};
  return options.stage ? ends <= 1 && !options.trial : ends == 0 && !options.json;
}

}  // namespace

std::span<const RunOption> RunOptionTable() { return kOptions; }

std::optional<RunOptions> ReadRunLine(std::span<char* const> words, bool is_staged) {
  RunOptions options;
  options.stage = is_staged;
  while (!words.empty() && std::string_view(words.front()) != "--") {
    if (!TakeOption<RunOptions>(words, kOptions, options).empty()) return std::nullopt;
  }
  if (words.size() < 2 || !AreConsistent(options)) return std::nullopt;
  options.command.assign(words.begin() + 1, words.end());
  return options;
}

}  // namespace ringfence
