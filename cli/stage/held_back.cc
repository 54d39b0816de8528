#include "cli/stage/held_back.h"

#include <utility>

#include "files/beneath.h"
#include "policy/decide.h"
#include "policy/files/git_files.h"
#include "run/typed_context.h"

namespace ringfence {
namespace {

// Holds back changes of the plan as it is now. Returns false if all can be applied.
bool HoldOnce(const StagePolicy& policy, MergePlan& plan) {
  const size_t planned_before = plan.CountDone();
  std::vector<const Change*> changes;
  for (const PlannedChange& planned : plan.changes) {
    if (planned.is_done()) changes.push_back(&planned.change);
  }
  const PlannedDecisions decisions(policy, std::move(changes));
  for (PlannedChange& planned : plan.changes) {
    if (!planned.is_done() && planned.action != ChangeAction::kConflict) continue;
    std::string why = decisions.WhyHeld(planned.change);
    if (why.empty()) continue;
    planned.action = ChangeAction::kHold;
    planned.why = std::move(why);
  }
  LeaveOutDependents(plan);
  return plan.CountDone() < planned_before;
}

}  // namespace

Result<StagePolicy> StagePolicy::Find(Registration given, const StageRecord& record) {
  given.root = record.project.text();
  given.profile = record.profile;
  const RealFiles disk;
  Result<Context> found = FindTypedContext(std::move(given), disk);
  if (!found) return found.error();
  auto context = std::make_unique<Context>(std::move(*found));
  Result<Policy> rules = context->PolicyFor();
  if (!rules) return rules.error();
  context->places.audit_file = OwnPath(rules->audit.file, context->places);  // none may change it
  auto event = std::make_unique<Event>();
  event->cwd = record.project.text();
  return StagePolicy(std::move(context), std::move(event), std::move(*rules), record.project);
}

PathDecider StagePolicy::DeciderFor(const CachedFiles& files) const {
  return {*event_, {rules_, context_->places, files}};
}

std::string StagePolicy::WhyHeld(const Change& change, const PathDecider& decider) const {
  const Decision decision = decider.Decide(project_.text() + "/" + change.path, Access::kWrite);
  if (decision.failure) return decision.failure->text();
  if (decision.verdict == Verdict::kPermit) return "";
  return decision.cause ? decision.cause->why : "the policy does not allow it";
}

std::string PlannedDecisions::WhyHeld(const Change& change) const {
  // The change creates this name. Elsewhere this makes no difference, and the cache serves all.
  const bool depends = change.after.is_link() || IsRepositoryPart(NameOf(change.path));
  if (!depends) return policy_.WhyHeld(change, decider_);
  const Path name = Path::Clean(policy_.real_project().text() + "/" + change.path);
  const FilesWithoutName without(files_, name);
  const CachedFiles cached(without);
  return policy_.WhyHeld(change, policy_.DeciderFor(cached));
}

void HoldBack(const StagePolicy& policy, MergePlan& plan) {
  // Without one change, another can be one that the policy does not allow. What is held back stays
  // so, and nearly always this ends after the second time.
  constexpr int kMostTimes = 20;
  for (int i = 0; i < kMostTimes; ++i) {
    if (!HoldOnce(policy, plan)) return;
  }
  for (PlannedChange& planned : plan.changes) {
    if (!planned.is_done()) continue;
    planned.action = ChangeAction::kHold;
    planned.why = "too many changes depend on others that the policy does not allow";
  }
}

}  // namespace ringfence
