// Caches of package managers and compilers in the home. A command gets a writable copy of each: it
// reads the home's contents, and its changes stay in the sandbox.
#pragma once

#include <string>
#include <vector>

#include "sandbox/plan.h"

namespace ringfence {

// Returns the existing caches that the plan does not make writable anyway.
std::vector<PlannedCache> FindCaches(const PlanRequest& request, const SandboxPlan& plan);

// Removes caches that may not be read. In the others, no names are guarded, or only git's if a
// session keeps them.
void SettleCaches(SandboxPlan& plan);

// Returns "NAME=value" for each variable that names a cache: the caller's value if that directory
// is usable, else one below `tmp`, the sandbox's temporary directory. Also fills
// PlannedCache::instead, for a host that cannot mount the copies.
std::vector<std::string> CacheVariables(const PlanRequest& request, SandboxPlan& plan,
                                        const std::string& tmp);

}  // namespace ringfence
