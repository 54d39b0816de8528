#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddAudit(Command& app, Action& chosen);

}  // namespace ringfence
