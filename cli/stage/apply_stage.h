// Applies stages and takes them back, for the commands.
#pragma once

#include <string>
#include <string_view>

#include "base/outcome.h"
#include "cli/stage/plan_apply.h"
#include "cli/stage/stage_options.h"
#include "cli/stage/taken_stage.h"
#include "staging/merge_plan.h"

namespace ringfence {

// Says which changes are in conflict, held back or never applied, and why. `conflicts` is the side
// that is taken in all conflicts ("staged" or "mine"); "" if they are not resolved yet.
void SayWhatStays(const MergePlan& plan, std::string_view conflicts = "");

// The number of changes that users see: of the commits of a repository, only the branches.
size_t CountApplied(const StagePlan& plan);

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
