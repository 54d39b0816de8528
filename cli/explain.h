#pragma once

#include "cli/options.h"

namespace ringfence {

void AddExplain(Command& app, Action& chosen);

}  // namespace ringfence
