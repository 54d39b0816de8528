// TLS handshakes as bytes, for tests.
#pragma once

#include <string>
#include <string_view>

#include "tests/support/wire_bytes.h"

namespace ringfence {

inline std::string HelloExtension(unsigned type, std::string_view content) {
  return BigEndian(type, 2) + Sized(content, 2);
}

// A ClientHello in one record, for the host `name`, or for none if that is "".
inline std::string ClientHelloFor(std::string_view name, std::string_view more_extensions = "") {
  const std::string entry = BigEndian(0, 1) + Sized(name, 2);
  std::string extensions = name.empty() ? "" : HelloExtension(0, Sized(entry, 2));
  extensions += more_extensions;
  const std::string body = FromHex("0303") + std::string(32, 'r') +
                           FromHex("00 0004 13011302 0100") + Sized(extensions, 2);
  return FromHex("16 0301") + Sized(BigEndian(1, 1) + Sized(body, 3), 2);
}

}  // namespace ringfence
