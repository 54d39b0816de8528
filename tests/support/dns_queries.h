// DNS queries as bytes, for tests.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "proxy/wire/dns_message.h"
#include "tests/support/wire_bytes.h"

namespace ringfence {

// "a.b" as labels with their lengths, and the root.
inline std::string DnsLabels(std::string_view name) {
  std::string labels;
  while (!name.empty()) {
    const std::string_view label = name.substr(0, name.find('.'));
    labels += Sized(label, 1);
    name.remove_prefix(std::min(label.size() + 1, name.size()));
  }
  return labels + std::string(1, '\0');
}

// A query with the id abcd that wants recursion.
inline std::string DnsQueryBytes(std::string_view name, DnsType type = DnsType::kA) {
  return FromHex("abcd 0100 0001 0000 0000 0000") + DnsLabels(name) +
         BigEndian(static_cast<uint16_t>(type), 2) + BigEndian(1, 2);
}

}  // namespace ringfence
