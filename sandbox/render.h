// A plan as text: for --dry-run, and for the sandboxes of other systems.
#pragma once

#include <cstdint>
#include <string>

#include "sandbox/plan.h"

namespace ringfence {

std::string PlanText(const SandboxPlan& plan);

// One JSON object with a trailing newline.
std::string PlanJson(const SandboxPlan& plan);

// Returns a profile of Seatbelt, the macOS sandbox: text for `/usr/bin/sandbox-exec -f`. Cases that
// Seatbelt cannot distinguish (which repository is new, how many names a file has) are refused, or
// listed in tests/sandbox/seatbelt_property_test.cc. `proxy_port` is the egress proxy's, if the
// plan's network is kProxyPort; 0 while it is unknown.
std::string SeatbeltProfile(const SandboxPlan& plan, uint16_t proxy_port = 0);

// Returns the plan in Windows terms: job object, token, AppContainer, access control lists and
// firewall filters. No back end carries it out yet.
std::string WindowsPlan(const SandboxPlan& plan);

}  // namespace ringfence
