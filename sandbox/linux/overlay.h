// Overlay mounts: a directory together with changes that are kept in another one (the kernel's
// Documentation/filesystems/overlayfs.rst).
#pragma once

#include <string_view>

#include "base/path.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// Returns an unattached mount that shows the directory `lower`. The kernel keeps the changes in
// `folder`/written, and what it needs itself in `folder`/work. `folder` must exist, and no other
// mount may use it. Nothing is synced when the mount ends ("volatile"). An error includes the
// kernel's explanation, if it gives one.
Result<UniqueFd> MakeOverlay(const UniqueFd& lower, const Path& folder);

}  // namespace ringfence
