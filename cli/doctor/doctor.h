#pragma once

#include "cli/options.h"

namespace ringfence {

void AddDoctor(Command& app, Action& chosen);

}  // namespace ringfence
