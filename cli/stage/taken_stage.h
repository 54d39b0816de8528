// Takes a stage for a command that changes it.
#pragma once

#include <string>
#include <vector>

#include "base/outcome.h"
#include "base/result.h"
#include "cli/stage/stage_choice.h"
#include "cli/stage/stage_options.h"
#include "staging/stage.h"
#include "staging/store/stage_store.h"

namespace ringfence {

// A stage that this process has locked.
struct TakenStage {
  StageStore store;
  Stage stage;
  UniqueFd project;  // the project's lock (StageStore::LockProject), once it is taken
};

// Completes or undoes, in all projects, what commands that were killed have left, and says so.
// Stages that another process works on are left alone, and so are those that are broken or whose
// project does not exist.
void RecoverStages(const StageOptions& options);

// Returns an error if removing the stage would lose what is only there: what a command that was
// killed has replaced in the project, or earlier versions of files (SayEarlierVersions()).
Status CheckRemovable(const StageFolder& stage);

// The stage that the options name. Completes or undoes what a command that was killed has left. An
// error if another process works on the stage.
Result<TakenStage> TakeStage(const StageOptions& options, StagePart part = StagePart::kChanges);

// The same for the stage of a command that has just ended. Processes that the launcher has started
// share its lock until they end, which can take a moment longer: waits for them.
Result<TakenStage> TakeEndedStage(const StageOptions& options);

// Takes the project's lock, unless it is taken. `then` is the command, without the ID, with which
// the user can try again.
Status TakeProject(TakenStage& taken, const char* then);

// Says where the earlier versions of names are that were changed while an apply was undone.
void SayEarlierVersions(const Stage& stage, const std::vector<std::string>& changed);

// An error if another process works on the stage.
Status LockStage(const StageFolder& stage);

// Keeps the stage for later: waits until its changes are on the disk, and says how to go on.
Outcome SayKept(Stage& stage, int status);

}  // namespace ringfence
