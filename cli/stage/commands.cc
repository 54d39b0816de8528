// The subcommands of `ringfence stage`, in ringfence-stage.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/launcher.h"
#include "cli/common/console.h"
#include "cli/common/held_signals.h"
#include "cli/stage/after_command.h"
#include "cli/stage/apply_stage.h"
#include "cli/stage/collect_garbage.h"
#include "cli/stage/conflicts.h"
#include "cli/stage/copy_for_command.h"
#include "cli/stage/list_stages.h"
#include "cli/stage/review.h"
#include "cli/stage/show_changes.h"
#include "cli/stage/stage_choice.h"
#include "cli/stage/stage_log.h"
#include "cli/stage/stage_options.h"
#include "cli/stage/taken_stage.h"
#include "sandbox/backend.h"
#include "staging/base_keeper.h"

namespace ringfence {
namespace {

// Needs neither the project nor a record.
Outcome Discard(const StageOptions& options) {
  const Result<StageStore> store = FindStages(options.given);
  if (!store) return store.error();
  const Result<StageFolder> folder = ChooseFolder(*store, options.id);
  if (!folder) return folder.error();
  if (Status s = LockStage(*folder); !s) return s.error();
  if (Status s = CheckRemovable(*folder); !s) return s.error();
  if (Status s = LogRemoval(options.given, *folder, "stage discard"); !s) return s.error();
  if (Status s = folder->Remove(); !s) return s.error();
  const std::string id(folder->path().name());
  if (options.json) {
    PrintJson({{"id", id}, {"discarded", true}});
  } else {
    Console().Line("discarded stage " + id);
  }
  return 0;
}

Outcome Apply(const StageOptions& options) {
  Result<TakenStage> taken = TakeStage(options);
  if (!taken) return taken.error();
  if (Status s = TakeProject(*taken, "ringfence stage apply "); !s) return s.error();
  Result<StagePlan> plan = PlanApply(*taken, options);
  if (!plan) return plan.error();
  SayWhatStays(plan->merge, options.conflicts);
  {
    HeldSignals signals;
    if (!ResolveConflicts(taken->stage, options, plan->merge)) {
      return SayKept(taken->stage, signals.StatusOr(1));
    }
  }
  Outcome outcome = ApplyAndReport(*taken, *plan, {options, "stage apply"});
  const bool has_conflicts = plan->merge.Count(ChangeAction::kConflict) > 0;
  if (options.json && (!outcome.error || has_conflicts)) {
    const size_t changes = CountApplied(*plan);
    OrderedJson json{{"id", taken->stage.record().id}, {"changes", outcome.error ? 0 : changes}};
    AddWhatStays(*plan, json);
    PrintJson(json);
  }
  CollectDaily(options);
  return outcome;
}

bool DoesChange(const StageStore& store, const std::string& id, const std::string& path) {
  const Result<Stage> stage = ChooseStage(store, id);
  Result<ChangeList> changes = stage ? ShownChanges(*stage) : stage.error();
  return changes && KeepOnly(*changes, {path}, *stage);
}

// Diff or Apply, for which the ID can be left out before a path.
Outcome WithPath(StageOptions options, Outcome (*command)(const StageOptions&)) {
  const Result<StageStore> store = FindStages(options.given);
  if (!store) return store.error();
  const auto changes = [&](const std::string& id, const std::string& path) {
    return DoesChange(*store, id, path);
  };
  if (Status s = TakePathForId(*store, options, changes); !s) return s.error();
  return command(options);
}

Outcome Undo(const StageOptions& options) {
  Result<TakenStage> taken = TakeStage(options, StagePart::kApply);
  if (!taken) return taken.error();
  Outcome outcome = UndoStage(*taken, {options, "stage undo"});
  if (options.json && !outcome.error)
    PrintJson({{"id", taken->stage.record().id}, {"undone", true}});
  return outcome;
}

Outcome KeepBases(const StageOptions& options) {
  const Result<StageStore> store = FindStages(options.given);
  if (!store) return store.error();
  const Result<Stage> stage = ChooseStage(*store, options.id);
  if (!stage) return stage.error();
  const Result<BaseVersions> base = BaseVersions::Of(*stage, *store);
  if (!base) return base.error();
  const Status kept = KeepBasesWhileRunning(*stage, *base, static_cast<int>(options.stop));
  return kept ? Outcome(0) : Outcome(kept.error());
}

// True if the command looks at changes that a running launcher has in memory: the kernel shows its
// descriptors to no process in a user namespace of its own (ptrace(2)).
bool LooksIntoMemory(StageCommand command, const StageOptions& options) {
  const bool looks = command == StageCommand::kList || command == StageCommand::kDiff ||
                     command == StageCommand::kReview || command == StageCommand::kKeepBases;
  const Result<StageStore> store = FindStages(options.given);
  if (!looks || !store) return false;
  const Result<std::vector<std::string>> ids = store->Ids();
  return ids && std::ranges::any_of(*ids, [&](const std::string& id) {
           const Result<StageFolder> folder = store->Open(id);
           if (!folder) return false;
           const Result<StageRecord> record = folder->Load();
           return record && record->buffer_process != 0 && folder->IsInUse();
         });
}

}  // namespace

Outcome RunStageCommand(StageCommand command, const StageOptions& options) {
  if (IsSupervised()) {
    return Outcome(Error{Error::Kind::kSystem, "stage",
                         "this is inside a sandbox of ringfence's, which hides the stages",
                         "run this command in another terminal"});
  }
  // A command can have left files and directories without permissions. Where this is impossible,
  // they are reported.
  if (!LooksIntoMemory(command, options)) {
    if (const Result<bool> reaches = ReachOwnFiles(); !reaches) return reaches.error();
  }
  // The launcher has done this before.
  const bool is_run = command == StageCommand::kCopy || command == StageCommand::kKeepBases ||
                      command == StageCommand::kEnded;
  if (!is_run) RecoverStages(options);
  switch (command) {
    case StageCommand::kRecover:
      return 0;
    case StageCommand::kList:
      return ListStages(options);
    case StageCommand::kDiff:
      return WithPath(options, ShowDiff);
    case StageCommand::kApply:
      return WithPath(options, Apply);
    case StageCommand::kReview:
      return ReviewStage(options);
    case StageCommand::kUndo:
      return Undo(options);
    case StageCommand::kDiscard:
      return Discard(options);
    case StageCommand::kGc:
      return CollectGarbage(options);
    case StageCommand::kCopy:
      return CopyForCommand(options);
    case StageCommand::kKeepBases:
      return KeepBases(options);
    case StageCommand::kEnded:
      return AfterCommand(options);
  }
  return 2;
}

}  // namespace ringfence
