// `ringfence stage list`.
#pragma once

#include "base/outcome.h"
#include "cli/stage/stage_options.h"

namespace ringfence {

// Lists the user's stages, the oldest first. A stage that cannot be read is a warning.
Outcome ListStages(const StageOptions& options);

}  // namespace ringfence
