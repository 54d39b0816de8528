// The service that an agent cannot work without.
#pragma once

#include <cstdint>
#include <string>

#include "run/request.h"
#include "sandbox/plan.h"

namespace ringfence {

struct AgentService {
  std::string host;  // canonical; "" for a command that is no agent, or if it is unknown
  uint16_t port = 0;

  std::string target() const { return host + ":" + std::to_string(port); }
};

AgentService ServiceOf(const SandboxCommand& command, const Agent& agent);

// Returns why the sandbox of this plan cannot reach the service, in a sentence for the user, as far
// as that is known before the start; "" if nothing speaks against it.
std::string WhyServiceIsShut(const AgentService& service, const RunRequest& request,
                             const SandboxPlan& plan);

}  // namespace ringfence
