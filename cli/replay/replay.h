#pragma once

#include "cli/options.h"

namespace ringfence {

void AddReplay(Command& app, Action& chosen);

}  // namespace ringfence
