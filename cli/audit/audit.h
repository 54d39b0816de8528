#pragma once

#include "cli/options.h"

namespace ringfence {

void AddAudit(CLI::App& app, Action& chosen);

}  // namespace ringfence
