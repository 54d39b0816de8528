// The file system that a confined command sees, built of mounts in a mount namespace of its own
// (mount_namespaces(7), mount_setattr(2), move_mount(2)).
#pragma once

#include <vector>

#include "base/result.h"
#include "sandbox/plan.h"

namespace ringfence {

// The caller is alone in new user and mount namespaces and has every capability in them. On an
// error the view is half built and nothing may be run in it. `audit` is the launcher's socket for
// audit lines, which gets its name here, or -1; `caches` is where the session keeps what is written
// to caches, "/" for nowhere. Returns the caches of the plan that could be mounted.
struct ViewRequest {
  const SandboxPlan& plan;
  int audit;
  const Path& caches;
};
Result<std::vector<const PlannedCache*>> BuildView(const ViewRequest& request);

// With reads listed: the view becomes the root, and nothing else is left.
Status LeaveOldRoot(const SandboxPlan& plan);

}  // namespace ringfence
