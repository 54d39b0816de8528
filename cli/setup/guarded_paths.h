// What no command may write, under whatever policy: the policies in use, the state, the programs
// and the audit log, wherever they are.
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

// As the client spells paths ("~/...", "./...").
std::vector<std::string> GuardedPaths(const GuardQuestion& question);

}  // namespace ringfence
