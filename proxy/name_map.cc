#include "proxy/name_map.h"

namespace ringfence {
namespace {

Ipv4 Ipv4OfNumber(uint32_t number) {
  const uint32_t value = NameMap::kFirst + number;
  return {static_cast<uint8_t>(value >> 24), static_cast<uint8_t>(value >> 16),
          static_cast<uint8_t>(value >> 8), static_cast<uint8_t>(value)};
}

}  // namespace

std::optional<Ipv4> NameMap::AddressOf(std::string_view name) {
  if (name.empty()) return {};
  if (const auto known = numbers_.find(name); known != numbers_.end()) {
    return Ipv4OfNumber(known->second);
  }
  if (names_.size() == kMaxNames) return {};
  const auto number = static_cast<uint32_t>(names_.size());
  numbers_.emplace(names_.emplace_back(name), number);
  return Ipv4OfNumber(number);
}

const std::string* NameMap::NameOf(const Ipv4& address) const {
  uint32_t value = 0;
  for (const uint8_t byte : address) value = value << 8 | byte;
  if (value < kFirst || value - kFirst >= names_.size()) return nullptr;
  return &names_[value - kFirst];
}

bool NameMap::IsInRange(const Ipv4& address) {
  return address[0] == 198 && (address[1] & 0xFE) == 18;
}

}  // namespace ringfence
