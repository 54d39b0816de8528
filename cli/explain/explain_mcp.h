// The maps of well-known MCP servers (policy/mcp/mcp_maps.h), as people read them.
#pragma once

#include <string>

#include "cli/command_line/options.h"
#include "policy/event.h"
#include "policy/policy.h"

namespace ringfence {

// "mcp" or a server without a tool: "mcp__git".
bool NamesMcpMaps(const std::string& what);

Outcome ExplainMcpMaps(const std::string& what, bool json);

// By what the arguments of a call were evaluated; "" where it is not an MCP tool.
std::string ArgumentsOf(const Event& event, const Policy& policy);

}  // namespace ringfence
