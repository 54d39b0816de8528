// The arguments of well-known MCP servers' tools. A map lists the arguments that are read, written
// or never paths; all others are evaluated by their value. A policy entry for the tool under "mcp"
// replaces the map.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace ringfence {

struct McpMap {
  std::string_view server;
  std::vector<std::string_view> tools;  // empty: every tool of the server
  // JSON pointers below tool_input, as in the policy; "" means all of it.
  std::vector<std::string_view> read;
  std::vector<std::string_view> write;
  std::vector<std::string_view> text;

  bool Covers(std::string_view pointer) const;
};

// True if the map applies to a server of this name, as written in the names of its tools. GitHub's
// and Playwright's maps also apply in any letter case, to a plugin's server ("plugin_x_github") and
// to a connector.
bool IsMapOf(const McpMap& map, std::string_view server);

// Returns the map of a tool ("mcp__git__git_add"), or nothing.
std::optional<McpMap> MapOfTool(std::string_view tool);

std::vector<McpMap> McpMaps();

}  // namespace ringfence
