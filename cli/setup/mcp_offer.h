// The list of configured MCP servers that `ringfence init` prints: those that the policy allows,
// and the command that allows another one.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/setup/mcp_servers.h"
#include "base/json.h"
#include "base/result.h"

namespace ringfence {

struct McpOffer {
  McpServer server;
  bool is_allowed = false;
  std::vector<std::string> arguments;  // of the command: allow mcp__name__* --home DIR
  std::string command;                 // the same for a shell: ringfence allow 'mcp__name__*'
};

struct McpOfferQuestion {
  Registration where;
  std::string home;     // --home, if given
  std::string project;  // the project, if given
  std::string policy;   // --policy, if given
  bool may_ask = false;
};

Result<std::vector<McpOffer>> McpOffers(const McpOfferQuestion& question);

// Prints each server that is not allowed, with the command that allows it. If `may_ask` and on a
// terminal, asks about each and runs the command for those that the user wants.
Status OfferMcpServers(const McpOfferQuestion& question);

OrderedJson ToJson(const std::vector<McpOffer>& offers);

}  // namespace ringfence
