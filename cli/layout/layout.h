// `ringfence layout`: terminals side by side with an agent in each, confined by its profile.
#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddLayout(Command& app, Action& chosen);

}  // namespace ringfence
