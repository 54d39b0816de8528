// Tighten: sections that can only take away, put over a policy.
#pragma once

#include "policy/load/policy_file.h"
#include "policy/policy.h"

namespace ringfence {

// Whatever `over` says, the result permits nothing that `policy` did not, and asks at least as
// much. `trusted` false: also none of its text may reach the model. The result points into `over`.
void Tighten(Policy& policy, const Sections& over, bool trusted);

// Its parts, for a file whose denies and asks are in the policy already; TightenKeys() (key.h) is
// the third.
struct AllowLists {
  const RuleLists<NameRule>& tools;
  const RuleLists<PathRule>& read;
  const RuleLists<PathRule>& write;
};
void TightenLists(Policy& policy, const AllowLists& lists);
void TightenNetwork(Policy& policy, const std::optional<NetworkSection>& over);

// The paths of MCP tools that `over` names are evaluated as well.
void AddMcp(Policy& policy, const Sections& over);

// An ask permits with a question: appends those that name a place to what is permitted.
void AppendPermittedAsks(PathRuleList& permitted, const std::optional<std::vector<PathRule>>& ask);

NetworkRules NetworkOf(const NetworkSection& section);

}  // namespace ringfence
