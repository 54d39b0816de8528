// Address: an IP address, whatever its spelling. IPv4 is kept in its IPv4-mapped form, so that
// "192.0.2.1" and "[::ffff:c000:201]" are the same.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringfence {

using Address = std::array<uint8_t, 16>;

// "192.0.2.1", in the one form in which every parser reads the same address, or IPv6 in brackets
// (RFC 4291, 2.2), without a zone.
std::optional<Address> ParseAddress(std::string_view host);

// The one text of an address: a dotted quad, or RFC 5952 in brackets.
std::string AddressText(const Address& address);

}  // namespace ringfence
