// The changes of a plan that one answer decides about: those that cannot be applied one by one.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/stage/plan_apply.h"

namespace ringfence {

// Both halves of a move, a moved or removed directory with everything in it, or what commits change
// in git's directory. Any other change is a group of one.
struct ChangeGroup {
  size_t lead = 0;              // the change that is shown, as an index into MergePlan::changes
  std::vector<size_t> members;  // with the lead; sorted
};

class ChangeGroups {
 public:
  // Groups the changes that the plan applies. Does not own the plan.
  explicit ChangeGroups(StagePlan& plan);

  // In the order of their leads, so that a new directory comes before what is in it.
  const std::vector<ChangeGroup>& all() const { return groups_; }

  // Takes the group out of the plan, with the branches of a repository.
  void LeaveOut(const ChangeGroup& group);

  // True if the group is in a new directory that was left out.
  bool IsInLeftOut(const ChangeGroup& group) const;

  // After the last answer: leaves out conflicts in new directories that were left out, and keeps
  // directories that hold something that stays.
  void Finish();

 private:
  bool IsInLeftOut(std::string_view path) const;
  std::set<std::string_view> FoldersThatStay() const;

  StagePlan& plan_;
  std::vector<ChangeGroup> groups_;
  std::set<std::string, std::less<>> left_out_;  // new directories
};

}  // namespace ringfence
