// Plans what applying a stage would do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/stage/stage_options.h"
#include "cli/stage/taken_stage.h"
#include "staging/change_list.h"
#include "staging/merge_plan.h"
#include "staging/repository_changes.h"
#include "staging/stage.h"
#include "staging/store/stage_store.h"

namespace ringfence {

// The changes, with moved files paired.
Result<ChangeList> ShownChanges(const Stage& stage);

// Keeps the changes at or below one of the paths; all without paths. A path is absolute, or
// relative to the current directory or to the project. Returns an error for a path without changes.
Status KeepOnly(ChangeList& changes, const std::vector<std::string>& paths, const Stage& stage);

// What applying a stage would do, with git's directories.
struct StagePlan {
  MergePlan merge;
  std::vector<StagedBranch> branches;
  std::vector<std::string> verify;   // the policy's
  uint64_t show_diff_threshold = 0;  // the policy's
  bool is_locked = false;            // the project has been locked since before the plan was made
  size_t decided = 0;  // the changes that were to be applied when the policy decided on them
};

// Plans the changes at `options.paths`. Keeps copies of the files that the stage has changed, so
// that what the user changes from now on can be merged.
Result<StagePlan> PlanApply(const TakenStage& taken, const StageOptions& options);

// Makes the plan final after the user's answers, while the project is locked: these can have left
// changes out that others depend on, and another stage can have been applied since. Returns the
// changes that stay because of that.
Result<MergePlan> FinishPlan(const Stage& stage, StagePlan& plan, const StageOptions& options);

// True for the index, logs and such, which are never applied: without git's own other files they
// would be meaningless.
bool IsGitsState(const PlannedChange& planned);

}  // namespace ringfence
