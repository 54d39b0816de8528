// Directories that the policy allows and that nobody has made yet: made before a run, where its
// user may.
#pragma once

#include <vector>

#include "base/result.h"
#include "sandbox/plan.h"

namespace ringfence {

// Those that this user may not make are `left_out`: nobody inside could write there either.
Status MakePlaces(const SandboxPlan& plan, std::vector<Path>& left_out);

SandboxPlan Without(SandboxPlan plan, const std::vector<Path>& left_out);

}  // namespace ringfence
