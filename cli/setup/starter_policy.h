// The policy that `ringfence init` writes if there is none: the defaults, ready for editing.
#pragma once

#include <string>
#include <vector>

namespace ringfence {

// `mcp_servers` are spelled as in tool names. They are listed in comments, ready to be permitted.
std::string StarterPolicy(const std::vector<std::string>& mcp_servers);

// Returns the tools that are permitted if a policy has no tools.allow. A list of its own replaces
// them.
std::vector<std::string> DefaultTools();

}  // namespace ringfence
