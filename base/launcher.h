// Access to the launcher outside, for a hook that runs in a ringfence sandbox (base/inside.h).
#pragma once

#include <string>

#include "base/result.h"

namespace ringfence {

// True if there is a launcher: then the kernel refuses what the policy only asks about.
bool HasLauncher();

// Sends one packet. Returns false if there is no launcher, and an error if the launcher did not
// accept the packet within a second.
Result<bool> SendToLauncher(const std::string& packet);

}  // namespace ringfence
