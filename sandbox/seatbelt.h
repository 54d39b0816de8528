// A plan as a profile of Seatbelt, the macOS sandbox: text for `/usr/bin/sandbox-exec -f`. Pure, so
// that it can be printed and tested on any host. Cases that Seatbelt cannot distinguish (which
// repository is new, how many names a file has) are refused, or listed in
// tests/sandbox/seatbelt_property_test.cc.
#pragma once

#include <string>

#include "sandbox/plan.h"

namespace ringfence {

std::string SeatbeltProfile(const SandboxPlan& plan);

}  // namespace ringfence
