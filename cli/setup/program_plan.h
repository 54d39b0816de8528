// Decides what has to change in a prefix so that it has the files of a tree, or none of them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/setup/program_files.h"
#include "files/tree_transaction.h"

namespace ringfence {

struct ProgramPlan {
  std::vector<TreeStep> steps;
  size_t written = 0;                // files
  std::vector<std::string> removed;  // paths below the prefix
  // Listed files that another program has changed: they are not removed.
  std::vector<std::string> changed;
};

// Copies the files of `source` to `target`, and removes files of the older version there that
// `source` does not have. Fails if a file is in the way that no earlier installation has put there.
// If target.root is not valid, the target does not exist yet.
Result<ProgramPlan> PlanCopy(const ProgramTree& source, const ProgramTree& target);

// Removes all files of `tree`, and its list.
Result<ProgramPlan> PlanRemoval(const ProgramTree& tree);

}  // namespace ringfence
