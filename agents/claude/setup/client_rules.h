// Converts a policy's paths into permission rules of the client, Read(//home/dev/p/**/.env), and
// its tools into the client's names. The rules apply where no hook is called: to @path in a prompt,
// and to the results of the client's own searches.
#pragma once

#include <string>
#include <vector>

#include "policy/load/sources.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

struct PathRulesOfClient {
  std::vector<std::string> deny;
  std::vector<std::string> ask;
  std::vector<std::string> notes;  // for the user: limits of the client's rules
};

// Rules for one project: every entry of read.deny, and from the other lists the entries with a
// pattern or with "**/" at the beginning, because the hook and the sandbox enforce plain paths.
PathRulesOfClient PathRulesFor(const Policy& policy, const Places& places);

// Read rules for settings that serve any project: entries of read.deny with absolute paths, below
// the home directory or anywhere.
std::vector<std::string> MentionRulesFor(const Policy& policy, const Places& places);

// Names of the client's tools that an agent has, that need no prompt, or that are refused.
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
