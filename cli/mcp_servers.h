// The MCP servers that a project and its user configure, by the names that their tools have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/settings_files.h"

namespace ringfence {

// Sorted, each once. Files that cannot be read name no server.
std::vector<std::string> ConfiguredMcpServers(const Whereabouts& where);

// The client makes tool names of a server's name so: what is no letter, digit, "_" or "-" becomes
// "_".
std::string McpToolPart(std::string_view server);

}  // namespace ringfence
