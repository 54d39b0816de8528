#pragma once

#include "cli/options.h"

namespace ringfence {

void AddDoctor(CLI::App& app, Action& chosen);

}  // namespace ringfence
