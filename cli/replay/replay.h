#pragma once

#include "cli/options.h"

namespace ringfence {

void AddReplay(CLI::App& app, Action& chosen);

}  // namespace ringfence
