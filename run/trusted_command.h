// Finds out whether the user trusts a command (stage.commands.trusted).
#pragma once

#include <string>

#include "policy/decide.h"
#include "sandbox/plan.h"

namespace ringfence {

struct CommandTrust {
  bool is_trusted = false;
  std::string why_not;  // if a pattern matches and the command is not trusted all the same
};

// A command is trusted if a pattern of the policy matches its words, and if no command that the
// policy confines can change which program they start: everything in PATH up to the program, and
// each link to it, is outside what the policy lets commands write. The same goes for the
// interpreter that the first line of a script names, also by `env NAME`. It does not cover what
// programs start later.
CommandTrust FindTrust(const SandboxCommand& command, const Surroundings& around);

}  // namespace ringfence
