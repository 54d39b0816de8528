// ringfence trust: looks at a project's policy and pins it.
#pragma once

#include "cli/options.h"

namespace ringfence {

void AddTrust(CLI::App& app, Action& chosen);

}  // namespace ringfence
