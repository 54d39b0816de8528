#pragma once

#include "cli/options.h"

namespace ringfence {

void AddCheck(CLI::App& app, Action& chosen);

}  // namespace ringfence
