// A plan in Windows terms, as text: job object, token, AppContainer, access control lists and
// firewall filters. No back end carries it out yet.
#pragma once

#include <string>

#include "sandbox/plan.h"

namespace ringfence {

std::string WindowsPlan(const SandboxPlan& plan);

}  // namespace ringfence
