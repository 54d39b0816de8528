// `ringfence stage list`.
#pragma once

#include <string>

#include "base/outcome.h"
#include "cli/stage/stage_options.h"
#include "staging/stage.h"

namespace ringfence {

// The word as it can be typed in a shell, in quotes if it needs them.
std::string ShellWord(const std::string& word);

// The command as it can be typed.
std::string CommandText(const StageRecord& record);

// "running", "paused", "ended", "applied", "partly applied", "interrupted" (the launcher was
// killed) or "dirty".
std::string StateText(const Stage& stage);

// Lists the user's stages, the oldest first. One whose changes were in the memory of a launcher
// that was killed is "lost". A stage that cannot be read is a warning; if its record can, it is
// "unusable".
Outcome ListStages(const StageOptions& options);

}  // namespace ringfence
