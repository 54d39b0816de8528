// The digests of the files that a plan changes.
#pragma once

#include "staging/merge_plan.h"
#include "staging/stage.h"

namespace ringfence {

// Fills Entry::digest of each file of the plan, before and after the change. Reading the files
// takes most of the time of an apply, so all processors share the work.
void AddDigests(const Stage& stage, MergePlan& plan);

}  // namespace ringfence
