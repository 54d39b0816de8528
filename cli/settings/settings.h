// `ringfence settings`: what the policy means for the client's own settings and for the agent SDK.
#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddSettings(Command& app, Action& chosen);

}  // namespace ringfence
