#pragma once

#include "cli/options.h"

namespace ringfence {

void AddAudit(Command& app, Action& chosen);

}  // namespace ringfence
