// What the options and the policy say about the end of a staged run, before it starts.
#pragma once

#include <string>
#include <string_view>

#include "policy/files/cached_files.h"
#include "run/options.h"
#include "run/request.h"

namespace ringfence {

struct StageEnding {
  // The policy applies the changes without a question: "trusted" for a trusted command, "all" for
  // any; "" if it does not.
  std::string_view automatic;
  // Why a command that a pattern of stage.commands.trusted matches is not trusted; or "".
  std::string why_not;
  // The changes are to be applied at the end, so the command works on the project alone.
  bool works_alone = false;
};

// Only commands of the user's have an automatic end: not an agent, and no command that an agent
// started. `can_ask`: the user is asked if nothing else decides.
StageEnding PlanEnding(const RunOptions& options, const RunRequest& request,
                       const CachedFiles& files, bool can_ask);

}  // namespace ringfence
