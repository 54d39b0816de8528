// A plan as a profile of Seatbelt, the sandbox of macOS: text for `/usr/bin/sandbox-exec -f`. Pure,
// so that it is printed and tested on any host. What Seatbelt cannot know (which repository is new,
// how many names a file has) is refused, or listed in tests/sandbox/seatbelt_property_test.cc.
#pragma once

#include <string>
#include <vector>

#include "sandbox/plan.h"

namespace ringfence {

std::string SeatbeltProfile(const SandboxPlan& plan);

}  // namespace ringfence
