#include "policy/rules/address_range.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "base/read_number.h"

namespace ringfence {
namespace {

constexpr uint8_t kIpv4Bits = 96;  // of the prefix ::ffff:0:0 of every IPv4 address
constexpr uint8_t kAllBits = 128;

constexpr AddressRange Ipv4Range(std::array<uint8_t, 4> first, uint8_t prefix) {
  AddressRange range{.prefix = static_cast<uint8_t>(kIpv4Bits + prefix)};
  range.first[10] = range.first[11] = 0xFF;
  for (size_t i = 0; i < first.size(); ++i) range.first[12 + i] = first[i];
  return range;
}

constexpr AddressRange Ipv6Range(std::array<uint16_t, 8> groups, uint8_t prefix) {
  AddressRange range{.prefix = prefix};
  for (size_t i = 0; i < groups.size(); ++i) {
    range.first[2 * i] = static_cast<uint8_t>(groups[i] >> 8);
    range.first[2 * i + 1] = static_cast<uint8_t>(groups[i]);
  }
  return range;
}

struct RangeKind {
  AddressRange range;
  AddressKind kind = AddressKind::kUnusable;
};

// The first range that contains an address counts.
constexpr RangeKind kRangeKinds[] = {
    {Ipv4Range({169, 254, 169, 254}, 32), AddressKind::kMetadata},  // most clouds
    {Ipv4Range({169, 254, 170, 2}, 32), AddressKind::kMetadata},    // AWS ECS
    {Ipv4Range({169, 254, 170, 23}, 32), AddressKind::kMetadata},   // AWS EKS
    {Ipv4Range({100, 100, 100, 200}, 32), AddressKind::kMetadata},  // Alibaba
    {Ipv4Range({168, 63, 129, 16}, 32), AddressKind::kMetadata},    // Azure
    {Ipv4Range({192, 0, 0, 192}, 32), AddressKind::kMetadata},      // Oracle
    {Ipv4Range({127, 0, 0, 0}, 8), AddressKind::kLoopback},
    {Ipv4Range({10, 0, 0, 0}, 8), AddressKind::kPrivate},
    {Ipv4Range({100, 64, 0, 0}, 10), AddressKind::kPrivate},  // shared by a provider's customers
    {Ipv4Range({172, 16, 0, 0}, 12), AddressKind::kPrivate},
    {Ipv4Range({192, 168, 0, 0}, 16), AddressKind::kPrivate},
    {Ipv4Range({169, 254, 0, 0}, 16), AddressKind::kLinkLocal},
    {Ipv4Range({0, 0, 0, 0}, 8), AddressKind::kUnusable},        // this host, for Linux
    {Ipv4Range({192, 0, 0, 0}, 24), AddressKind::kUnusable},     // protocols of the IETF
    {Ipv4Range({192, 0, 2, 0}, 24), AddressKind::kUnusable},     // documentation
    {Ipv4Range({192, 88, 99, 0}, 24), AddressKind::kUnusable},   // relays of 6to4
    {Ipv4Range({198, 18, 0, 0}, 15), AddressKind::kUnusable},    // measurements
    {Ipv4Range({198, 51, 100, 0}, 24), AddressKind::kUnusable},  // documentation
    {Ipv4Range({224, 0, 0, 0}, 3), AddressKind::kUnusable},      // multicast, reserved, broadcast
    {Ipv4Range({0, 0, 0, 0}, 0), AddressKind::kPublic},
    {Ipv6Range({0xFD00, 0xEC2, 0, 0, 0, 0, 0, 0x254}, 128), AddressKind::kMetadata},  // AWS
    {Ipv6Range({0xFD00, 0xEC2, 0, 0, 0, 0, 0, 0x23}, 128), AddressKind::kMetadata},   // AWS EKS
    {Ipv6Range({0xFD20, 0xCE, 0, 0, 0, 0, 0, 0x254}, 128), AddressKind::kMetadata},   // Google
    {Ipv6Range({0xFD00, 0xC1, 0, 0, 0, 0, 0xA9FE, 0xA9FE}, 128), AddressKind::kMetadata},  // Oracle
    {Ipv6Range({0xFD00, 0x42, 0, 0, 0, 0, 0, 0x42}, 128), AddressKind::kMetadata},  // Scaleway
    {Ipv6Range({0xFC00}, 7), AddressKind::kPrivate},
    {Ipv6Range({0xFEC0}, 10), AddressKind::kPrivate},
    {Ipv6Range({0xFE80}, 10), AddressKind::kLinkLocal},
    {Ipv6Range({0x2001}, 23), AddressKind::kUnusable},         // protocols of the IETF
    {Ipv6Range({0x2001, 0xDB8}, 32), AddressKind::kUnusable},  // documentation
    {Ipv6Range({0x3FFF}, 20), AddressKind::kUnusable},         // documentation
    {Ipv6Range({0x2000}, 3), AddressKind::kPublic},            // all that is routed so far
    {Ipv6Range({}, 0), AddressKind::kUnusable},
};

// Addresses that contain an IPv4 address, to which a tunnel or a translator passes what is sent to
// them.
struct Embedding {
  AddressRange range;
  size_t offset = 0;  // bytes
  bool is_inverted = false;
};
constexpr Embedding kEmbeddings[] = {
    {Ipv6Range({}, 96), 12},                 // IPv4-compatible
    {Ipv6Range({0x64, 0xFF9B}, 96), 12},     // NAT64
    {Ipv6Range({0x64, 0xFF9B, 1}, 48), 12},  // NAT64 of a local network
    {Ipv6Range({0x2002}, 16), 2},            // 6to4
    {Ipv6Range({0x2001, 0}, 32), 12, true},  // Teredo: the client
};

constexpr Address kLoopback6 = Ipv6Range({0, 0, 0, 0, 0, 0, 0, 1}, 128).first;

bool IsIsatap(const Address& address) {
  constexpr uint8_t kMulticast = 0xFF, kGlobalBit = 2;
  return address[0] != kMulticast && (address[8] & ~kGlobalBit) == 0 && address[9] == 0 &&
         address[10] == 0x5E && address[11] == 0xFE;
}

std::optional<Address> EmbeddedAddress(const Address& address) {
  constexpr Embedding kIsatap{Ipv6Range({}, 0), 12};
  const auto* embedding = std::ranges::find_if(
      kEmbeddings, [&](const Embedding& row) { return row.range.Contains(address); });
  if (embedding == std::end(kEmbeddings)) {
    if (!IsIsatap(address)) return {};
    embedding = &kIsatap;
  }
  Address embedded = Ipv4Range({}, 0).first;
  for (size_t i = 0; i < 4; ++i) {
    const uint8_t byte = address[embedding->offset + i];
    embedded[12 + i] = embedding->is_inverted ? static_cast<uint8_t>(~byte) : byte;
  }
  return embedded;
}

AddressKind KindOfRange(const Address& address) {
  for (const RangeKind& row : kRangeKinds) {
    if (row.range.Contains(address)) return row.kind;
  }
  return AddressKind::kUnusable;
}

bool IsIpv4(const Address& address) { return Ipv4Range({}, 0).Contains(address); }

// The bits of byte `i` that are beyond the prefix.
uint8_t HostBits(uint8_t prefix, size_t i) {
  return static_cast<uint8_t>(0xFF >> (std::clamp<size_t>(prefix, 8 * i, 8 * i + 8) - 8 * i));
}

}  // namespace

AddressKind KindOfAddress(const Address& address) {
  if (address == kLoopback6) return AddressKind::kLoopback;
  const std::optional<Address> embedded = EmbeddedAddress(address);
  if (!embedded) return KindOfRange(address);
  const AddressKind kind = KindOfRange(*embedded);
  return kind == AddressKind::kPublic ? AddressKind::kUnusable : kind;
}

bool MayGiveCredentials(const Address& address) {
  const AddressKind kind = KindOfAddress(address);
  return kind == AddressKind::kLinkLocal || kind == AddressKind::kMetadata;
}

std::string_view AddressKindName(AddressKind kind) {
  switch (kind) {
    case AddressKind::kPublic:
      return "public";
    case AddressKind::kLoopback:
      return "loopback";
    case AddressKind::kPrivate:
      return "private";
    case AddressKind::kLinkLocal:
      return "link-local";
    case AddressKind::kMetadata:
      return "a cloud's metadata service";
    case AddressKind::kUnusable:
      break;
  }
  return "unusable";
}

bool AddressRange::Contains(const Address& address) const {
  // "::/0" means IPv6, though IPv4 is kept below it.
  if (prefix < kIpv4Bits && IsIpv4(address)) return false;
  for (size_t i = 0; i < address.size(); ++i) {
    if ((address[i] ^ first[i]) & ~HostBits(prefix, i)) return false;
  }
  return true;
}

std::optional<AddressRange> ParseAddressRange(std::string_view text) {
  const size_t slash = text.find('/');
  std::string host(text.substr(0, slash));
  const bool is_ipv6 = host.find(':') != std::string::npos;
  if (is_ipv6 && !host.starts_with('[')) host = "[" + host + "]";
  const std::optional<Address> address = ParseAddress(host);
  if (!address) return {};
  AddressRange range{.first = *address};
  if (slash != std::string_view::npos) {
    const std::string_view digits = text.substr(slash + 1);
    const uint8_t most = is_ipv6 ? kAllBits : kAllBits - kIpv4Bits;
    if (digits.starts_with('0') && digits.size() > 1) return {};
    if (!ReadNumber(digits, range.prefix) || range.prefix > most) return {};
    if (!is_ipv6) range.prefix = static_cast<uint8_t>(range.prefix + kIpv4Bits);
  }
  for (size_t i = 0; i < address->size(); ++i) {
    if ((range.first[i] & HostBits(range.prefix, i)) != 0) return {};
  }
  return range;
}

std::string AddressRangeText(const AddressRange& range) {
  std::string text = AddressText(range.first);
  if (range.prefix == kAllBits) return text;
  const bool is_ipv6 = text.starts_with('[');
  if (is_ipv6) text = text.substr(1, text.size() - 2);
  return text + "/" + std::to_string(is_ipv6 ? range.prefix : range.prefix - kIpv4Bits);
}

}  // namespace ringfence
