// Finds the host that a string in an MCP tool's input names. Text that mentions a URL, numbers and
// file names do not count as hosts.
#pragma once

#include <string>
#include <string_view>

#include "policy/event.h"
#include "policy/mcp/argument_names.h"
#include "policy/mcp/mcp_value.h"

namespace ringfence {

// Returns the URL to evaluate for `value`, a web URL that was read from `text`. `is_text`: the
// argument's name does not say that it is a URL. Then a line feed ends it, as a space does, and a
// placeholder ("https://$HOST/x") names no host: returns "".
std::string UrlToEvaluator(const Value& value, std::string_view text, bool is_text);

// True for "8080" and "52.5200,13.4050". A number that is an address counts as a host:
// "2130706433".
bool IsNumbers(std::string_view text);

// True if a text under a name such as "server" or "address" looks like a host, or is a list with
// one: an IP address, "localhost", "name:80", or labels of which the last may be a top-level
// domain. False for "main", "eth0", "Baker Street 4", "server.py" and "1.2.3".
bool LooksLikePeer(std::string_view text);

// True for "git@forge.example:team/x".
bool IsScpAddress(std::string_view text);

// True if `text`, without a scheme, names a host because the argument's name suggests that. `usual`
// is the meaning of the argument's name.
bool NamesBareHost(const InputField& field, std::string_view text, UsualName usual);

}  // namespace ringfence
