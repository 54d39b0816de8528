// The values in the client's settings that matter to ringfence. Any other key is accepted as it is.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "agents/claude/settings/settings.h"
#include "base/json_tree.h"

namespace ringfence {

// A flag of the client's confinement; the value other than `strong` is weaker.
struct FlagKey {
  std::string_view pointer;
  bool strong = true;
};
std::vector<FlagKey> SettingFlags();

enum class Direction : uint8_t {
  kLongerIsWeaker,
  kShorterIsWeaker,
  kChangedIsWeaker  // an item was removed or changed, or a new one sends a secret to a host
};
// A list of strings; a single string or number counts as a list of one. For an object, the values
// below it, each with its place. For kChangedIsWeaker, each item as JSON.
struct TextsKey {
  std::string_view pointer;
  Direction direction = Direction::kLongerIsWeaker;
};
std::vector<TextsKey> SettingLists();

// True for a variable in "env" that makes the client, a shell or a common program run or load code,
// find programs, or skip hooks. Recorded as "/env/NAME".
bool IsCodeVariable(std::string_view name);
// Returns the name that the lists have for a variable: "CC" for "CC_x86_64-unknown-linux-gnu".
std::string_view ListedName(std::string_view name);
// True for variables that have some usual values.
bool HasUsualValues(std::string_view name);
// True for a value that needs no approval: EDITOR=vim, NODE_OPTIONS=--max-old-space-size=4096.
bool IsUsualValue(std::string_view name, std::string_view value);
inline constexpr std::string_view kVariables = "/env/";

// Fills `settings.drops` and `settings.ignored`.
void FindDropReasons(const JsonTree& tree, ClientSettings& settings);

}  // namespace ringfence
