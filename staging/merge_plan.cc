#include "staging/merge_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "files/attributes.h"
#include "files/beneath.h"
#include "staging/text_diff.h"
#include "staging/text_merge.h"

namespace ringfence {
namespace {

class MergePlanner {
 public:
  explicit MergePlanner(const MergeSurroundings& around) : around_(around) {}

  // Keeps the permissions and attributes that only the user has changed, of a directory that both
  // have. Returns false if nothing is left to change.
  bool KeepUsersFacts(Change& change) const {
    if (!change.before.is_directory() || !change.after.is_directory()) return true;
    const bool is_users = OwnerOfAttributes(change) == Side::kUser;
    if (is_users) change.after.attributes = change.before.attributes;
    const std::optional<uint32_t> merged = MergedMode(change);
    if (!merged && !is_users) return true;
    constexpr uint32_t kMerged = 0777;
    if (merged) change.after.mode = (change.after.mode & ~kMerged) | *merged;
    return change.after.mode != change.before.mode || !change.other_attributes().empty() ||
           change.is_too_deep;
  }

  Result<PlannedChange> Plan(Change change) {
    PlannedChange planned{.change = std::move(change)};
    planned.why = WhyNever(planned.change);
    if (!planned.why.empty()) {
      planned.action = ChangeAction::kSkip;
      return planned;
    }
    planned.why = around_.held_back(planned.change);
    if (!planned.why.empty()) {
      planned.action = ChangeAction::kHold;
      return planned;
    }
    if (HasOneSide(planned.change)) return planned;
    if (Status s = Combine(planned); !s) return s.error();
    return planned;
  }

 private:
  // Who has changed the extended attributes since the stage began.
  enum class Side : uint8_t { kNone, kStage, kUser, kBoth, kUnknown };

  Side OwnerOfAttributes(const Change& change) const {
    if (change.before.attributes == change.after.attributes) return Side::kNone;
    const std::optional<std::string> base = around_.base_attributes(change.path, change.before);
    if (!base) return Side::kUnknown;
    if (AttributesDigest(change.before) == *base) return Side::kStage;
    return AttributesDigest(change.after) == *base ? Side::kUser : Side::kBoth;
  }

  static std::string WhyNever(const Change& change) {
    if (change.is_too_deep) return "a directory that is nested too deeply";
    if (change.after.size > kMaxApplied) return "larger than 1 TB";
    if (change.after.kind == EntryKind::kSpecial) return "a FIFO, a socket or a device";
    if (change.before.kind == EntryKind::kSpecial)
      return "in place of a FIFO, a socket or a device";
    constexpr uint32_t kRunsAsOwner = 06000;
    const bool is_set_id = change.after.is_file() && (change.after.mode & kRunsAsOwner) != 0;
    return is_set_id ? "a set-user-ID or set-group-ID program" : "";
  }

  // True if only the stage has changed this name.
  bool HasOneSide(const Change& change) const {
    // A file that was moved inside the stage is also an edit, and so is one that a program has
    // written under another name first, if the project had it.
    if (!change.before.exists()) {
      const bool is_edit_here = change.is_edit && change.moved_from.empty();
      const bool is_new = !is_edit_here && !around_.base(change.path);
      return is_new || around_.is_unchanged(change.path, change.before);
    }
    // Files that come and go in a directory change its ctime, but not what is changed here.
    if (change.before.is_directory() && change.after.kind != EntryKind::kFile)
      return !change.after.is_directory() || OwnerOfAttributes(change) != Side::kBoth;
    return around_.is_unchanged(change.path, change.before);
  }

  Status Combine(PlannedChange& planned) const {
    const Change& change = planned.change;
    planned.action = ChangeAction::kConflict;
    if (!change.before.exists()) {
      planned.why = "changed in the stage, deleted in the project";
      return Unit{};
    }
    if (change.is_removed()) {
      planned.why = "deleted in the stage, changed in the project";
      return Unit{};
    }
    planned.why = "changed in the stage and in the project";
    if (change.before.is_directory() && change.after.is_directory())
      planned.why = "attributes changed in the stage and in the project";
    const bool is_text = change.before.is_file() && change.after.is_file() &&
                         change.before.size <= kMaxMerged && change.after.size <= kMaxMerged;
    return is_text ? Merge(planned) : Status(Unit{});
  }

  Status Merge(PlannedChange& planned) const {
    const std::string& path = planned.change.path;
    const Result<std::string> project = around_.project_bytes(path);
    if (!project && IsMissing(project.error())) return Unit{};  // deleted right now
    if (!project) return project.error();
    const Result<std::string> staged = around_.staged_bytes(path);
    if (!staged) return staged.error();
    if (IsBinary(*project) || IsBinary(*staged)) {
      planned.why += "; a binary file";
      return Unit{};
    }
    planned.base = around_.base(path);
    if (!planned.base || IsBinary(*planned.base)) {
      planned.base.reset();
      planned.why += "; what it was before is not known";
      return Unit{};
    }
    planned.merged_mode = MergedMode(planned.change);
    const Side owner = OwnerOfAttributes(planned.change);
    planned.keeps_attributes = owner == Side::kUser || owner == Side::kNone;
    if (owner == Side::kBoth || owner == Side::kUnknown) {
      planned.why += "; also its attributes";
      return Unit{};
    }
    Result<MergedText> merged = MergeTexts({*planned.base, *project, *staged});
    if (!merged) return merged.error();
    if (!merged->is_clean) return Unit{};
    const uint32_t mode = planned.merged_mode.value_or(planned.change.after.mode);
    const bool is_there =
        merged->text == *project && mode == planned.change.before.mode && owner != Side::kStage;
    planned.action = is_there ? ChangeAction::kSkip : ChangeAction::kMerge;
    planned.why = is_there ? "the project has this change already" : "";
    planned.merged = std::move(merged->text);
    return Unit{};
  }

  // Each bit is the one of the side that has changed it. A merged file never runs as its owner.
  std::optional<uint32_t> MergedMode(const Change& change) const {
    constexpr uint32_t kMerged = 0777;
    const std::optional<uint32_t> base = around_.base_mode(change.path, change.before);
    if (!base) return {};
    return (*base ^ ((*base ^ change.before.mode) | (*base ^ change.after.mode))) & kMerged;
  }

  const MergeSurroundings& around_;
};

// False for a conflict: nothing is applied before the user has decided it, and then this is called
// again.
bool Stays(const PlannedChange& planned) {
  return !planned.is_done() && planned.action != ChangeAction::kConflict;
}

// A directory that holds something that stays cannot be removed, and nothing can take its place.
void KeepFoldersInUse(std::vector<PlannedChange>& changes) {
  std::set<std::string_view> kept;
  for (const PlannedChange& planned : changes) {
    if (!Stays(planned)) continue;
    for (std::string_view folder = FolderOf(planned.change.path);
         !folder.empty() && kept.insert(folder).second; folder = FolderOf(folder)) {
    }
  }
  for (PlannedChange& planned : changes) {
    const Change& change = planned.change;
    const bool goes = change.before.is_directory() && !change.after.is_directory();
    if (!goes || !planned.is_done() || !kept.contains(change.path)) continue;
    planned.action = ChangeAction::kSkip;
    planned.why = "the directory holds something that stays";
  }
}

// A directory and the file or link that the stage has put in its place are one change: if the
// directory stays, so does everything in it.
void KeepReplacedFolders(std::vector<PlannedChange>& changes) {
  const PlannedChange* folder = nullptr;
  for (PlannedChange& planned : changes) {
    const Change& change = planned.change;
    if (folder != nullptr && IsIn(change.path, folder->change.path)) {
      if (Stays(planned)) continue;
      planned.action = ChangeAction::kSkip;
      planned.why = "its directory is not replaced";
      continue;
    }
    const bool is_replaced = change.before.is_directory() && !change.after.is_directory();
    folder = is_replaced && !change.is_removed() && Stays(planned) ? &planned : nullptr;
  }
}

// What is in a new directory that is not applied cannot be applied either. If the directory is a
// conflict, so are its contents, except what stays in any case.
void LeaveOutContents(std::vector<PlannedChange>& changes) {
  const PlannedChange* folder = nullptr;
  for (PlannedChange& planned : changes) {
    const Change& change = planned.change;
    if (folder != nullptr && IsIn(change.path, folder->change.path)) {
      if (Stays(planned)) continue;
      planned.action = folder->action;
      planned.why = folder->why;
      continue;
    }
    const bool is_new = change.after.is_directory() && !change.before.is_directory();
    folder = is_new && !planned.is_done() ? &planned : nullptr;
  }
}

// A file that does not get to its new name keeps the old one.
void KeepMoved(std::vector<PlannedChange>& changes) {
  std::map<std::string_view, std::string_view> kept;  // old names, with the new ones
  for (const PlannedChange& planned : changes) {
    if (Stays(planned)) kept.emplace(planned.change.moved_from, planned.change.path);
  }
  for (PlannedChange& planned : changes) {
    if (!planned.change.is_removed() || !planned.is_done()) continue;
    const auto found = kept.find(planned.change.path);
    if (found == kept.end()) continue;
    planned.action = ChangeAction::kSkip;
    planned.why = "it was moved to " + Quote(found->second) + ", which is not applied";
  }
}

}  // namespace

size_t MergePlan::Count(ChangeAction action) const {
  return static_cast<size_t>(std::ranges::count(changes, action, &PlannedChange::action));
}

size_t MergePlan::CountDone() const {
  return static_cast<size_t>(std::ranges::count_if(changes, &PlannedChange::is_done));
}

Result<MergePlan> PlanMerge(ChangeList changes, const MergeSurroundings& surroundings) {
  MergePlanner planner(surroundings);
  MergePlan plan;
  plan.changes.reserve(changes.size());
  for (Change& change : changes) {
    if (!planner.KeepUsersFacts(change)) continue;
    Result<PlannedChange> planned = planner.Plan(std::move(change));
    if (!planned) return planned.error();
    plan.changes.push_back(std::move(*planned));
  }
  LeaveOutDependents(plan);
  return plan;
}

void LeaveOutDependents(MergePlan& plan) {
  // What stays can be the reason why something else does.
  for (size_t done = plan.CountDone() + 1; done != plan.CountDone();) {
    done = plan.CountDone();
    LeaveOutContents(plan.changes);
    KeepMoved(plan.changes);
    KeepFoldersInUse(plan.changes);
    KeepReplacedFolders(plan.changes);
  }
}

}  // namespace ringfence
