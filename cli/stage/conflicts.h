// Resolves conflicts between a stage and the project, by the user's answers or for all at once.
#pragma once

#include "cli/stage/stage_options.h"
#include "staging/merge_plan.h"
#include "staging/stage.h"

namespace ringfence {

// Asks about each conflict: the stage's version, the project's, the text with both changes edited
// by the user, or to leave it for later. `options.conflicts` answers for all. Without a terminal
// and without that answer, they stay conflicts. Returns false if the user stops asking; then
// nothing may be applied.
bool ResolveConflicts(const Stage& stage, const StageOptions& options, MergePlan& plan);

}  // namespace ringfence
