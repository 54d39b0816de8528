// A plan as a profile of Seatbelt, the sandbox of macOS: text for `/usr/bin/sandbox-exec -f`. Pure,
// so that it is printed and tested on any host. What Seatbelt cannot know (which repository is new,
// how many names a file has) is refused, or listed in tests/seatbelt_property_test.cc.
#pragma once

#include <string>
#include <vector>

#include "sandbox/plan.h"

namespace ringfence {

std::string SeatbeltProfile(const SandboxPlan& plan);

// macOS has no private /tmp: this folder stands for it, where plan.private_tmp says so. Whoever
// carries the plan out makes it, for this user alone.
Path SeatbeltTmp(const SandboxPlan& plan);

// plan.environment with that folder in the place of /tmp.
std::vector<std::string> SeatbeltEnvironment(const SandboxPlan& plan);

}  // namespace ringfence
