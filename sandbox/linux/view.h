// The file system that a confined command sees, built of mounts in a mount namespace of its own
// (mount_namespaces(7), mount_setattr(2), move_mount(2)).
#pragma once

#include "base/result.h"
#include "sandbox/plan.h"

namespace ringfence {

// Below it SavedFolders() are mounted writable, each by its number, for the
// supervisor: the folder itself is closed.
inline constexpr const char* kSavedFolders = "/dev/.ringfence/saved";

// The caller is alone in new user and mount namespaces and has every capability in them. On an
// error the view is half built and nothing may be run in it. `audit` is the launcher's socket for
// audit lines, which gets its name here, or -1.
Status BuildView(const SandboxPlan& plan, int audit);

// A /proc of the process namespace's own. EPERM where parts of the one outside are covered, as in
// many containers: the kernel then forbids a new one.
Status MountProc(const SandboxPlan& plan);

// With reads listed: the view becomes the root, and nothing else is left.
Status LeaveOldRoot(const SandboxPlan& plan);

}  // namespace ringfence
