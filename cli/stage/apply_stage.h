// Applies stages and takes them back, for the commands.
#pragma once

#include <string>
#include <vector>

#include "base/outcome.h"
#include "cli/stage/stage_options.h"
#include "cli/stage/taken_stage.h"
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
};

// Plans the changes at `options.paths`. Keeps copies of the files that the stage has changed, so
// that what the user changes from now on can be merged. The stage is locked.
Result<StagePlan> PlanApply(const Stage& stage, const StageStore& store,
                            const StageOptions& options);

// True for the index, logs and such, which are never applied: without git's own other files they
// would be meaningless.
bool IsGitsState(const PlannedChange& planned);

// Says which changes are in conflict, held back or never applied, and why.
void SayWhatStays(const MergePlan& plan);

// What a command that applies or undoes a stage needs besides it. Not owned.
struct ApplyRequest {
  const StageOptions& options;
  std::string by;  // who decided, for the audit log: "--apply", "answer"
};

// Applies the plan while no other stage is applied to the project, if the policy's "stage.verify"
// succeeds. Before, holds back what the policy does not allow without what the user has left out of
// the plan. Prints and logs what it did.
Outcome ApplyAndReport(TakenStage& taken, StagePlan& plan, const ApplyRequest& request);

Outcome UndoStage(TakenStage& taken, const ApplyRequest& request);

}  // namespace ringfence
