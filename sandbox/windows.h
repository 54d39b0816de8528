// A plan in the words of Windows: job object, token, AppContainer, access control lists and
// filters of the firewall, as text. Nothing carries it out yet.
#pragma once

#include <string>

#include "sandbox/plan.h"

namespace ringfence {

std::string WindowsPlan(const SandboxPlan& plan);

}  // namespace ringfence
