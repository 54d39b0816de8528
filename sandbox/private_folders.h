// Folders that a confined command has for itself, whatever the host has there, and which planned
// place holds a path.
#pragma once

#include <string_view>
#include <vector>

#include "sandbox/plan.h"

namespace ringfence {

// By a mount, which only Linux has.
inline constexpr std::string_view kPrivateFolders[] = {"/tmp", "/run", "/dev", "/proc"};
inline constexpr std::string_view kHostsTmp = "/tmp";

// Where /tmp leads.
Path HostsTmp(const CachedFiles& files);

// The path is such a folder, or lies in one.
bool IsPrivate(const SandboxPlan& plan, const Path& path);
bool IsPrivateItself(const SandboxPlan& plan, const Path& path);

// A place that is the path or holds it, or nullptr.
const PlannedPlace* Holding(const std::vector<PlannedPlace>& places, const Path& path);

}  // namespace ringfence
