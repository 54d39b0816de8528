// `ringfence run`: a command, confined by the kernel under the same policy that the hook uses.
#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddRun(Command& app, Action& chosen);

}  // namespace ringfence
