// Headers that concern one connection, and which a proxy does not pass on (RFC 9110, 7.6.1).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "proxy/wire/http_head.h"

namespace ringfence {

// Returns the comma-separated elements of all headers of that name, without empty ones. They need
// not be tokens.
std::vector<std::string_view> HttpListOf(const std::vector<HttpHeader>& headers,
                                         std::string_view name);

// True if an element equals `wanted` without regard to letter case.
bool HasListItem(std::span<const std::string_view> items, std::string_view wanted);

// True for Connection, Keep-Alive, Proxy-*, TE, Trailer, Transfer-Encoding, Upgrade and
// HTTP2-Settings, and for the names in `options`, the list of the Connection headers.
bool IsForOneHop(std::string_view name, std::span<const std::string_view> options);

}  // namespace ringfence
