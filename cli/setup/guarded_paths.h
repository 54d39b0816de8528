// Finds the paths that no command may write under any policy: the policies in force, the state, the
// programs and the audit log.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/setup/settings_files.h"
#include "cli/common/host_tools.h"
#include "cli/common/policies.h"
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

// Returns the paths as the client spells them ("~/...", "./...").
std::vector<std::string> GuardedPaths(const GuardQuestion& question);

}  // namespace ringfence
