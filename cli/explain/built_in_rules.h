// Denies and questions of the built-in policy, which stay whatever else the lists name: only an
// empty list in the user's own policy drops them.
#pragma once

#include <string>

#include "cli/common/policies.h"
#include "cli/permit/grant_target.h"

namespace ringfence {

// The advice about a set that the built-in policy denies or asks about, if that decided; else "".
// `file` is the user's policy, for people.
std::string AdviceOnBuiltIn(const TargetDecision& decision, const GrantTarget& grant,
                            const std::string& file);

// The note for a question about `set` that was removed and remains, because other policies ask it;
// "" where it is gone.
std::string RemainingQuestion(const std::string& set, const Context& policies,
                              const std::string& file);

}  // namespace ringfence
