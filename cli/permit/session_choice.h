// The session that `--session` without an id means.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/common/grant_target.h"
#include "cli/common/policies.h"
#include "cli/permit/policy_change.h"

namespace ringfence {

// `allow` means the session that was refused `grant`, `revoke` the one that has an entry for it.
// Several of them are an error that lists the command for each: an agent that repeats a refusal
// could otherwise get a permission that is meant for another one. `what` is the user's word for
// the grant.
Result<std::string> ChooseSession(const ChangeOptions& options, const std::string& what,
                                  const GrantTarget& grant, Context& policies);

}  // namespace ringfence
