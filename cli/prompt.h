#pragma once

#include "cli/options.h"

namespace ringfence {

void AddPrompt(Command& app, Action& chosen);

}  // namespace ringfence
