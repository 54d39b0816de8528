// The text of a policy with one entry more: which lists a person's grant belongs into, and what a
// list that has to be made must hold besides, so that nothing else changes.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/permit/grant_target.h"
#include "policy/load/layers.h"

namespace ringfence {

// The policy file that is changed.
struct AdditionTarget {
  std::string path;  // for messages
  std::string root;  // of the project whose own policy it is, else ""
  std::string home;
  bool is_session = false;  // a session's grants: they only add
};

struct PolicyAddition {
  std::string text;                // of the policy; what was there stays as it is
  std::string entry;               // as it was written
  std::vector<std::string> lists;  // "read.allow": those that did not have it
  std::vector<std::string> notes;  // for the person
};

// `text` with what `grant` needs. `sources` are the policies in use, which a new list must repeat.
Result<PolicyAddition> AddTarget(const GrantTarget& grant, const PolicySources& sources,
                                 const AdditionTarget& target, std::string text);

}  // namespace ringfence
