// Runs a command confined, from what was asked for to its end.
#pragma once

#include "base/outcome.h"
#include "run/options.h"
#include "run/request.h"

namespace ringfence {

// The status is the command's own; 125 when the sandbox could not be set up and nothing was run;
// 126 and 127 as a shell says; 2 where the request itself is wrong. Starts and denials go to the
// audit log.
Outcome RunUnderPolicy(const RunOptions& options);
Outcome RunRequested(RunRequest request);

}  // namespace ringfence
