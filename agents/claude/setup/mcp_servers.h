// The MCP servers that a project and its user configure.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/setup/settings_files.h"

namespace ringfence {

struct McpServer {
  std::string name;    // as it is written
  std::string part;    // of its tools' names: mcp__PART__TOOL
  std::string source;  // the file that has it, for people
};

// Sorted by part, each part once. Files that cannot be read name no server.
std::vector<McpServer> McpServersOf(const Registration& where);

// Their parts alone.
std::vector<std::string> ConfiguredMcpServers(const Registration& where);

}  // namespace ringfence
