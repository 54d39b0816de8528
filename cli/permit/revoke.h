// ringfence revoke: takes away what ringfence allow gave.
#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddRevoke(Command& app, Action& chosen);

}  // namespace ringfence
