// ringfence uninstall: removes the hook from the client's settings.
#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddUninstall(Command& app, Action& chosen);

}  // namespace ringfence
