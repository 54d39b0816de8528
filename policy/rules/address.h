// Address: an IP address, independent of its spelling. IPv4 is kept in its IPv4-mapped form, so
// "192.0.2.1" and "[::ffff:c000:201]" are equal.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringfence {

using Address = std::array<uint8_t, 16>;

// Parses "192.0.2.1", only in the form that every parser reads as the same address, or IPv6 in
// brackets (RFC 4291, 2.2), without a zone.
std::optional<Address> ParseAddress(std::string_view host);

// Returns the canonical text of an address: a dotted quad, or RFC 5952 in brackets.
std::string AddressText(const Address& address);

}  // namespace ringfence
