// Merges several trusted sections: the last one that has a value counts, and denies and asks of all
// of them add up. On top of that, Tighten() applies sections that can only take permissions away.
#pragma once

#include <optional>
#include <vector>

#include "policy/load/policy_file.h"
#include "policy/policy.h"

namespace ringfence {

template <typename Rule>
void AppendTo(std::vector<Rule>& list, const RuleList<Rule>& more) {
  if (more) list.insert(list.end(), more->begin(), more->end());
}

// Leaves out alerts (layers.cc). `trusted`: from the widest to the most specific. `own`: the
// user's sections; only an empty list there drops a default of `built_in`. The result points into
// all of them.
Policy MergeSections(const std::vector<const Sections*>& trusted, const Sections& built_in,
                     const Sections& own);

// Merges key by key; the values of `over` replace those of `base`, and denies add up.
NetworkSection MergedNetwork(const NetworkSection& base, NetworkSection over);

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

}  // namespace ringfence
