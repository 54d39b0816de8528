// Removes the entries that permit one path, host or tool from the text of a policy. The inverse of
// AddTarget(), but also finds entries that the user spelled differently.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/permit/grant_target.h"
#include "cli/permit/policy_edit.h"

namespace ringfence {

struct PolicyRemoval {
  std::string text;                  // the new text of the policy; keeps all the rest
  std::vector<std::string> entries;  // the removed entries, as written
  std::vector<std::string> lists;    // "read.allow"; those that had one
  bool is_still_read = false;        // a default entry that permits reading it remains
};

// Changes only "ask" lists if `grant.as_question`, and only lists of reads if the grant does not
// also write. Returns no entries if the policy has none. Fails if an allow list would become empty.
Result<PolicyRemoval> RemoveTarget(const GrantTarget& grant, const PolicySources& sources,
                                   const AdditionTarget& target, const std::string& text);

}  // namespace ringfence
