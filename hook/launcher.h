// The launcher outside, for a hook that runs in a sandbox of ringfence's (base/inside.h).
#pragma once

#include <string>

#include "base/result.h"

namespace ringfence {

// One packet. False where there is no launcher; an error where it did not take the packet, or not
// within a second.
Result<bool> SendToLauncher(const std::string& packet);

}  // namespace ringfence
