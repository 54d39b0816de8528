#include "hook/program_sandbox.h"

#include <unistd.h>

#include "base/inside.h"
#include "base/launcher.h"

namespace ringfence {

InAgents FindAgentsSandbox() {
  if (HasLauncher()) return InAgents::kWithLauncher;
  // With mounts, an agent's sandbox has a launcher, and that of another command has none.
  const bool has_mounts = ::access(kOwnDirectory, F_OK) == 0;
  return !has_mounts && IsSupervised() ? InAgents::kWithoutLauncher : InAgents::kNo;
}

ProgramSandbox SandboxOfPrograms(const Policy& policy, SandboxMode mode, InAgents caller) {
  if (caller == InAgents::kWithLauncher) return ProgramSandbox::kAgents;
  if (caller == InAgents::kWithoutLauncher) return ProgramSandbox::kAgentsByPort;
  const bool is_wrapped = policy.wrap_bash && mode != SandboxMode::kRwx;
  return is_wrapped ? ProgramSandbox::kCommands : ProgramSandbox::kNone;
}

}  // namespace ringfence
