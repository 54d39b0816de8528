// `ringfence log`, `ringfence log verify`, `ringfence log send`.
#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddLog(Command& app, Action& chosen);

}  // namespace ringfence
