// The subcommands of `ringfence stage`, in ringfence-stage.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/syscall.h"
#include "base/text.h"
#include "cli/common/console.h"
#include "cli/common/pager.h"
#include "cli/stage/apply_stage.h"
#include "cli/stage/conflicts.h"
#include "cli/stage/diff_text.h"
#include "cli/stage/preview.h"
#include "cli/stage/stage_choice.h"
#include "cli/stage/stage_options.h"
#include "cli/stage/stage_question.h"
#include "run/messages.h"
#include "sandbox/backend.h"
#include "staging/base_keeper.h"
#include "staging/stage.h"
#include "staging/undo.h"

namespace ringfence {
namespace {

std::string CommandText(const StageRecord& record) {
  std::string text;
  for (const std::string& word : record.command) {
    const bool is_plain = !word.empty() && word.find_first_of(" \t\n'\"\\$`") == word.npos;
    text += (text.empty() ? "" : " ") + (is_plain ? word : ShellQuoted(word));
  }
  return text;
}

std::string StateText(const Stage& stage) {
  if (stage.is_running()) return "running";
  if (stage.is_dirty()) return "dirty";
  if (stage.record().state == StageState::kRunning) return "interrupted";
  const Result<ApplyNumbers> applies = FindApplies(stage.folder());
  return applies && !applies->applied.empty() ? "applied" : "ended";
}

std::string AgeText(int64_t started) {
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t seconds = std::max<int64_t>(0, (Nanoseconds(CLOCK_REALTIME) - started) / kSecond);
  if (seconds < 60) return std::to_string(seconds) + " s";
  if (seconds < 3600) return std::to_string(seconds / 60) + " min";
  if (seconds < 86400) return std::to_string(seconds / 3600) + " h";
  return Counted(static_cast<size_t>(seconds / 86400), "day");
}

struct ListedStage {
  int64_t started = 0;
  std::string id;
  std::string state;
  std::string age;
  std::string changes;
  OrderedJson json;
  std::string project, command;
};

ListedStage ListedWith(const Stage& stage) {
  const StageRecord& record = stage.record();
  const Result<ChangeList> changes = stage.Changes();
  ListedStage listed{.started = record.started,
                     .id = record.id,
                     .state = StateText(stage),
                     .age = AgeText(record.started),
                     .changes = changes ? std::to_string(changes->size()) : "?",
                     .project = record.project.text(),
                     .command = CommandText(record)};
  listed.json = {{"id", record.id},
                 {"state", listed.state},
                 {"project", record.project.text()},
                 {"command", record.command},
                 {"mechanism", MechanismName(record.mechanism)},
                 {"status", record.status}};
  listed.json["changes"] = changes ? OrderedJson(changes->size()) : OrderedJson();
  return listed;
}

Outcome ListStages(const StageOptions& options) {
  const Result<StageStore> store = FindStages(options.given);
  if (!store) return store.error();
  const Result<std::vector<std::string>> ids = store->Ids();
  if (!ids) return ids.error();
  std::vector<ListedStage> stages;
  for (const std::string& id : *ids) {
    Result<StageFolder> folder = store->Open(id);
    if (!folder) continue;  // removed meanwhile
    Result<Stage> stage = Stage::Open(std::move(*folder));
    if (stage) {
      stages.push_back(ListedWith(*stage));
    } else {
      Say("warning: stage " + id + ": " + Printable(stage.error().text()));
    }
  }
  std::ranges::sort(stages, {}, &ListedStage::started);
  if (options.json) {
    PrintJson({{"stages", JsonArray(stages, [](const ListedStage& s) { return s.json; })}});
    return 0;
  }
  const Console console;
  if (stages.empty()) console.Line("no stages: ringfence stage run -- COMMAND makes one");
  for (const ListedStage& stage : stages) {
    constexpr size_t kStateWidth = 12;
    constexpr size_t kAgeWidth = 8;
    console.Line(stage.id + "  " + Padded(stage.state, kStateWidth) + Padded(stage.age, kAgeWidth) +
                 Padded(stage.changes + " changes", 14) + Printable(stage.project) + ": " +
                 Printable(CutText(stage.command, 60)));
  }
  return 0;
}

Result<ChangeList> ChangesAmong(const Stage& stage, const std::vector<std::string>& paths) {
  Result<ChangeList> changes = ShownChanges(stage);
  if (!changes) return changes;
  // Commits are shown by the preview; git's own files only to those who ask for them.
  const auto is_gits = [](const Change& change) { return !GitFolderOf(change.path).empty(); };
  if (paths.empty()) std::erase_if(*changes, is_gits);
  if (Status s = KeepOnly(*changes, paths, stage); !s) return s.error();
  return changes;
}

std::string_view ChangeWord(const Change& change) {
  if (change.is_added()) return "added";
  if (change.is_removed()) return "removed";
  return change.is_mode_only() ? "mode" : "modified";
}

OrderedJson ChangeJson(const Stage& stage, const Change& change) {
  return {{"path", change.path},
          {"change", ChangeWord(change)},
          {"what", DescribeChange(stage, change)}};
}

OrderedJson ChangesJson(const Stage& stage, const ChangeList& changes) {
  return JsonArray(changes, [&stage](const Change& c) { return ChangeJson(stage, c); });
}

Outcome ShowAll(const Stage& stage, const ChangeList& changes, const StageOptions& options) {
  if (options.json) {
    PrintJson({{"id", stage.record().id}, {"changes", ChangesJson(stage, changes)}});
    return 0;
  }
  std::string text;
  for (const Change& change : changes) {
    if (options.name_only) {
      text += Printable(change.path) + "\n";
      continue;
    }
    if (options.stat) {
      text += PreviewText({{change.path, DescribeChange(stage, change)}});
      continue;
    }
    const Result<std::string> diff = DiffText(stage, change);
    if (!diff) return diff.error();
    text += *diff;
  }
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  if (is_terminal && !options.name_only && !options.stat) {
    text = ForTerminal(text, MayColour(STDOUT_FILENO));
  }
  ShowText(text, Pager::kUsers);
  return 0;
}

Outcome Diff(const StageOptions& options) {
  const Result<StageStore> store = FindStages(options.given);
  if (!store) return store.error();
  const Result<Stage> stage = ChooseStage(*store, options.id);
  if (!stage) return stage.error();
  const Result<ChangeList> changes = ChangesAmong(*stage, options.paths);
  return changes ? ShowAll(*stage, *changes, options) : changes.error();
}

// The stage that the options name, for a command that changes it.
struct Taken {
  StageStore store;
  Stage stage;
};

Result<Taken> TakeChosen(const StageOptions& options) {
  Result<StageStore> store = FindStages(options.given);
  if (!store) return store.error();
  Result<Stage> stage = ChooseStage(*store, options.id);
  if (!stage) return stage.error();
  if (Status s = TakeStage(*stage); !s) return s.error();
  return Taken{std::move(*store), std::move(*stage)};
}

// Needs neither the project nor a record.
Outcome Discard(const StageOptions& options) {
  const Result<StageStore> store = FindStages(options.given);
  if (!store) return store.error();
  const Result<StageFolder> folder = ChooseFolder(*store, options.id);
  if (!folder) return folder.error();
  if (Status s = LockStage(*folder); !s) return s.error();
  if (Status s = folder->Remove(); !s) return s.error();
  Console().Line("discarded stage " + std::string(folder->path().name()));
  return 0;
}

// True for an applied stage that is older than so many days, and for one without a record.
bool IsGarbage(const StageFolder& folder, size_t days) {
  constexpr int64_t kSecond = 1'000'000'000;
  constexpr int64_t kDay = 86400 * kSecond;
  const Result<StageRecord> record = folder.Load();
  if (!record) return record.error().code == ENOENT;
  const Result<ApplyNumbers> applies = FindApplies(folder);
  const bool is_applied = applies && !applies->applied.empty();
  const int64_t age = Nanoseconds(CLOCK_REALTIME) - record->started;
  return is_applied && age > static_cast<int64_t>(days) * kDay;
}

// Removes what only serves to take back old applies, and what a launcher that was killed has left.
Outcome CollectGarbage(const StageOptions& options) {
  const Result<StageStore> store = FindStages(options.given);
  if (!store) return store.error();
  const Result<std::vector<std::string>> ids = store->Ids();
  if (!ids) return ids.error();
  size_t removed = 0;
  for (const std::string& id : *ids) {
    const Result<StageFolder> folder = store->Open(id);
    if (!folder || folder->IsInUse() || !IsGarbage(*folder, options.days)) continue;
    const Result<bool> is_free = folder->Lock();
    if (!is_free || !*is_free) continue;
    if (Status s = folder->Remove(); !s) return s.error();
    ++removed;
  }
  if (options.json) {
    PrintJson({{"removed", removed}});
  } else {
    Console().Line("removed " + Counted(removed, "stage"));
  }
  return 0;
}

Outcome Kept(Stage& stage, int status) {
  const std::string& id = stage.record().id;
  if (Status s = stage.MakeDurable(); !s) {
    Say("warning: the changes may be lost if the machine stops: " + Printable(s.error().text()));
  }
  Say("the changes are kept as stage " + id + "; to see them: ringfence stage diff " + id +
      "; then: ringfence stage apply " + id + ", or ringfence stage discard " + id);
  return status;
}

// Returns false if the user stops before all conflicts are resolved. Without a terminal and without
// a choice for all, they stay conflicts.
bool ResolveConflicts(const Stage& stage, const StageOptions& options, MergePlan& plan) {
  if (!options.conflicts.empty()) {
    ResolveAll(plan, options.conflicts == "mine" ? ConflictSide::kMine : ConflictSide::kStaged);
  }
  const Terminal terminal;
  return options.json || !terminal.can_ask() || AskAboutConflicts(terminal, stage, plan);
}

Outcome Apply(const StageOptions& options) {
  Result<Taken> taken = TakeChosen(options);
  if (!taken) return taken.error();
  Result<StagePlan> plan = PlanApply(taken->stage, taken->store, options);
  if (!plan) return plan.error();
  SayWhatStays(plan->merge);
  if (!ResolveConflicts(taken->stage, options, plan->merge)) return Kept(taken->stage, 1);
  return ApplyAndReport(taken->stage, *plan, taken->store);
}

Outcome Undo(const StageOptions& options) {
  Result<Taken> taken = TakeChosen(options);
  return taken ? UndoStage(taken->stage, taken->store) : taken.error();
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

// Shows what the command has changed, and what of it would not be applied.
void ShowPlan(const Stage& stage, const StagePlan& plan, bool as_json) {
  if (!as_json) {
    const std::string text = PreviewText(MakePreview(stage, plan));
    std::fwrite(text.data(), 1, text.size(), stderr);
    SayWhatStays(plan.merge);
    return;
  }
  ChangeList changes;
  for (const PlannedChange& planned : plan.merge.changes) {
    if (!planned.is_gits) changes.push_back(planned.change);
  }
  PrintJson({{"id", stage.record().id}, {"changes", ChangesJson(stage, changes)}});
}

StageDecision DecisionOn(const Stage& stage, const StageOptions& options, MergePlan& plan) {
  if (options.apply) return StageDecision::kApply;
  if (options.discard) return StageDecision::kDiscard;
  const Terminal terminal;
  const bool asks = !options.keep && !options.json && terminal.can_ask();
  return asks ? AskAboutStage(terminal, stage, plan) : StageDecision::kKeep;
}

// The command of the stage has ended. The status is the command's own, unless the changes could not
// be applied.
Outcome AfterCommand(const StageOptions& options) {
  Result<Taken> taken = TakeChosen(options);
  if (!taken) return taken.error();
  Stage& stage = taken->stage;
  Result<StagePlan> plan = PlanApply(stage, taken->store, options);
  if (!plan) return plan.error();
  ShowPlan(stage, *plan, options.json);
  const int status = stage.record().status;
  const bool is_empty = plan->merge.changes.empty();
  const StageDecision decision =
      is_empty ? StageDecision::kDiscard : DecisionOn(stage, options, plan->merge);
  switch (decision) {
    case StageDecision::kApply: {
      if (!ResolveConflicts(stage, options, plan->merge)) return Kept(stage, status);
      Outcome outcome = ApplyAndReport(stage, *plan, taken->store);
      if (outcome.status == 0) outcome.status = status;
      return outcome;
    }
    case StageDecision::kDiscard:
      if (Status s = stage.folder().Remove(); !s) return s.error();
      break;
    case StageDecision::kKeep:
      return Kept(stage, status);
  }
  return status;
}

}  // namespace

Outcome RunStageCommand(StageCommand command, const StageOptions& options) {
  // A command can have left files and directories without permissions. Where this is impossible,
  // they are reported.
  if (const Result<bool> reaches = ReachOwnFiles(); !reaches) return reaches.error();
  switch (command) {
    case StageCommand::kList:
      return ListStages(options);
    case StageCommand::kDiff:
      return Diff(options);
    case StageCommand::kApply:
      return Apply(options);
    case StageCommand::kUndo:
      return Undo(options);
    case StageCommand::kDiscard:
      return Discard(options);
    case StageCommand::kGc:
      return CollectGarbage(options);
    case StageCommand::kKeepBases:
      return KeepBases(options);
    case StageCommand::kEnded:
      return AfterCommand(options);
  }
  return 2;
}

}  // namespace ringfence
