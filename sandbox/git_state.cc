#include "sandbox/git_state.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "sandbox/git_variables.h"

namespace ringfence {
namespace {

// All commands except "exec". Commands consist of letters, so a line that begins with neither a
// letter nor a blank is a comment.
constexpr std::string_view kTodoCommands[] = {
    "pick",  "p", "reword", "r", "edit", "e", "squash",     "s", "fixup", "f", "label", "l",
    "reset", "t", "merge",  "m", "drop", "d", "update-ref", "u", "break", "b", "noop"};

constexpr std::string_view kStrategies[] = {"ort",     "recursive", "resolve",
                                            "octopus", "ours",      "subtree"};

bool IsHarmless(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  if (line.empty() || !IsLetter(line.front())) return true;
  const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
  return std::ranges::find(kTodoCommands, word) != std::end(kTodoCommands);
}

}  // namespace

std::optional<std::string> WhyNoRebaseTodo(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return "it is not a text";
  for (int number = 1; !text.empty(); ++number) {
    if (!IsHarmless(TakeUntil(text, '\n'))) {
      return "line " + std::to_string(number) + " may run a program";
    }
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
