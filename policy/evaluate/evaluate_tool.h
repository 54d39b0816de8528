// Decides by name whether a tool may be called at all.
#pragma once

#include <optional>
#include <string_view>

#include "policy/decision.h"
#include "policy/policy.h"

namespace ringfence {

struct NameDecision {
  Verdict verdict = Verdict::kPermit;
  std::optional<Cause> cause;
};

// `trace` may be null, here and below.
NameDecision EvaluateTool(std::string_view tool, const Policy& policy, Trace* trace = nullptr);

// Evaluates reading an MCP server's resource, which goes through a built-in tool: the policy must
// name the server.
NameDecision EvaluateMcpServer(std::string_view server, const Policy& policy,
                               Trace* trace = nullptr);

}  // namespace ringfence
