#pragma once

#include "cli/options.h"

namespace ringfence {

void AddCheck(Command& app, Action& chosen);

}  // namespace ringfence
