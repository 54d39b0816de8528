#pragma once

#include "cli/options.h"

namespace ringfence {

void AddPrompt(CLI::App& app, Action& chosen);

}  // namespace ringfence
