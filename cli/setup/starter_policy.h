// The policy that `ringfence init` writes where there is none: the defaults, written out to be
// edited.
#pragma once

#include <string>
#include <vector>

namespace ringfence {

// `mcp_servers` as in tool names; they are listed as comments, ready to be permitted.
std::string StarterPolicy(const std::vector<std::string>& mcp_servers);

// Every tool that is permitted where a policy has no tools.allow: an own list replaces that
// default.
std::vector<std::string> DefaultTools();

}  // namespace ringfence
