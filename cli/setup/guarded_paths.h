// Finds paths that commands in the client's sandbox may not write.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/setup/settings_files.h"
#include "cli/common/host_tools.h"
#include "cli/common/policies.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

struct GuardQuestion {
  const Registration& where;
  SettingsLayer layer;
  const HookProgram& hook;
  const std::string& policy_option;  // absolute; may be empty
  const Context& policies;
  const Policy& policy;
};

// Returns the paths that no command may write under any policy, as the client spells them ("~/...",
// "./..."): the policies in force, the state, the programs and the audit log.
std::vector<std::string> GuardedPaths(const GuardQuestion& question);

// Returns the caches of package managers and compilers in the home that exist and that the policy
// does not permit to write, such as "~/.npm".
std::vector<std::string> ClosedCaches(const Policy& policy, const Places& places);

}  // namespace ringfence
