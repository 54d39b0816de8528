// Adds one entry to the text of a policy: finds the lists for the user's grant, and the entries
// that a new list must repeat so that nothing else changes.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/permit/grant_target.h"
#include "policy/load/layers.h"

namespace ringfence {

// The policy file to change.
struct AdditionTarget {
  std::string path;  // for messages
  std::string root;  // of the project that the policy belongs to, or ""
  std::string home;
  bool is_session = false;  // a session's grants, which only add
};

struct PolicyAddition {
  std::string text;                // the new text of the policy; keeps all the rest
  std::string entry;               // as written
  std::vector<std::string> lists;  // "read.allow"; those that did not have it
  std::vector<std::string> notes;  // for the user
};

// Returns `text` with the entries for `grant`. `sources` are the policies in force, whose entries a
// new list must repeat.
Result<PolicyAddition> AddTarget(const GrantTarget& grant, const PolicySources& sources,
                                 const AdditionTarget& target, std::string text);

}  // namespace ringfence
