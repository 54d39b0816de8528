// ringfence trust: shows a project's policy and pins it.
#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddTrust(Command& app, Action& chosen);

}  // namespace ringfence
