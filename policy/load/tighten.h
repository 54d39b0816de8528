// Tighten: applies sections that can only take permissions away.
#pragma once

#include "policy/load/policy_file.h"
#include "policy/policy.h"

namespace ringfence {

// Whatever `over` contains, the result permits nothing that `policy` did not, and asks at least as
// often. `trusted` false: none of its text may reach the model. The result points into `over`.
void Tighten(Policy& policy, const Sections& over, bool trusted);

// The parts of Tighten(), for a file whose denies and asks are already in the policy; TightenKeys()
// (key.h) is the third.
struct AllowLists {
  const RuleLists<NameRule>& tools;
  const RuleLists<PathRule>& read;
  const RuleLists<PathRule>& write;
};
void TightenLists(Policy& policy, const AllowLists& lists);
void TightenNetwork(Policy& policy, const std::optional<NetworkSection>& over);

// Adds the paths of MCP tools that `over` names to those that are evaluated.
void AddMcp(Policy& policy, const Sections& over);

// Appends the asks that name a place to `permitted`, because an ask permits with a question.
void AppendPermittedAsks(PathRuleList& permitted, const std::optional<std::vector<PathRule>>& ask);

NetworkRules NetworkOf(const NetworkSection& section);

}  // namespace ringfence
