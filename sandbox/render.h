// A plan for people and for programs: what --dry-run prints.
#pragma once

#include <string>

#include "sandbox/plan.h"

namespace ringfence {

std::string PlanText(const SandboxPlan& plan);

// One JSON object, with a newline at the end.
std::string PlanJson(const SandboxPlan& plan);

}  // namespace ringfence
