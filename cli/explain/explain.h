#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddExplain(Command& app, Action& chosen);

}  // namespace ringfence
