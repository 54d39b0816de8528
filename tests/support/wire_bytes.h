// Builds messages of binary protocols for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ascii.h"

namespace ringfence {

// The bytes that hexadecimal digits stand for; spaces are ignored.
inline std::string FromHex(std::string_view digits) {
  std::string bytes;
  int high = -1;
  for (const char digit : digits) {
    if (digit == ' ') continue;
    if (high >= 0) bytes.push_back(static_cast<char>(high * 16 + HexValue(digit)));
    high = high < 0 ? HexValue(digit) : -1;
  }
  return bytes;
}

// A number of `size` bytes in network byte order.
inline std::string BigEndian(uint64_t number, size_t size) {
  std::string bytes;
  while (size-- > 0) bytes.push_back(static_cast<char>(number >> (8 * size)));
  return bytes;
}

// The block behind its length, a number of `size` bytes.
inline std::string Sized(std::string_view block, size_t size) {
  return BigEndian(block.size(), size).append(block);
}

}  // namespace ringfence
