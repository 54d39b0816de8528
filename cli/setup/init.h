// ringfence init: registers the hook in the client's settings.
#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddInit(Command& app, Action& chosen);

}  // namespace ringfence
