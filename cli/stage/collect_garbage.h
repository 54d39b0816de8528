// `ringfence stage gc`.
#pragma once

#include "base/outcome.h"
#include "cli/stage/stage_options.h"

namespace ringfence {

// Removes what only serves to take back old applies, and what a launcher that was killed has left.
Outcome CollectGarbage(const StageOptions& options);

}  // namespace ringfence
