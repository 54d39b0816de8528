// A run whose changes to the project are kept apart, in a stage of its own (staging/store). What
// happens to them afterwards is decided by ringfence-stage, which this process becomes at the end.
#pragma once

#include <signal.h>

#include <optional>

#include "base/outcome.h"
#include "base/result.h"
#include "run/options.h"
#include "run/request.h"
#include "sandbox/plan.h"
#include "staging/store/stage_store.h"

namespace ringfence {

class StagedRun {
 public:
  // Creates the stage of the run, and points the request to it. With --json, moves the command's
  // standard output to standard error, since the result goes to standard output.
  static Result<StagedRun> Begin(const RunOptions& options, RunRequest& request);

  // Right before the start: changes that the user makes to the project from now on count as made
  // during the run.
  Status Mark(const SandboxPlan& plan);

  // The command has ended. Without changes, removes the stage and returns `status`. Otherwise the
  // process becomes ringfence-stage, so this returns only if that fails.
  Outcome Finish(int status);

  // Nothing was run.
  void Abandon();

 private:
  StagedRun(const RunOptions& options, StageFolder folder)
      : options_(options), folder_(std::move(folder)) {}
  Status MoveOutput();
  Status StartKeeper();
  Status Return() const;

  const RunOptions& options_;
  StageFolder folder_;
  StageRecord record_;
  std::string policy_;  // the file of --policy
  int64_t begun_ = 0;   // coarse clock
  sigset_t signals_{};  // before the run
  UniqueFd output_;     // standard output, if the command has another
  UniqueFd keeper_;     // closed to end the process that keeps the bases of changed files
};

// Starts ringfence-stage in place of this process. Returns only on failure.
Error BecomeStageProgram(std::vector<std::string> words);

}  // namespace ringfence
