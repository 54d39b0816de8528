#pragma once

#include "cli/options.h"

namespace ringfence {

void AddExplain(CLI::App& app, Action& chosen);

}  // namespace ringfence
