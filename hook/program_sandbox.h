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
};

// `has_launcher`: the caller is in the sandbox of an agent.
ProgramSandbox SandboxOfPrograms(const Policy& policy, SandboxMode mode, bool has_launcher);

}  // namespace ringfence
