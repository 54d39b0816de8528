// Directories that are private to a confined command, whatever the host has there; lookup of the
// planned place that holds a path.
#pragma once

#include <string_view>
#include <vector>

#include "sandbox/plan.h"

namespace ringfence {

// Private through mounts, which only Linux has.
inline constexpr std::string_view kPrivateFolders[] = {"/tmp", "/run", "/dev", "/proc"};
inline constexpr std::string_view kHostsTmp = "/tmp";

// Returns the host's /tmp with links resolved.
Path HostsTmp(const CachedFiles& files);

// IsPrivate(): the path is a private directory or inside one. IsPrivateItself(): it is one.
bool IsPrivate(const SandboxPlan& plan, const Path& path);
bool IsPrivateItself(const SandboxPlan& plan, const Path& path);

// Returns the place that is or contains the path, or nullptr.
const PlannedPlace* Holding(const std::vector<PlannedPlace>& places, const Path& path);

}  // namespace ringfence
