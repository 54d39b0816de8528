// The changes of a stage as nested lists of HTML, for the page of `ringfence stage review`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/stage/review_diff.h"
#include "staging/merge_plan.h"

namespace ringfence {

// One change in the list.
struct ListedChange {
  const PlannedChange* planned = nullptr;
  std::string what;  // "binary, 3 KB", "mode 644 -> 755"; in addition to the counts
  LineCounts counts;
  std::string html;  // its diff, or why there is none; may be ""
  bool is_open = false;
  bool is_left_out = false;  // only counted
};

// What a directory has in it, at any depth.
struct FolderCounts {
  size_t entries = 0;
  size_t existing = 0;  // of them, changes of what the project has
  LineCounts lines;
};

class ReviewTree {
 public:
  explicit ReviewTree(std::vector<ListedChange> listed);

  std::string Html();

 private:
  void Enter(std::string_view folder);
  void LeaveFor(std::string_view folder);
  void OpenFolder(const std::string& folder, std::string_view label);
  void AddChange(const ListedChange& listed);
  bool IsImplied(size_t i) const;

  std::vector<ListedChange> listed_;
  std::map<std::string, FolderCounts, std::less<>> folders_;
  std::map<std::string, const PlannedChange*, std::less<>> own_;  // changes of the directories
  std::vector<std::string> open_;
  std::string html_;
};

}  // namespace ringfence
