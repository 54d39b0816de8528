#include "staging/apply.h"

#include <fcntl.h>

#include <string_view>
#include <utility>

#include "files/beneath.h"
#include "staging/put_back.h"
#include "staging/undo.h"

namespace ringfence {
namespace {

NewEntry NewEntryOf(const PlannedChange& planned, std::string_view top) {
  const Change& change = planned.change;
  NewEntry entry{.kind = change.after.kind,
                 .mode = planned.mode(),
                 .target = change.after.target,
                 .source = change.path,
                 .digest = change.after.digest};
  if (change.path.size() > top.size()) entry.below = change.path.substr(top.size() + 1);
  if (planned.action == ChangeAction::kMerge) {
    entry.bytes = planned.merged;
  } else {
    entry.mtime = change.after.mtime;
  }
  return entry;
}

// True if it replaces what was there when the stage began. A step with this mark can be applied
// again once it is taken back.
bool ReplacesBase(const PlannedChange& planned) {
  return planned.action == ChangeAction::kApply && planned.resolution == ConflictResolution::kNone;
}

class StepMaker {
 public:
  explicit StepMaker(const MergePlan& plan) : changes_(plan.changes) {}

  std::vector<TreeStep> Make() {
    for (size_t i = 0; i < changes_.size();) i = Add(i);
    return std::move(steps_);
  }

 private:
  // Adds the step for one change. Returns the index of the next one that is not part of it.
  size_t Add(size_t i) {
    const PlannedChange& planned = changes_[i];
    const Change& change = planned.change;
    if (!planned.is_done()) return i + 1;
    if (change.before.is_directory() && !change.after.is_directory()) return AddRemovedFolder(i);
    if (change.after.is_directory() && change.before.is_directory()) {
      steps_.push_back({.kind = DoneStep::Kind::kMode,
                        .path = change.path,
                        .expected = change.before,
                        .mode = change.after.mode,
                        .source = change.other_attributes().empty() ? "" : change.path,
                        .mark = ReplacesBase(planned)});
      return i + 1;
    }
    if (change.after.is_directory()) return AddNewFolder(i);
    if (change.is_removed()) {
      steps_.push_back({.kind = DoneStep::Kind::kRemove,
                        .path = change.path,
                        .expected = change.before,
                        .mark = ReplacesBase(planned)});
      return i + 1;
    }
    steps_.push_back(
        {.path = change.path,
         .expected = change.before,
         .tree = {.entries = {NewEntryOf(planned, change.path)}},
         .keeps_attributes = planned.action == ChangeAction::kMerge && planned.keeps_attributes,
         .mark = ReplacesBase(planned)});
    return i + 1;
  }

  size_t AddNewFolder(size_t i) {
    const std::string& top = changes_[i].change.path;
    TreeStep step{
        .path = top, .expected = changes_[i].change.before, .mark = ReplacesBase(changes_[i])};
    step.tree.entries.push_back(NewEntryOf(changes_[i], top));
    for (++i; i < changes_.size() && IsIn(changes_[i].change.path, top); ++i) {
      if (!changes_[i].is_done()) continue;
      step.tree.entries.push_back(NewEntryOf(changes_[i], top));
      step.mark = step.mark && ReplacesBase(changes_[i]);
    }
    steps_.push_back(std::move(step));
    return i;
  }

  // A directory that is removed or replaced by a file or a link.
  size_t AddRemovedFolder(size_t i) {
    const PlannedChange& planned = changes_[i];
    const Change& change = planned.change;
    TreeStep step{.kind = change.is_removed() ? DoneStep::Kind::kRemove : DoneStep::Kind::kPut,
                  .path = change.path,
                  .expected = change.before,
                  .mark = ReplacesBase(planned)};
    if (!change.is_removed()) step.tree.entries.push_back(NewEntryOf(planned, change.path));
    for (++i; i < changes_.size() && IsIn(changes_[i].change.path, step.path); ++i) {
      const Change& inner = changes_[i].change;
      step.expected_inside.emplace_back(inner.path.substr(step.path.size() + 1), inner.before);
      step.mark = step.mark && ReplacesBase(changes_[i]);
    }
    steps_.push_back(std::move(step));
    return i;
  }

  const std::vector<PlannedChange>& changes_;
  std::vector<TreeStep> steps_;
};

}  // namespace

std::vector<TreeStep> StepsOf(const MergePlan& plan) { return StepMaker(plan).Make(); }

namespace {

// Undoes the steps before it returns an error or a mismatch.
Result<Applied> ApplySteps(const Stage& stage, const std::vector<TreeStep>& steps) {
  const Result<ApplyNumbers> numbers = FindApplies(stage.folder());
  if (!numbers) return numbers.error();
  TreeTransaction transaction({stage.project(), stage.folder().fd(), {&stage.written()}});
  Result<std::optional<std::string>> mismatch = transaction.Perform(steps);
  if (!mismatch) return mismatch.error();
  if (*mismatch) return Applied{.mismatch = std::move(*mismatch), .changed = transaction.changed()};
  if (Status s = transaction.Commit(UndoName(numbers->next())); !s) return s.error();
  return Applied{};
}

}  // namespace

Result<Applied> ApplyPlan(const Stage& stage, const MergePlan& plan) {
  const std::vector<TreeStep> steps = StepsOf(plan);
  Result<Applied> applied = ApplySteps(stage, steps);
  if (!applied || applied->mismatch) NotePutBack(stage, steps);
  return applied;
}

}  // namespace ringfence
