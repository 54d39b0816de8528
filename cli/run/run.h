// `ringfence run`: runs a command that the kernel confines under the hook's policy.
#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddRun(Command& app, Action& chosen);

}  // namespace ringfence
