// Runs a confined command, from the request to its end.
#pragma once

#include "base/outcome.h"
#include "run/options.h"
#include "run/request.h"

namespace ringfence {

// The status is that of the command; 125 if the sandbox could not be set up and nothing was run;
// 126 and 127 as in a shell; 2 if the request itself is wrong. Starts and denials go to the audit
// log.
Outcome RunUnderPolicy(const RunOptions& options);
Outcome RunRequested(RunRequest request);

}  // namespace ringfence
