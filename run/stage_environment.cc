#include "run/stage_environment.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "sandbox/environment.h"

namespace ringfence {
namespace {

constexpr std::string_view kRenamed = "RINGFENCE_USERS_";
constexpr size_t kMaxVariable = 128 * 1024 - 1;  // execve(2) of Linux, MAX_ARG_STRLEN

bool IsPassedOn(std::string_view variable) {
  constexpr std::array kNames = {"TMPDIR", "DISPLAY", "WAYLAND_DISPLAY"};
  constexpr std::array kPrefixes = {"LESS", "XDG_", "RINGFENCE_", "CLAUDE_"};
  const std::string_view name = variable.substr(0, variable.find('='));
  const auto begins = [name](const char* prefix) { return name.starts_with(prefix); };
  const bool is_usable = IsUsualVariable(name) || std::ranges::find(kNames, name) != kNames.end() ||
                         std::ranges::any_of(kPrefixes, begins);
  return is_usable && !name.starts_with(kRenamed);
}

}  // namespace

std::vector<std::string> EnvironmentForStage(const std::vector<std::string>& users) {
  std::vector<std::string> environment;
  for (const std::string& variable : users) {
    if (IsPassedOn(variable)) {
      environment.push_back(variable);
    } else if (kRenamed.size() + variable.size() <= kMaxVariable) {
      environment.push_back(std::string(kRenamed) + variable);
    }
  }
  return environment;
}

std::vector<std::string> EnvironmentOfUser(const std::vector<std::string>& own) {
  std::vector<std::string> environment;
  for (const std::string& variable : own) {
    const bool is_renamed = variable.starts_with(kRenamed);
    environment.push_back(is_renamed ? variable.substr(kRenamed.size()) : variable);
  }
  return environment;
}

}  // namespace ringfence
