// The list of configured MCP servers that `ringfence init` prints: which ones the policy permits,
// and the command that allows another.
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
  std::string home;     // --home, where it was given
  std::string project;  // the project, where it was given
  std::string policy;   // --policy, where it was given
  bool may_ask = false;
};

Result<std::vector<McpOffer>> McpOffers(const McpOfferQuestion& question);

// Prints the servers that are not allowed. On a terminal, where `may_ask`, asks about each and
// allows those that the user wants, with the command that is printed otherwise.
Status OfferMcpServers(const McpOfferQuestion& question);

OrderedJson ToJson(const std::vector<McpOffer>& offers);

}  // namespace ringfence
