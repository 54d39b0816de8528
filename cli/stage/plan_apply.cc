#include "cli/stage/plan_apply.h"

#include <fcntl.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "base/environment.h"
#include "base/open_path.h"
#include "base/text.h"
#include "cli/stage/held_back.h"
#include "files/beneath.h"
#include "staging/base_versions.h"
#include "staging/git_objects.h"
#include "staging/moves.h"
#include "staging/text_merge.h"

namespace ringfence {
namespace {

// A branch is not created if its file is held back.
void DropHeldBranches(StagePlan& plan) {
  std::erase_if(plan.branches, [&plan](const StagedBranch& branch) {
    const std::string path = ReferenceOf(branch);
    return std::ranges::none_of(plan.merge.changes, [&path](const PlannedChange& planned) {
      return planned.is_done() && planned.change.path == path;
    });
  });
}

// The path below the project; "" for the project itself.
std::string NameInProject(const std::string& path, const Path& project) {
  for (const std::string& absolute : {Absolute(path), project.text() + "/" + path}) {
    const Path clean = Path::Clean(absolute);
    if (const std::optional<std::string_view> below = clean.Below(project)) {
      return std::string(*below);
    }
  }
  return path;
}

const std::string& PathOfPlanned(const PlannedChange& planned) { return planned.change.path; }

std::vector<const Change*> PointersTo(const ChangeList& changes) {
  std::vector<const Change*> pointers;
  for (const Change& change : changes) pointers.push_back(&change);
  return pointers;
}

bool IsAt(std::string_view path, const std::string& name) {
  return name.empty() || path == name || path.starts_with(name + "/");
}

// The changes at the paths, and the new directories that they are in.
Result<ChangeList> ChosenChanges(const Stage& stage, const std::vector<std::string>& paths) {
  Result<ChangeList> all = ShownChanges(stage);
  if (!all || paths.empty()) return all;
  ChangeList chosen = *all;
  if (Status s = KeepOnly(chosen, paths, stage); !s) return s.error();
  std::set<std::string_view> names, folders;
  for (const Change& change : chosen) {
    names.insert(change.path);
    for (std::string_view folder = FolderOf(change.path);
         !folder.empty() && folders.insert(folder).second; folder = FolderOf(folder)) {
    }
  }
  std::erase_if(*all, [&](const Change& change) {
    const bool is_new = change.after.is_directory() && !change.before.is_directory();
    return !names.contains(change.path) && !(is_new && folders.contains(change.path));
  });
  return all;
}

// Takes the changes of git's own directories out of `changes`.
Result<RepositoryPlan> PlanStagedRepositories(const Stage& stage, ChangeList& changes) {
  GitObjects objects(stage);
  return PlanRepositories(
      changes,
      {.stage = stage.record().id,
       .staged_bytes = [&](const std::string& path) { return stage.StagedBytes(path, kMaxMerged); },
       .project_bytes =
           [&](const std::string& path) { return stage.ProjectBytes(path, kMaxMerged); },
       .is_sound = [&](const std::string& path) { return objects.IsSound(path); },
       .exists =
           [&](const std::string& path) {
             return OpenBeneath(stage.project(), path, kOpenPath).has_value();
           }});
}

}  // namespace

Result<ChangeList> ShownChanges(const Stage& stage) {
  Result<ChangeList> changes = stage.Changes();
  if (!changes) return changes;
  FindMoves(
      *changes, [&](const std::string& path) { return stage.ProjectBytes(path, kMaxMerged); },
      [&](const std::string& path) { return stage.StagedBytes(path, kMaxMerged); });
  return changes;
}

bool IsGitsState(const PlannedChange& planned) {
  return planned.is_gits && planned.action == ChangeAction::kSkip;
}

Status KeepOnly(ChangeList& changes, const std::vector<std::string>& paths, const Stage& stage) {
  if (paths.empty()) return Unit{};
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    names.push_back(NameInProject(path, stage.record().project));
    const auto is_there = [&](const Change& change) { return IsAt(change.path, names.back()); };
    if (std::ranges::any_of(changes, is_there)) continue;
    return UsageError("", "stage " + stage.record().id + " does not change " + Quote(path),
                      "name a path that the list of its changes has");
  }
  std::erase_if(changes, [&names](const Change& change) {
    return std::ranges::none_of(
        names, [&change](const std::string& name) { return IsAt(change.path, name); });
  });
  return Unit{};
}

Result<StagePlan> PlanApply(const TakenStage& taken, const StageOptions& options) {
  const Stage& stage = taken.stage;
  Result<ChangeList> changes = ChosenChanges(stage, options.paths);
  if (!changes) return changes.error();
  const Result<StagePolicy> policy = StagePolicy::Find(options.given, stage.record());
  if (!policy) return policy.error();
  const Result<BaseVersions> base = BaseVersions::Of(stage, taken.store);
  if (!base) return base.error();
  if (Status s = base->Keep(*changes); !s) return s.error();
  Result<RepositoryPlan> repositories = PlanStagedRepositories(stage, *changes);
  if (!repositories) return repositories.error();
  const ChangeList all = *changes;
  const PlannedDecisions decisions(*policy, PointersTo(all));
  Result<MergePlan> merge = PlanMerge(
      std::move(*changes),
      {.is_unchanged = [&](const std::string& path,
                           const Entry& now) { return base->IsUnchanged(path, now); },
       .base = [&](const std::string& path) { return base->Text(path); },
       .base_mode = [&](const std::string& path,
                        const Entry& now) { return base->Mode(path, now); },
       .base_attributes = [&](const std::string& path,
                              const Entry& now) { return base->Attributes(path, now); },
       .project_bytes =
           [&](const std::string& path) { return stage.ProjectBytes(path, kMaxMerged); },
       .staged_bytes = [&](const std::string& path) { return stage.StagedBytes(path, kMaxMerged); },
       .held_back = [&](const Change& change) { return decisions.WhyHeld(change); }});
  if (!merge) return merge.error();
  std::ranges::move(repositories->changes, std::back_inserter(merge->changes));
  std::ranges::sort(merge->changes, PathBefore, PathOfPlanned);
  const bool is_all = merge->CountDone() == all.size() && merge->changes.size() == all.size();
  if (!is_all) HoldBack(*policy, *merge);  // otherwise the decisions were for this plan
  const Policy& rules = policy->rules();
  StagePlan plan{.merge = std::move(*merge),
                 .branches = std::move(repositories->branches),
                 .verify = {rules.stage.verify.begin(), rules.stage.verify.end()},
                 .show_diff_threshold = rules.stage.show_diff_threshold,
                 .is_locked = taken.project.valid()};
  plan.decided = plan.merge.CountDone();
  DropHeldBranches(plan);
  return plan;
}

Result<MergePlan> FinishPlan(const Stage& stage, StagePlan& plan, const StageOptions& options) {
  const bool has_answers =
      plan.merge.CountDone() != plan.decided ||
      std::ranges::any_of(plan.merge.changes, [](const PlannedChange& planned) {
        return planned.resolution != ConflictResolution::kNone;
      });
  if (plan.is_locked && !has_answers) return MergePlan();
  const Result<StagePolicy> policy = StagePolicy::Find(options.given, stage.record());
  if (!policy) return policy.error();
  MergePlan stays;
  std::vector<ChangeAction> actions;
  for (const PlannedChange& planned : plan.merge.changes) actions.push_back(planned.action);
  LeaveOutDependents(plan.merge);
  HoldBack(*policy, plan.merge);
  DropHeldBranches(plan);
  for (size_t i = 0; i < plan.merge.changes.size(); ++i) {
    const PlannedChange& planned = plan.merge.changes[i];
    if (planned.action == actions[i]) continue;
    stays.changes.push_back(
        {.change = {.path = planned.change.path}, .action = planned.action, .why = planned.why});
  }
  return stays;
}

}  // namespace ringfence
