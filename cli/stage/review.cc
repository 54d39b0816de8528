#include "cli/stage/review.h"

#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "audit_log/line.h"
#include "base/environment.h"
#include "base/text.h"
#include "cli/common/file_place.h"
#include "cli/stage/apply_stage.h"
#include "cli/stage/describe_change.h"
#include "cli/stage/diff_text.h"
#include "cli/stage/list_stages.h"
#include "cli/stage/review_page.h"
#include "cli/stage/stage_choice.h"
#include "cli/stage/taken_stage.h"
#include "staging/text_diff.h"
#include "staging/text_merge.h"

namespace ringfence {
namespace {

// The plan, or only the changes so far if the command still runs.
Result<StagePlan> PlanOf(StageOptions options, const Stage& running) {
  if (running.is_running()) {
    Result<ChangeList> changes = ShownChanges(running);
    if (!changes) return changes.error();
    StagePlan plan;
    for (Change& change : *changes) {
      const bool is_gits = !GitFolderOf(change.path).empty();
      plan.merge.changes.push_back({.change = std::move(change), .is_gits = is_gits});
    }
    return plan;
  }
  options.id = running.record().id;
  const Result<TakenStage> taken = TakeStage(options);
  if (!taken) return taken.error();
  return PlanApply(*taken, options);
}

std::string TextOr(const Result<std::string>& text) { return text ? *text : std::string(); }

// A merged file is compared as it would be.
std::string DiffOfPlanned(const Stage& stage, const PlannedChange& planned) {
  if (planned.action != ChangeAction::kMerge) return TextOr(DiffText(stage, planned.change));
  const Result<std::string> project = stage.ProjectBytes(planned.change.path, kMaxDiffed);
  return project ? TextOr(UnifiedHunks(*project, planned.merged)) : "";
}

ConflictSides SidesOf(const Stage& stage, const PlannedChange& planned) {
  const std::string& path = planned.change.path;
  const Result<std::string> project = stage.ProjectBytes(path, kMaxDiffed);
  const Result<std::string> staged = stage.StagedBytes(path, kMaxDiffed);
  const bool has_all = planned.base && project && staged && planned.base->size() <= kMaxDiffed &&
                       !HasTooManyLines(*planned.base) && !HasTooManyLines(*project) &&
                       !HasTooManyLines(*staged);
  if (!has_all) return {.staged = TextOr(DiffText(stage, planned.change))};
  return {.staged = TextOr(UnifiedHunks(*planned.base, *staged)),
          .mine = TextOr(UnifiedHunks(*planned.base, *project)),
          .base = planned.base};
}

std::string StartedText(const StageRecord& record) {
  std::string text = AuditTime(record.started).substr(0, 16);
  text[10] = ' ';
  return text + " UTC";
}

Review ReviewOf(const Stage& stage, StagePlan plan) {
  const StageRecord& record = stage.record();
  Review review{
      .id = record.id,
      .facts = {{"Command", CommandText(record)},
                {"Project", record.project.text()},
                {"Stage", record.id},
                {"State", StateText(stage)},
                {"Started", StartedText(record)},
                {"Kept apart by", std::string(MechanismName(record.mechanism))}},
      .plan = std::move(plan),
      .is_final = !stage.is_running(),
      .describe =
          [&stage](const PlannedChange& planned) { return DescribeChange(stage, planned.change); },
      .diff = [&stage](const PlannedChange& planned) { return DiffOfPlanned(stage, planned); },
      .sides = [&stage](const PlannedChange& planned) { return SidesOf(stage, planned); }};
  if (!record.profile.empty()) review.facts.emplace_back("Profile", record.profile);
  if (record.state == StageState::kEnded) {
    review.facts.emplace_back("Exit status", std::to_string(record.status));
  }
  return review;
}

Status WritePage(const StageOptions& options, const std::string& page) {
  if (!options.output.empty()) return WriteWhole(Absolute(options.output), page);
  const bool is_written =
      std::fwrite(page.data(), 1, page.size(), stdout) == page.size() && std::fflush(stdout) == 0;
  if (is_written) return Unit{};
  return Error{Error::Kind::kSystem, "standard output", "could not be written", ""};
}

}  // namespace

Outcome ReviewStage(const StageOptions& options) {
  const Result<StageStore> store = FindStages(options.given);
  if (!store) return store.error();
  const Result<Stage> stage = ChooseStage(*store, options.id);
  if (!stage) return stage.error();
  const std::string& id = stage->record().id;
  if (options.output.empty() && ::isatty(STDOUT_FILENO) == 1) {
    return UsageError(
        "", "a page of HTML is not for a terminal",
        "write it to a file: ringfence stage review " + id + " --output " + id + ".html");
  }
  Result<StagePlan> plan = PlanOf(options, *stage);
  if (!plan) return plan.error();
  const Status written = WritePage(options, ReviewHtml(ReviewOf(*stage, std::move(*plan))));
  return written ? Outcome(0) : Outcome(written.error());
}

}  // namespace ringfence
