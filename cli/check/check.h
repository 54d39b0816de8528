#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddCheck(Command& app, Action& chosen);

}  // namespace ringfence
