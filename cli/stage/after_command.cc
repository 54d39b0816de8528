#include "cli/stage/after_command.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "cli/common/console.h"
#include "cli/stage/apply_stage.h"
#include "cli/stage/conflicts.h"
#include "cli/stage/preview.h"
#include "cli/stage/show_changes.h"
#include "cli/stage/stage_question.h"
#include "cli/stage/taken_stage.h"

namespace ringfence {
namespace {

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

}  // namespace

Outcome AfterCommand(const StageOptions& options) {
  Result<TakenStage> taken = TakeStage(options);
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
      if (!ResolveConflicts(stage, options, plan->merge)) return SayKept(stage, status);
      Outcome outcome = ApplyAndReport(*taken, *plan, options.given);
      if (outcome.status == 0) outcome.status = status;
      return outcome;
    }
    case StageDecision::kDiscard:
      if (Status s = stage.folder().Remove(); !s) return s.error();
      break;
    case StageDecision::kKeep:
      return SayKept(stage, status);
  }
  return status;
}

}  // namespace ringfence
