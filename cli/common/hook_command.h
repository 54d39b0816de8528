// Shared by the commands that register the hook: how the client starts it, and the rules that it
// needs to run wrapped commands.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/setup/settings_editor.h"
#include "base/result.h"
#include "policy/load/sources.h"

namespace ringfence {

struct HookRegistration {
  std::string program;  // absolute
  std::string home;     // "" in shared settings, where each user has a different home
  std::string profile;  // may be empty
  std::string policy;   // absolute; may be empty
  std::string root;     // absolute; may be empty
};
HookCommand CommandOf(const HookRegistration& registration);

// Rules of permissions.allow for wrapped commands: the client asks about every part of a command
// that no rule allows.
Result<std::vector<std::string>> WrappingRules(const std::string& hook);

// True if a policy wraps the commands of some callers.
bool MayWrap(const PolicySources& sources);
inline constexpr const char* kWrapsForSome =
    "bash.wrap is on for some callers only. For those every command fails while the client's "
    "own sandbox is on: set it for all";

}  // namespace ringfence
