#include "run/options.h"

#include <algorithm>
#include <utility>

namespace ringfence {
namespace {

constexpr std::string_view kModes[] = {"sandbox", "rx", "rwx"};
constexpr std::string_view kLayers[] = {"full", "landlock"};

constexpr RunOption kOptions[] = {
    {"--home", &RunOptions::home, nullptr, {}},
    {"--root", &RunOptions::root, nullptr, {}},
    {"--policy", &RunOptions::policy, nullptr, {}},
    {"--profile", &RunOptions::profile, nullptr, {}},
    {"--mode", &RunOptions::mode, nullptr, kModes},
    {"--layers", &RunOptions::layers, nullptr, kLayers},
    {"--chdir", &RunOptions::chdir, nullptr, {}},
    {"--session", &RunOptions::session, nullptr, {}},
    {"--write", &RunOptions::write, nullptr, {}},
    {"--report", &RunOptions::report, nullptr, {}},
    {"--agent", nullptr, &RunOptions::is_agent, {}},
    {"--no-sandbox", nullptr, &RunOptions::no_sandbox, {}},
    {"--trial", nullptr, &RunOptions::trial, {}},
};

// Removes one option and its value from the front of `words`. Returns false if they are invalid.
bool TakeOption(std::span<char* const>& words, RunOptions& options) {
  const std::string_view word = words.front();
  words = words.subspan(1);
  const size_t equals = word.find('=');
  const auto* option = std::ranges::find(kOptions, word.substr(0, equals), &RunOption::name);
  if (option == std::end(kOptions)) return false;
  if (option->flag != nullptr) {
    return equals == std::string_view::npos && !std::exchange(options.*option->flag, true);
  }
  std::string_view value;
  if (equals != std::string_view::npos) {
    value = word.substr(equals + 1);
  } else if (!words.empty()) {
    value = words.front();
    words = words.subspan(1);
  }
  const bool is_known =
      option->values.empty() || std::ranges::find(option->values, value) != option->values.end();
  std::string& text = options.*option->text;
  if (value.empty() || value.starts_with('-') || !is_known || !text.empty()) return false;
  text = value;
  return true;
}

}  // namespace

std::span<const RunOption> RunOptionTable() { return kOptions; }

std::optional<RunOptions> ReadRunLine(std::span<char* const> words) {
  RunOptions options;
  while (!words.empty() && std::string_view(words.front()) != "--") {
    if (!TakeOption(words, options)) return std::nullopt;
  }
  if (words.size() < 2) return std::nullopt;
  options.command.assign(words.begin() + 1, words.end());
  return options;
}

}  // namespace ringfence
