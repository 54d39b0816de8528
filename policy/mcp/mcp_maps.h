// The arguments of well-known MCP servers' tools. A map says what is read, what is written and what
// is never a path; arguments that it does not name are evaluated by their value. An entry for the
// tool under "mcp" in the policy takes its place.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace ringfence {

struct McpMap {
  std::string_view server;
  std::vector<std::string_view> tools;  // empty: every tool of the server
  // JSON pointers below tool_input, as in the policy; "" is all of it.
  std::vector<std::string_view> read;
  std::vector<std::string_view> write;
  std::vector<std::string_view> text;
};

// Whether the map counts for a server of this name, as it is in the names of its tools. GitHub's
// and Playwright's do so in any letter case, for a plugin's server ("plugin_x_github") and a
// connector.
bool IsMapOf(const McpMap& map, std::string_view server);

// The map of a tool ("mcp__git__git_add"), or nothing.
std::optional<McpMap> MapOfTool(std::string_view tool);

std::vector<McpMap> McpMaps();

}  // namespace ringfence
