// NameMap: the addresses that the stub resolver hands out in place of real ones, one for each name.
// The address of a connection then tells which name was asked for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/not_copied.h"

namespace ringfence {

using Ipv4 = std::array<uint8_t, 4>;

// 198.18.0.0/15 is reserved for measurements (RFC 2544), so no host of the internet has it. The
// first 256 addresses are left for the sandbox's own interfaces.
class NameMap : NotCopied {
 public:
  static constexpr uint32_t kFirst = (198u << 24) + (18u << 16) + 256;
  static constexpr size_t kMaxNames = 131'072 - 256;

  // Returns the same address for the same name; nothing once all are handed out, and for the root.
  // `name` is canonical: lower case, without a final dot.
  std::optional<Ipv4> AddressOf(std::string_view name);
  // Returns nullptr for an address that was not handed out. Valid as long as the map.
  const std::string* NameOf(const Ipv4& address) const;
  // True if the address is in 198.18.0.0/15, handed out or not.
  static bool IsInRange(const Ipv4& address);

  size_t size() const { return names_.size(); }

 private:
  std::deque<std::string> names_;  // its elements stay where they are
  // Views of `names_`. A tree, since the sandbox could choose names that collide in a hash table.
  std::map<std::string_view, uint32_t> numbers_;
};

}  // namespace ringfence
