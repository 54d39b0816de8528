// `ringfence stage gc`: removes what only serves to take back old applies, and what a launcher that
// was killed has left. A stage with changes that are not applied is never removed.
#pragma once

#include "base/outcome.h"
#include "cli/stage/stage_options.h"

namespace ringfence {

Outcome CollectGarbage(const StageOptions& options);

// The same without output, at most once a day and for a few seconds: for the end of other commands.
void CollectDaily(const StageOptions& options);

}  // namespace ringfence
