// ringfence manual: each command's manual page, of what --help is made of.
#pragma once

#include "cli/options.h"

namespace ringfence {

// In mdoc(7). `command` belongs to `app`.
std::string ManualPage(const CLI::App& app, const CLI::App& command);

void AddManual(Command& app, Action& chosen);

}  // namespace ringfence
