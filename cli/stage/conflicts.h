// Resolves conflicts between a stage and the project, by the user's answers or for all at once.
#pragma once

#include <cstdint>

#include "cli/common/ask.h"
#include "staging/merge_plan.h"
#include "staging/stage.h"

namespace ringfence {

// Sides of a conflict.
enum class ConflictSide : uint8_t {
  kStaged,  // what the stage has replaces what the project has
  kMine,    // the project stays as it is
};

void ResolveAll(MergePlan& plan, ConflictSide side);

// Asks about each conflict: the stage's version, the project's, the text with both changes edited
// by the user, or to leave it for later. Returns false if the user stops asking; then nothing may
// be applied.
bool AskAboutConflicts(const Terminal& terminal, const Stage& stage, MergePlan& plan);

}  // namespace ringfence
