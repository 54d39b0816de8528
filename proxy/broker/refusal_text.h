// What is said about a connection that the policy refuses.
#pragma once

#include <cstdint>
#include <string>

#include "policy/evaluate/evaluate_tool.h"
#include "policy/policy.h"

namespace ringfence {

// Both without "ringfence: ".
struct RefusalText {
  std::string launcher;  // for the user, on the command's standard error
  std::string program;   // for the program, and for whoever reads its output
};

RefusalText RefusalTextOf(const NameDecision& decision);

// The same in the sandbox of an agent itself. The program's text says how the user permits the host
// while the agent runs; the user reads the other text when that session is over.
RefusalText AgentsRefusalTextOf(const NameDecision& decision, uint16_t port, const Policy& policy,
                                const std::string& session);

}  // namespace ringfence
