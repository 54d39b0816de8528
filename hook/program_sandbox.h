// The sandbox of ringfence in which the programs of tools run.
#pragma once

#include <cstdint>

#include "policy/policy.h"

namespace ringfence {

// No user can answer a prompt in a sandbox, and SandboxNetwork() says which hosts it reaches.
enum class ProgramSandbox : uint8_t {
  kNone,
  kCommands,  // each command has its own ("bash": {"wrap": true})
  kAgents,    // that of the agent itself (`ringfence run -- claude`)
  // The same with "layers": "landlock": programs reach hosts only through the proxy of HTTPS_PROXY,
  // and no launcher can be asked.
  kAgentsByPort,
};

constexpr bool IsAgents(ProgramSandbox sandbox) {
  return sandbox == ProgramSandbox::kAgents || sandbox == ProgramSandbox::kAgentsByPort;
}

// The caller's own surroundings: is it in the sandbox of an agent?
enum class InAgents : uint8_t { kNo, kWithLauncher, kWithoutLauncher };
InAgents FindAgentsSandbox();

ProgramSandbox SandboxOfPrograms(const Policy& policy, SandboxMode mode, InAgents caller);

}  // namespace ringfence
