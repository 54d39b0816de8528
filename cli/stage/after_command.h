// The question at the end of a staged command.
#pragma once

#include "base/outcome.h"
#include "cli/stage/stage_options.h"

namespace ringfence {

// Shows what the command of the stage has changed, and applies, discards or keeps it, as the
// options or the user say. The status is the command's own, unless the changes could not be
// applied.
Outcome AfterCommand(const StageOptions& options);

}  // namespace ringfence
