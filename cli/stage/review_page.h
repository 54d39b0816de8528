// The page of `ringfence stage review`. Pure: what it shows is handed to it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/stage/plan_apply.h"
#include "staging/merge_plan.h"

namespace ringfence {

// Both sides of a conflict, as unified diffs.
struct ConflictSides {
  // From the version before both to the stage's, and to the project's. Where that version is not
  // known, `staged` begins with the project's, and `mine` is "".
  std::string staged, mine;
  std::optional<std::string> base;
};

struct Review {
  std::string id;
  std::string command;                                     // as it would be typed
  std::string state;                                       // "ended", "running"
  std::vector<std::pair<std::string, std::string>> facts;  // names and values, for the header
  StagePlan plan;
  bool is_final = true;  // false while the command runs: the plan has only the changes so far

  // Called for one change at a time, since all diffs together may be large.
  std::function<std::string(const PlannedChange&)> describe;  // DescribeChange()
  std::function<std::string(const PlannedChange&)> diff;      // unified; "" for other than texts
  std::function<ConflictSides(const PlannedChange&)> sides;
};

// Limits of the page. Where it leaves something out, it says so, and how to see it.
struct ReviewLimits {
  size_t diff_bytes = size_t{1} << 20;  // markup of one diff
  size_t page_bytes = size_t{8} << 20;  // markup of all diffs
  size_t listed = 10'000;               // changes
  size_t line_bytes = 2000;             // of a line of a file
};

std::string ReviewHtml(const Review& review, const ReviewLimits& limits = {});

}  // namespace ringfence
