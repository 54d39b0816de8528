// The part of a plan that names places: what may be written, read, what is hidden, what is sealed.
#pragma once

#include "sandbox/plan.h"
#include "sandbox/plan_rules.h"

namespace ringfence {

// Fills readable, writable, sealed, hidden, sockets and names of `plan`, whose command, mode and
// layers stand. An error is a failed question to the file system.
Status PlanPlaces(const PlanRequest& request, PlanRules& rules, SandboxPlan& plan);

}  // namespace ringfence
