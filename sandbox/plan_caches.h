// Caches of package managers and compilers in the home. A command gets each as a copy that it may
// write: what it changes stays in the sandbox, what it reads is the home's.
#pragma once

#include <string>
#include <vector>

#include "sandbox/plan.h"

namespace ringfence {

// Those that exist and that the plan does not let the command write anyway.
std::vector<PlannedCache> FindCaches(const PlanRequest& request, const SandboxPlan& plan);

// Leaves out those that may not be read. Names in the others are not guarded.
void SettleCaches(SandboxPlan& plan);

// "NAME=value" for each variable that says where a cache is: the caller's where that place is of
// use, else one below `tmp`, the sandbox's own temporary folder. The plan's caches get theirs for a
// host that cannot mount them.
std::vector<std::string> CacheVariables(const PlanRequest& request, SandboxPlan& plan,
                                        const std::string& tmp);

}  // namespace ringfence
