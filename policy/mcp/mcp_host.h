// Which host a string in the input of an MCP tool names. Text that mentions a URL, numbers and
// names of files are not taken for one.
#pragma once

#include <string>
#include <string_view>

#include "policy/mcp/mcp_value.h"

namespace ringfence {

// The URL of `value`, a web URL, that is to be evaluated. `text` is what it was read from;
// `is_text`: its name does not say that it is a URL, so a line feed ends it as a space does, and a
// placeholder
// ("https://$HOST/x") names no host: "".
std::string UrlToEvaluator(const Value& value, std::string_view text, bool is_text);

// "8080", "52.5200,13.4050". A number that is an address counts as a host: "2130706433".
bool IsNumbers(std::string_view text);

// Whether a text under a name such as "server" or "address" looks like a host, or is a list with
// one: an IP address, "localhost", "name:80", or labels of which the last may be a top-level
// domain. "main", "eth0", "Baker Street 4", "server.py" and "1.2.3" do not.
bool LooksLikePeer(std::string_view text);

// "git@forge.example:team/x"
bool IsScpAddress(std::string_view text);

}  // namespace ringfence
