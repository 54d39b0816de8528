#include "sandbox/git_state.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "sandbox/git_variables.h"

namespace ringfence {
namespace {

// All but "exec". A line that begins with neither a letter nor a blank is a comment: commands are
// letters.
constexpr std::string_view kCommands[] = {
    "pick",  "p", "reword", "r", "edit", "e", "squash",     "s", "fixup", "f", "label", "l",
    "reset", "t", "merge",  "m", "drop", "d", "update-ref", "u", "break", "b", "noop"};

constexpr std::string_view kStrategies[] = {"ort",     "recursive", "resolve",
                                            "octopus", "ours",      "subtree"};

bool IsHarmless(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  if (line.empty() || !IsLetter(line.front())) return true;
  const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
  return std::ranges::find(kCommands, word) != std::end(kCommands);
}

}  // namespace

std::optional<std::string> WhyNoRebaseTodo(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return "it is not a text";
  for (int number = 1; !text.empty(); ++number) {
    const size_t size = std::min(text.find('\n'), text.size());
    if (!IsHarmless(text.substr(0, size))) {
      return "line " + std::to_string(number) + " may run a program";
    }
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return {};
}

std::optional<std::string> WhyNoSequencerOptions(std::string_view text) {
  for (const GitVariable& variable : ReadGitVariables(text)) {
    if (variable.section == "include" || variable.section == "includeif") {
      return "it includes another file";
    }
    if (variable.name() != "options.strategy") continue;
    if (std::ranges::find(kStrategies, variable.value) == std::end(kStrategies)) {
      return "the merge strategy " + Quote(variable.value) + " is not one of git's own";
    }
  }
  return {};
}

}  // namespace ringfence
