// Tighten: sections that can only take away, put over a policy.
#pragma once

#include "policy/policy.h"
#include "policy/policy_file.h"

namespace ringfence {

// Whatever `over` says, the result permits nothing that `policy` did not, and asks at least as
// much. `trusted` false: also none of its text may reach the model. The result points into `over`.
void Tighten(Policy& policy, const Sections& over, bool trusted);

// The same with the allows and limits alone, for a file whose denies and asks are in the policy
// already. What `profile` says, which may be null, stands for what `over` says of the same.
void TightenAllows(Policy& policy, const Sections& over, const Sections* profile);

// An ask permits with a question: appends those that name a place to what is permitted.
void AppendPermittedAsks(PathRuleList& permitted, const std::optional<std::vector<PathRule>>& ask);

NetworkRules NetworkOf(const NetworkSection& section);

}  // namespace ringfence
