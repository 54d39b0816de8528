// `ringfence settings`: derives the client's own settings, or options of the agent SDK, from a
// policy.
#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddSettings(Command& app, Action& chosen);

}  // namespace ringfence
