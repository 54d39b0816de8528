#include "cli/stage/apply_stage.h"

#include <fcntl.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/contains.h"
#include "base/environment.h"
#include "base/open_path.h"
#include "base/text.h"
#include "cli/common/console.h"
#include "cli/stage/describe_change.h"
#include "cli/stage/list_stages.h"
#include "cli/stage/stage_log.h"
#include "cli/stage/taken_stage.h"
#include "cli/stage/verify.h"
#include "files/beneath.h"
#include "files/tree_transaction.h"
#include "run/messages.h"
#include "staging/apply.h"
#include "staging/plan_digests.h"
#include "staging/text_merge.h"
#include "staging/undo.h"

namespace ringfence {
namespace {

// Says "LABEL: PATH: WHY" for the first changes with this action, and how many more there are. A
// directory stands for what is in it for the same reason.
void SayEach(const MergePlan& plan, ChangeAction action, const std::string& label,
             const std::string& outcome = "") {
  constexpr size_t kMost = 20;
  size_t count = 0;
  const PlannedChange* folder = nullptr;
  for (const PlannedChange& planned : plan.changes) {
    if (planned.action != action || IsGitsState(planned)) continue;
    const std::string& path = planned.change.path;
    const bool is_inside = folder != nullptr && path.starts_with(folder->change.path + "/");
    if (is_inside && planned.why == folder->why) continue;
    if (!is_inside) folder = &planned;
    if (++count > kMost) continue;
    std::string line = label + ": " + ShownPath(path) + ": ";
    line += Printable(planned.why) + outcome;
    Say(line);
  }
  if (count > kMost) Say(label + ": " + std::to_string(count - kMost) + " more");
}

// With --json, standard output is for the result alone.
void SayResult(const ApplyRequest& request, const std::string& text) {
  if (request.options.json) return Say(text);
  Console().Line(text);
}

// The branch that HEAD of this repository of the project names; "HEAD" without one.
std::string CurrentBranch(const Stage& stage, const std::string& repository) {
  constexpr size_t kMostHead = 4096;
  constexpr std::string_view kStart = "ref: refs/heads/";
  Result<std::string> head = stage.ProjectBytes(repository + "/HEAD", kMostHead);
  if (!head || !head->starts_with(kStart)) return "HEAD";
  return head->substr(kStart.size(), head->find('\n') - kStart.size());
}

// True if the project has the branch now.
bool IsThere(const Stage& stage, const StagedBranch& branch) {
  const std::string name = std::string(kHeads) + branch.name;
  const std::string path = branch.repository + "/" + name;
  const Result<Entry> loose = LookAt(stage.project().get(), path, path);
  if (!loose || loose->is_file()) return true;
  const Result<std::string> packed =
      stage.ProjectBytes(branch.repository + "/packed-refs", kMaxMerged);
  return packed && packed->find(" " + name + "\n") != packed->npos;
}

// True if the user may have moved the branch since the stage began.
bool HasMoved(const Stage& stage, const StagedBranch& branch) {
  for (const std::string& file : {std::string(kHeads) + branch.name, std::string("packed-refs")}) {
    const std::string path = branch.repository + "/" + file;
    const Result<Entry> entry = LookAt(stage.project().get(), path, path);
    if (entry && entry->is_file()) return entry->ctime >= stage.record().watermark;
  }
  return true;
}

// Returns the command that moves the user's branch to the new one; "" for none. The files of the
// commits are in the work tree already, so moving the current branch changes no file.
std::string MoveBranch(const Stage& stage, const StagedBranch& branch) {
  const std::string_view folder = FolderOf(branch.repository);
  const std::string git =
      folder.empty() ? "git " : "git -C " + ShellWord(std::string(folder)) + " ";
  const std::string becomes = ShellWord(branch.becomes);
  const std::string current = CurrentBranch(stage, branch.repository);
  const bool is_current = branch.name == current;
  const bool is_named = branch.name != "HEAD" && IsThere(stage, branch);
  if (!is_named && !is_current) return "";
  // Moving a branch back would take the user's own commits off it.
  if (is_named && HasMoved(stage, branch)) {
    return branch.name + " may have other commits since the stage began; to compare: " + git +
           "log --oneline " + ShellWord(branch.name + "..." + branch.becomes);
  }
  if (is_current) return "to move the current branch there: " + git + "reset " + becomes;
  return "to move " + branch.name + " there: " + git + "branch -f " + ShellWord(branch.name) + " " +
         becomes;
}

// The commits are on a branch of their own.
void SayBranch(const Stage& stage, const StagedBranch& branch) {
  const std::string move = branch.becomes == branch.name ? "" : MoveBranch(stage, branch);
  Say(Printable("the commits on " + branch.name + " are the new branch " + branch.becomes +
                (move.empty() ? "" : "; ") + move));
}

void SayBranchStays(const std::string& path) {
  const std::string repository(GitFolderOf(path));
  Say("the branch " + Printable(path.substr(repository.size() + 1 + kHeads.size())) + " of " +
      Printable(repository) + " stays: it is checked out, or was changed since");
}

std::string ChangedMeanwhile(const std::string& path) {
  return Quote(path) + " was changed by another program in the meantime";
}

AuditEntry UndoEntry(const Stage& stage, uint64_t number, const std::string& by) {
  return {.event = "StageUndo",
          .paths = {stage.record().project.text()},
          .verdict = LoggedVerdict::kPermit,
          .number = number,
          .by = by};
}

// CountApplied() for an earlier apply.
Result<size_t> CountAppliedBefore(const Stage& stage, uint64_t number) {
  const Result<std::vector<DoneStep>> steps = StepsIn(stage.folder(), UndoName(number));
  if (!steps) return steps.error();
  size_t count = 0;
  for (const DoneStep& step : *steps) {
    const std::string_view repository = GitFolderOf(step.path);
    if (repository.empty() || repository == step.path) {
      count += 1 + step.placed_inside.size() + step.before_inside.size();
    } else if (step.path.substr(repository.size() + 1).starts_with(kHeads)) {
      const auto inside = std::ranges::count_if(
          step.placed_inside, [](const auto& inner) { return inner.second.is_file(); });
      count += static_cast<size_t>(inside) + (step.placed.is_file() ? 1 : 0);
    }
  }
  return count;
}

// What the log says about, before it is done.
struct LoggedStep {
  std::string_view event;  // "StageApply" or "StageUndo"
  uint64_t number;         // of the apply
};

// True if the step was done although it reports a failure: then only what follows it has failed.
bool IsDone(const Stage& stage, const LoggedStep& step) {
  if (!Recover(stage.project(), stage.folder().fd())) return false;
  const Result<ApplyNumbers> numbers = FindApplies(stage.folder());
  if (!numbers) return false;
  return Contains(step.event == "StageApply" ? numbers->applied : numbers->undone, step.number);
}

// Takes back what the log says about the step, which has failed.
void LogFailure(const Stage& stage, const StageLog& log, const LoggedStep& step,
                const std::string& why) {
  if (IsDone(stage, step)) return;
  const Status logged = log.Write({AuditEntry{.event = std::string(step.event),
                                              .verdict = LoggedVerdict::kError,
                                              .why = "nothing is changed: " + why,
                                              .number = step.number}});
  if (!logged) Say("warning: this failure is not logged: " + Printable(logged.error().text()));
}

}  // namespace

size_t CountApplied(const StagePlan& plan) {
  const auto is_seen = [](const PlannedChange& one) { return one.is_done() && !one.is_gits; };
  const auto files = std::ranges::count_if(plan.merge.changes, is_seen);
  return static_cast<size_t>(files) + plan.branches.size();
}

void SayWhatStays(const MergePlan& plan, std::string_view conflicts) {
  if (conflicts.empty()) {
    SayEach(plan, ChangeAction::kConflict, "conflict");
  } else {
    SayEach(plan, ChangeAction::kConflict, "conflict resolved",
            conflicts == "mine" ? "; your version is kept" : "; the stage's version is taken");
  }
  SayEach(plan, ChangeAction::kHold, "held back by the policy");
  SayEach(plan, ChangeAction::kSkip, "not applied");
}

Outcome ApplyAndReport(TakenStage& taken, StagePlan& plan, const ApplyRequest& request) {
  Stage& stage = taken.stage;
  const std::string& id = stage.record().id;
  MergePlan& merge = plan.merge;
  if (Status s = TakeProject(taken, "ringfence stage apply "); !s) return s.error();
  const Result<MergePlan> stays = FinishPlan(stage, plan, request.options);
  if (!stays) return stays.error();
  SayWhatStays(*stays);
  if (const size_t conflicts = merge.Count(ChangeAction::kConflict); conflicts > 0) {
    return Outcome::No({Error::Kind::kUsage, "",
                        "nothing is applied, because of " + Counted(conflicts, "conflict"),
                        "take one side in all conflicts: ringfence stage apply " + id +
                            " --conflicts staged (or mine); or apply other files by name: "
                            "ringfence stage apply " +
                            id + " PATH"});
  }
  if (std::ranges::none_of(merge.changes, &PlannedChange::is_done)) {
    SayResult(request, "stage " + id + " has nothing to apply");
    return 0;
  }
  if (Status s = VerifyMerged(stage, merge, plan.verify, request.options.given); !s) {
    return Outcome::No(s.error());
  }
  const Result<StageLog> log = StageLog::Of(request.options.given, stage.folder());
  if (!log) return log.error();
  const Result<ApplyNumbers> numbers = FindApplies(stage.folder());
  if (!numbers) return numbers.error();
  const std::string& conflicts = request.options.conflicts;
  const Deciders deciders{request.by, conflicts.empty() ? "answer" : "--conflicts " + conflicts};
  const uint64_t number = numbers->next();
  const size_t changes = CountApplied(plan);
  AddDigests(stage, merge);
  const Path& project = stage.record().project;
  if (Status s = log->Write(ApplyEntries(project, merge, number, deciders)); !s) return s.error();
  const Result<Applied> applied = ApplyPlan(stage, merge);
  const std::string failure = !applied            ? applied.error().text()
                              : applied->mismatch ? ChangedMeanwhile(*applied->mismatch)
                                                  : "";
  if (!failure.empty()) LogFailure(stage, *log, {"StageApply", number}, failure);
  if (!applied) return applied.error();
  if (applied->mismatch) {
    SayEarlierVersions(stage, applied->changed);
    return Outcome::No({Error::Kind::kSystem, *applied->mismatch,
                        "was changed by another program in the meantime; nothing is applied",
                        "try again: ringfence stage apply " + id});
  }
  for (const StagedBranch& branch : plan.branches) SayBranch(stage, branch);
  SayResult(request, "applied " + Counted(changes, "change") + " of stage " + id +
                         "; to take them back: ringfence stage undo " + id);
  return 0;
}

Outcome UndoStage(TakenStage& taken, const ApplyRequest& request) {
  Stage& stage = taken.stage;
  const std::string& id = stage.record().id;
  const Result<ApplyNumbers> applies = FindApplies(stage.folder());
  if (!applies) return applies.error();
  if (applies->applied.empty()) {
    return UsageError("", "stage " + id + " is not applied",
                      "ringfence stage list shows the stages");
  }
  if (Status s = TakeProject(taken, "ringfence stage undo "); !s) return s.error();
  const Result<StageLog> log = StageLog::Of(request.options.given, stage.folder());
  if (!log) return log.error();
  const uint64_t number = applies->applied.back();
  const Result<size_t> changes = CountAppliedBefore(stage, number);
  if (!changes) return changes.error();
  if (Status s = log->Write({UndoEntry(stage, number, request.by)}); !s) return s.error();
  const Result<Undone> undone = UndoApply(stage);
  const std::string failure = !undone                   ? undone.error().text()
                              : undone->changed.empty() ? ""
                                                        : "files were changed since the apply";
  if (!failure.empty()) LogFailure(stage, *log, {"StageUndo", number}, failure);
  if (!undone) return undone.error();
  if (!undone->changed.empty()) {
    for (const std::string& path : undone->changed) Say("changed since: " + ShownPath(path));
    SayEarlierVersions(stage, undone->kept);
    return Outcome::No({Error::Kind::kSystem, "",
                        "nothing is undone, because of changes since stage " + id + " was applied",
                        ""});
  }
  for (const std::string& path : undone->branches) SayBranchStays(path);
  SayResult(request, "took back " + Counted(*changes, "change") + " of stage " + id);
  return 0;
}

}  // namespace ringfence
