// ringfence revoke: removes what ringfence allow added.
#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddRevoke(Command& app, Action& chosen);

}  // namespace ringfence
