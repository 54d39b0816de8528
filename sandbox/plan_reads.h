// PlanReads(): what a confined command may read, and what is hidden from it. Part of MakePlan().
#pragma once

#include "sandbox/plan_rules.h"

namespace ringfence {

// Requires the plan's writable places.
Status PlanReads(const PlanRequest& request, PlanRules& rules, SandboxPlan& plan);

}  // namespace ringfence
