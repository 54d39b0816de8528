// A plan as text and as JSON, for --dry-run.
#pragma once

#include <string>

#include "sandbox/plan.h"

namespace ringfence {

std::string PlanText(const SandboxPlan& plan);

// One JSON object with a trailing newline.
std::string PlanJson(const SandboxPlan& plan);

}  // namespace ringfence
