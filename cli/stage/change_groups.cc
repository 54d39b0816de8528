#include "cli/stage/change_groups.h"

#include <map>
#include <string_view>
#include <utility>

#include "files/beneath.h"

namespace ringfence {
namespace {

constexpr const char* kLeftOut = "you left it out";

using IndexesByPath = std::map<std::string_view, size_t>;

bool IsFolderRemoved(const Change& change) {
  return change.before.is_directory() && !change.after.is_directory();
}

bool IsFolderNew(const Change& change) {
  return change.after.is_directory() && !change.before.is_directory();
}

class GroupMaker {
 public:
  explicit GroupMaker(const std::vector<PlannedChange>& changes) : changes_(changes) {
    for (size_t i = 0; i < changes_.size(); ++i) {
      const Change& change = changes_[i].change;
      if (!changes_[i].is_done()) continue;
      if (changes_[i].is_gits) repositories_.try_emplace(GitFolderOf(change.path), i);
      if (IsFolderRemoved(change)) removed_.emplace(change.path, i);
      if (change.moved_from.empty()) continue;
      targets_.emplace(change.moved_from, i);
      if (!change.after.is_directory()) continue;
      moved_.emplace(change.moved_from, i);
      moved_.emplace(change.path, i);
    }
  }

  std::vector<ChangeGroup> Make() const {
    std::map<size_t, ChangeGroup> groups;
    for (size_t i = 0; i < changes_.size(); ++i) {
      if (!changes_[i].is_done()) continue;
      size_t lead = i;
      for (size_t next = OwnerOf(lead); next != lead; next = OwnerOf(lead)) lead = next;
      groups[lead].lead = lead;
      groups[lead].members.push_back(i);
    }
    std::vector<ChangeGroup> made;
    made.reserve(groups.size());
    for (auto& [lead, group] : groups) made.push_back(std::move(group));
    return made;
  }

 private:
  // The change with which this one is applied; itself for none. Every step leads to where something
  // was moved, or to an outer directory, so a chain of them ends.
  size_t OwnerOf(size_t i) const {
    const Change& change = changes_[i].change;
    if (changes_[i].is_gits) return repositories_.find(GitFolderOf(change.path))->second;
    if (const size_t outer = OutermostOf(change.path, moved_, i); outer != i) return outer;
    const auto target = change.is_removed() ? targets_.find(change.path) : targets_.end();
    if (target != targets_.end()) return target->second;
    return change.is_removed() ? OutermostOf(change.path, removed_, i) : i;
  }

  // The change of the outermost of these directories above the path.
  static size_t OutermostOf(std::string_view path, const IndexesByPath& folders, size_t otherwise) {
    size_t found = otherwise;
    for (std::string_view folder = FolderOf(path); !folder.empty(); folder = FolderOf(folder)) {
      const auto at = folders.find(folder);
      if (at != folders.end()) found = at->second;
    }
    return found;
  }

  const std::vector<PlannedChange>& changes_;
  IndexesByPath repositories_;  // git's directories, with their first change
  IndexesByPath removed_;       // directories that are removed or replaced
  IndexesByPath targets_;       // by the path from which something was moved
  IndexesByPath moved_;         // directories that were moved, by both paths
};

}  // namespace

ChangeGroups::ChangeGroups(StagePlan& plan)
    : plan_(plan), groups_(GroupMaker(plan.merge.changes).Make()) {}

void ChangeGroups::LeaveOut(const ChangeGroup& group) {
  for (const size_t i : group.members) {
    PlannedChange& planned = plan_.merge.changes[i];
    planned.action = ChangeAction::kSkip;
    planned.why = kLeftOut;
  }
  const PlannedChange& lead = plan_.merge.changes[group.lead];
  if (IsFolderNew(lead.change)) left_out_.insert(lead.change.path);
  if (!lead.is_gits) return;
  const std::string_view repository = GitFolderOf(lead.change.path);
  std::erase_if(plan_.branches, [repository](const StagedBranch& branch) {
    return branch.repository == repository;
  });
}

bool ChangeGroups::IsInLeftOut(const ChangeGroup& group) const {
  return IsInLeftOut(plan_.merge.changes[group.lead].change.path);
}

bool ChangeGroups::IsInLeftOut(std::string_view path) const {
  std::string_view folder = FolderOf(path);
  while (!folder.empty() && !left_out_.contains(folder)) folder = FolderOf(folder);
  return !folder.empty();
}

std::set<std::string_view> ChangeGroups::FoldersThatStay() const {
  std::set<std::string_view> folders;
  for (const PlannedChange& planned : plan_.merge.changes) {
    // A conflict is decided later (LeaveOutDependents()).
    if (planned.is_done() || planned.action == ChangeAction::kConflict) continue;
    for (std::string_view folder = FolderOf(planned.change.path);
         !folder.empty() && folders.insert(folder).second; folder = FolderOf(folder)) {
    }
  }
  return folders;
}

void ChangeGroups::Finish() {
  for (PlannedChange& planned : plan_.merge.changes) {
    if (planned.action == ChangeAction::kConflict && IsInLeftOut(planned.change.path)) {
      planned.action = ChangeAction::kSkip;
      planned.why = kLeftOut;
    }
  }
  // A file that stays because it was to take the place of a directory can have been moved there
  // from another one, which then stays as well.
  for (bool is_stable = false; !is_stable;) {
    is_stable = true;
    const std::set<std::string_view> stay = FoldersThatStay();
    for (const ChangeGroup& group : groups_) {
      for (const size_t i : group.members) {
        PlannedChange& planned = plan_.merge.changes[i];
        const Change& change = planned.change;
        if (!planned.is_done() || !IsFolderRemoved(change) || !stay.contains(change.path)) continue;
        is_stable = false;
        if (change.is_removed()) {
          planned.action = ChangeAction::kSkip;
        } else {
          LeaveOut(group);
        }
        planned.why = "the directory holds something that stays";
      }
    }
  }
}

}  // namespace ringfence
