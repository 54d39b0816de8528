// Which of the client's tools exist for an agent, need no prompt, or are refused, by their names.
#pragma once

#include <string>
#include <vector>

#include "policy/load/sources.h"
#include "policy/policy.h"

namespace ringfence {

struct ToolNames {
  bool every_tool = false;           // the policy says "*": also tools that nobody knows yet
  std::vector<std::string> tools;    // built-in ones that the policy permits or asks about
  std::vector<std::string> mcp;      // globs, as the policy has them
  std::vector<std::string> allowed;  // no prompt: only where the hook itself says "allow"
  std::vector<std::string> denied;   // what tools.deny has, in the client's spelling
  std::vector<std::string> lost;     // entries of tools.deny that are no rule for the client
  std::vector<std::string> missing;  // built-in ones that are in no list of what is allowed
};
ToolNames ToolNamesFor(const Policy& policy, const PolicySources& sources);

}  // namespace ringfence
