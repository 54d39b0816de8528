// `ringfence manual` and `ringfence help`: pages made from the options that the commands declare.
#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

void AddManual(Command& app, Action& chosen);
void AddHelp(Command& app, Action& chosen);

}  // namespace ringfence
