// The MCP servers that a project and its user configure.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/setup/settings_files.h"

namespace ringfence {

struct McpServer {
  std::string name;    // as configured
  std::string part;    // of its tool names: mcp__PART__TOOL
  std::string source;  // the file that configures it, for messages
};

// Sorted by part, without duplicates. Skips files that cannot be read.
std::vector<McpServer> McpServersOf(const Registration& where);

// Returns only the parts.
std::vector<std::string> ConfiguredMcpServers(const Registration& where);

}  // namespace ringfence
