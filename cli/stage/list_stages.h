// `ringfence stage list`.
#pragma once

#include <string>

#include "base/outcome.h"
#include "cli/stage/stage_options.h"
#include "staging/stage.h"

namespace ringfence {

// The command as it would be typed.
std::string CommandText(const StageRecord& record);

// "running", "paused", "ended", "applied", "interrupted" (the launcher was killed) or "dirty".
std::string StateText(const Stage& stage);

// Lists the user's stages, the oldest first. A stage that cannot be read is a warning.
Outcome ListStages(const StageOptions& options);

}  // namespace ringfence
