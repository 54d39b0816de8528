// ringfence uninstall: takes the hook out of the client's settings again.
#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddUninstall(Command& app, Action& chosen);

}  // namespace ringfence
