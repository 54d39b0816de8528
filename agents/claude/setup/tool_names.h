// Names of the client's tools that an agent has, that need no prompt, or that are refused.
#pragma once

#include <string>
#include <vector>

#include "policy/load/sources.h"
#include "policy/policy.h"

namespace ringfence {

struct ToolNames {
  bool every_tool = false;           // the policy has "*", which includes unknown tools
  std::vector<std::string> tools;    // built-in tools that the policy permits or asks about
  std::vector<std::string> mcp;      // globs, as in the policy
  std::vector<std::string> allowed;  // need no prompt; only if the hook itself says "allow"
  std::vector<std::string> denied;   // entries of tools.deny, in the client's notation
  std::vector<std::string> lost;     // entries of tools.deny that the client has no rule for
  std::vector<std::string> missing;  // built-in tools that the policy denies or does not list
};
ToolNames ToolNamesFor(const Policy& policy, const PolicySources& sources);

}  // namespace ringfence
