#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddReplay(Command& app, Action& chosen);

}  // namespace ringfence
