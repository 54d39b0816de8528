// The places of a plan: writable, readable, hidden and sealed.
#pragma once

#include "sandbox/plan.h"
#include "sandbox/plan_rules.h"

namespace ringfence {

// Fills readable, writable, sealed, hidden, sockets and names of `plan`, whose command, mode and
// layers are set. Fails if the file system or the host cannot be queried, or if --write or
// read.deny cannot be honored.
Status PlanPlaces(const PlanRequest& request, PlanRules& rules, SandboxPlan& plan);

// Returns the command's own directory for temporary files, used if plan.private_tmp is set: "/tmp"
// of the view on Linux; on macOS, a directory that the back end creates for this user alone. "/" if
// the system handles this itself.
Path PrivateTmp(const SandboxPlan& plan);

}  // namespace ringfence
