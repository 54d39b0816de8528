// `ringfence log`, `ringfence log verify`, `ringfence log send`.
#pragma once

#include "cli/options.h"

namespace ringfence {

void AddLog(CLI::App& app, Action& chosen);

}  // namespace ringfence
