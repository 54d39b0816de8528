// The part of a plan that names places: what may be written, read, what is hidden, what is sealed.
#pragma once

#include "sandbox/plan.h"
#include "sandbox/plan_rules.h"

namespace ringfence {

// Fills readable, writable, sealed, hidden, sockets and names of `plan`, whose command, mode and
// layers stand. An error is a failed question to the file system.
Status PlanPlaces(const PlanRequest& request, PlanRules& rules, SandboxPlan& plan);

// The folder for temporary files that is the command's own, where plan.private_tmp says so: "/tmp"
// of the view on Linux; on macOS one that whoever carries the plan out makes, for this user alone.
// "/" where the system has a way of its own.
Path PrivateTmp(const SandboxPlan& plan);

}  // namespace ringfence
