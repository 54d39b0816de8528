// The policy's "stage.verify": commands that must succeed before changes are applied.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/stage/stage_options.h"
#include "staging/merge_plan.h"
#include "staging/stage.h"

namespace ringfence {

// Runs each command in the sandbox of `ringfence run`, in the project as the plan would leave it.
// What it writes there is discarded. Returns an error if one of them fails; the others are then not
// run.
Status VerifyMerged(const Stage& stage, const MergePlan& plan,
                    const std::vector<std::string>& commands, const Registration& given);

}  // namespace ringfence
