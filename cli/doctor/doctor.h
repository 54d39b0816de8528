#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddDoctor(Command& app, Action& chosen);

}  // namespace ringfence
