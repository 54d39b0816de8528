// `ringfence stage review`.
#pragma once

#include "base/outcome.h"
#include "cli/stage/stage_options.h"

namespace ringfence {

// Writes a page that shows the changes of a stage and what applying them does. Changes nothing.
Outcome ReviewStage(const StageOptions& options);

}  // namespace ringfence
