// Formats explanations of calls, sets and the maps of well-known MCP servers
// (policy/mcp/mcp_maps.h), as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "cli/command_line/options.h"
#include "cli/common/client_refusals.h"
#include "policy/decision.h"
#include "policy/event.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

struct Explained {
  Event event;
  Policy policy = {};
  Decision decision = {};
  Trace trace = {};
  std::vector<std::string> notes;
  std::optional<ClientRefusal> client = {};  // set if the client itself refuses the call
};

void PrintExplained(const Explained& explained);
OrderedJson ExplainedJson(const Explained& explained);

Outcome ExplainSet(const std::string& name, const Places& places, bool json);

// True for "mcp", and for a server without a tool such as "mcp__git".
bool NamesMcpMaps(const std::string& what);

Outcome ExplainMcpMaps(const std::string& what, bool json);

// Describes how the call's arguments were evaluated; "" if the tool is not an MCP tool.
std::string ArgumentsOf(const Event& event, const Policy& policy);

}  // namespace ringfence
