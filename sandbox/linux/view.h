// The file system that a confined command sees, built from mounts in its own mount namespace
// (mount_namespaces(7), mount_setattr(2), move_mount(2)).
#pragma once

#include <vector>

#include "base/result.h"
#include "sandbox/plan.h"

namespace ringfence {

// Covers the project by the stage of the plan, if it has one, so that every later step uses that in
// its place. The caller as for BuildView().
Status MountStage(const SandboxPlan& plan);

// The caller must be alone in new user and mount namespaces and have every capability in them. On
// an error the view is incomplete and nothing may be run in it. `audit` is the launcher's socket
// for audit lines, which gets its name here, or -1; `caches` is the directory where the session
// keeps what is written to caches, or "/". Returns the caches of the plan that could be mounted.
struct ViewRequest {
  const SandboxPlan& plan;
  int audit;
  const Path& caches;
};
Result<std::vector<const PlannedCache*>> BuildView(const ViewRequest& request);

// With `reads: listed`, detaches the old root, so that only the view is left.
Status LeaveOldRoot(const SandboxPlan& plan);

}  // namespace ringfence
