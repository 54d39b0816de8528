// Asks the user what to do with a stage whose command has ended.
#pragma once

#include <string>
#include <vector>

#include "cli/common/ask.h"
#include "cli/stage/plan_apply.h"
#include "staging/stage.h"

namespace ringfence {

enum class StageDecision {
  kApply,    // what the plan applies
  kDiscard,  // everything
  kKeep,     // nothing now
};

// Asks until the user decides, after the diff if `shows_diff`. Ctrl-C and the end of the input keep
// the stage. What the user does not want is taken out of the plan.
StageDecision AskAboutStage(const Terminal& terminal, const Stage& stage, StagePlan& plan,
                            bool shows_diff);

}  // namespace ringfence
