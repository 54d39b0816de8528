// Copies the project before the command of a stage starts.
#pragma once

#include "base/outcome.h"
#include "cli/stage/stage_options.h"

namespace ringfence {

// For the launcher (run/copy_project.h), which has locked the stage. Writes the reason of a failure
// to standard output, and notes and the progress to standard error.
Outcome CopyForCommand(const StageOptions& options);

}  // namespace ringfence
