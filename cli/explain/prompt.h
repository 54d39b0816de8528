#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddPrompt(Command& app, Action& chosen);

}  // namespace ringfence
