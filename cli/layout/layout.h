// `ringfence layout`: prints a layout of terminals, each with an agent confined by its profile.
#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddLayout(Command& app, Action& chosen);

}  // namespace ringfence
