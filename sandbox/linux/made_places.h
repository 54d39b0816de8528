// Creates the directories that the policy allows but that do not exist yet, before a run and as far
// as the user has permission.
#pragma once

#include <vector>

#include "base/result.h"
#include "sandbox/plan.h"

namespace ringfence {

// Adds to `left_out` those that the user has no permission to create: no process inside could write
// there either.
Status MakePlaces(const SandboxPlan& plan, std::vector<Path>& left_out);

SandboxPlan Without(SandboxPlan plan, const std::vector<Path>& left_out);

}  // namespace ringfence
