// ringfence init: registers the hook in the client's settings.
#pragma once

#include "cli/options.h"

namespace ringfence {

void AddInit(CLI::App& app, Action& chosen);

}  // namespace ringfence
