// Which argument of a tool a person means who names only one.
#pragma once

#include <string>

namespace ringfence {

// "file_path" of Read, "command" of Bash, "path" of an MCP tool.
std::string MainArgument(const std::string& tool);

}  // namespace ringfence
