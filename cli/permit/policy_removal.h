// The text of a policy without the entries that permit one path, host or tool: the inverse of
// policy_addition.h, which also finds entries that a person wrote another way.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/permit/grant_target.h"
#include "cli/permit/policy_addition.h"

namespace ringfence {

struct PolicyRemoval {
  std::string text;                  // of the policy; everything else stays as it is
  std::vector<std::string> entries;  // that are gone, as they were written
  std::vector<std::string> lists;    // "read.allow": those that had one
  bool is_still_read = false;        // an entry by which it may be read by default has been left
};

// Only lists of questions where `grant.as_question`, only those of reads where it does not also
// write. No entries: the policy has none. An allow list may not become empty: an error.
Result<PolicyRemoval> RemoveTarget(const GrantTarget& grant, const PolicySources& sources,
                                   const AdditionTarget& target, const std::string& text);

}  // namespace ringfence
