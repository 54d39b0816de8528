// Ranges of IP addresses with a meaning of their own (RFC 6890 and the IANA registries of special
// addresses). A host name that resolves to one of them may lead into the user's own network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/rules/address.h"

namespace ringfence {

enum class AddressKind : uint8_t {
  kPublic,     // routed on the internet
  kLoopback,   // 127.0.0.0/8, ::1
  kPrivate,    // 10/8, 172.16/12, 192.168/16, 100.64/10, fc00::/7, fec0::/10
  kLinkLocal,  // 169.254/16, fe80::/10
  kMetadata,   // well-known addresses of clouds' metadata services: 169.254.169.254, 169.254.170.2,
               // 169.254.170.23, 100.100.100.200, 168.63.129.16, 192.0.0.192, fd00:ec2::254,
               // fd00:ec2::23, fd20:ce::254, fd00:c1::a9fe:a9fe, fd00:42::42
  kUnusable,  // everything else that is not a host on the internet: 0/8, 192.0.0/24, 192.0.2/24 and
              // the other documentation ranges except 203.0.113/24, 198.18/15, multicast, 240/4,
              // all of IPv6 outside of 2000::/3, ...
};

// An IPv4-mapped address is the IPv4 address itself. An IPv4-compatible, NAT64, 6to4, Teredo or
// ISATAP address has the kind of the IPv4 address in it (the client's for Teredo), but kUnusable
// if that is kPublic.
AddressKind KindOfAddress(const Address& address);

// True for addresses at which clouds give credentials to whoever asks. A link-local one may be any
// device, but is hardly ever meant.
bool MayGiveCredentials(const Address& address);

// "loopback", "private", ... for messages.
std::string_view AddressKindName(AddressKind kind);

struct AddressRange {
  Address first{};
  uint8_t prefix = 128;  // bits of the 16-byte form: an IPv4 /8 is 104

  // An IPv6 range contains no IPv4 address: "::/0" is all of IPv6.
  bool Contains(const Address& address) const;
  bool operator==(const AddressRange&) const = default;
};

// Parses "10.0.0.0/8", "192.0.2.1", "fd00::/8" or "[fd00::1]"; brackets are optional. Bits after
// the prefix must be 0.
std::optional<AddressRange> ParseAddressRange(std::string_view text);
// Returns the canonical text: without a prefix for a single address, which is in brackets then if
// it is IPv6.
std::string AddressRangeText(const AddressRange& range);

}  // namespace ringfence
