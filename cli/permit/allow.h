// ringfence allow: adds one entry to the policy that decides.
#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddAllow(Command& app, Action& chosen);

}  // namespace ringfence
