// Which values of the client's settings matter to ringfence. A key that is not listed is taken as
// it comes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "agents/claude/settings/settings.h"
#include "base/json_tree.h"

namespace ringfence {

// A flag of the client's confinement; the other value is weaker.
struct FlagKey {
  std::string_view pointer;
  bool strong = true;
};
std::vector<FlagKey> SettingFlags();

enum class Direction : uint8_t {
  kLongerIsWeaker,
  kShorterIsWeaker,
  kChangedIsWeaker  // an item that is gone or different, or new and sends a secret to a host
};
// A list of strings, or one string or number, which is then taken as a list of one.
// Of an object, the values below it, each with its place. kChangedIsWeaker: each item as JSON.
struct TextsKey {
  std::string_view pointer;
  Direction direction = Direction::kLongerIsWeaker;
};
std::vector<TextsKey> SettingLists();

// A variable of "env" by which the client, a shell or a common program runs or loads code, finds
// programs, or leaves out hooks. Kept as "/env/NAME".
bool IsCodeVariable(std::string_view name);
// The name under which the lists have a variable: "CC" for "CC_x86_64-unknown-linux-gnu".
std::string_view ListedName(std::string_view name);
// Variables that have some usual values.
bool HasUsualValues(std::string_view name);
// EDITOR=vim, NODE_OPTIONS=--max-old-space-size=4096: nothing that anyone must approve.
bool IsUsualValue(std::string_view name, std::string_view value);
inline constexpr std::string_view kVariables = "/env/";

// Fills `settings.drops` and `settings.ignored`.
void FindDropReasons(const JsonTree& tree, ClientSettings& settings);

}  // namespace ringfence
