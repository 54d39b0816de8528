// The "deny" and "ask" rules of the built-in policy. They stay in force next to other lists: only
// an empty list in the user's own policy removes them.
#pragma once

#include <string>

#include "cli/common/policies.h"
#include "cli/permit/grant_target.h"

namespace ringfence {

// Returns advice if a set that the built-in policy denies or asks about decided; otherwise "".
// `file` is the user's policy as shown in messages.
std::string AdviceOnBuiltIn(const TargetDecision& decision, const GrantTarget& grant,
                            const std::string& file);

// Returns a note if a removed question about `set` remains because another policy asks it too;
// otherwise "".
std::string RemainingQuestion(const std::string& set, const Context& policies,
                              const std::string& file);

}  // namespace ringfence
