// The host and port of a request: in its target and in its Host header.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/wire/parsed.h"

namespace ringfence {

struct HttpAuthority {
  std::string host;   // canonical (policy/rules/domain.h), so equal hosts are equal texts
  uint16_t port = 0;  // 0 if none was given

  bool operator==(const HttpAuthority&) const = default;
};

// Reads "host" or "host:port" (RFC 3986, 3.2) without a user name, percent sign, white space or
// zone. A port has no sign and no leading zero; "host:" is refused. An address is a dotted quad or
// bracketed IPv6, and becomes a dotted quad if it is IPv4-mapped.
bool ReadHttpAuthority(std::string_view text, HttpAuthority& authority, WireError& error);

}  // namespace ringfence
