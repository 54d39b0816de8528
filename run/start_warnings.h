// Warnings at the start of a run.
#pragma once

#include "run/report.h"
#include "run/request.h"
#include "sandbox/plan.h"

namespace ringfence {

// Warns of what the plan does not enforce or permit although the policy says so, of a project or a
// home of another user, and of a sandbox of the agent's own that cannot start inside this one.
void WarnOfStart(const RunRequest& request, const SandboxPlan& plan, const RunReport& report);

}  // namespace ringfence
