// The launcher outside, for a hook that runs in a sandbox of ringfence's (base/inside.h).
#pragma once

#include <string>

#include "base/result.h"

namespace ringfence {

// Whether there is one: then the kernel refuses what the policy only asks about.
bool HasLauncher();

// One packet. False where there is no launcher; an error where it did not take the packet, or not
// within a second.
Result<bool> SendToLauncher(const std::string& packet);

}  // namespace ringfence
