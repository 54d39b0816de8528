// Carries out a MergePlan.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "files/tree_transaction.h"
#include "staging/merge_plan.h"
#include "staging/stage.h"

namespace ringfence {

// The steps for what the plan applies and merges. A new directory is one step with all that is in
// it, and so is a removed one, unless something in it stays.
std::vector<TreeStep> StepsOf(const MergePlan& plan);

struct Applied {
  // The first name that another program changed in the meantime. Then nothing was changed.
  std::optional<std::string> mismatch;
  // Names that it changed while that was undone (Recovered::changed).
  std::vector<std::string> changed;
};

// `stage` is locked, and its command has ended.
Result<Applied> ApplyPlan(const Stage& stage, const MergePlan& plan);

}  // namespace ringfence
