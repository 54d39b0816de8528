// Finds a tool's main argument, for a user who gives only a value.
#pragma once

#include <string>

namespace ringfence {

// Returns "file_path" for Read, "command" for Bash, "path" for an MCP tool.
std::string MainArgument(const std::string& tool);

}  // namespace ringfence
