#include "hook/program_sandbox.h"

namespace ringfence {

ProgramSandbox SandboxOfPrograms(const Policy& policy, SandboxMode mode, bool has_launcher) {
  if (has_launcher) return ProgramSandbox::kAgents;
  const bool is_wrapped = policy.wrap_bash && mode != SandboxMode::kRwx;
  return is_wrapped ? ProgramSandbox::kCommands : ProgramSandbox::kNone;
}

}  // namespace ringfence
