// Shows the maps of well-known MCP servers (policy/mcp/mcp_maps.h).
#pragma once

#include <string>

#include "cli/command_line/options.h"
#include "policy/event.h"
#include "policy/policy.h"

namespace ringfence {

// True for "mcp", and for a server without a tool such as "mcp__git".
bool NamesMcpMaps(const std::string& what);

Outcome ExplainMcpMaps(const std::string& what, bool json);

// Describes how the call's arguments were evaluated; "" if the tool is not an MCP tool.
std::string ArgumentsOf(const Event& event, const Policy& policy);

}  // namespace ringfence
