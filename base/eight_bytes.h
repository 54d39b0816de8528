// Checks long texts eight bytes at a time, in one machine word. A result has the high bit set in
// each byte that passes the check; the first byte of the text is the lowest.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ringfence {

constexpr bool kEightBytesWork = std::endian::native == std::endian::little;

constexpr uint64_t kEachByte = 0x0101010101010101u;
constexpr uint64_t kEachHighBit = 0x8080808080808080u;

inline uint64_t LoadEight(const char* text) {
  uint64_t bytes = 0;
  std::memcpy(&bytes, text, sizeof bytes);
  return bytes;
}

// Faster than starts_with() for short names, for which the call costs more than the comparison.
inline bool BeginsWith(std::string_view text, std::string_view prefix) {
  if (text.size() < prefix.size()) return false;
  size_t i = 0;
  for (; prefix.size() - i >= 8; i += 8) {
    if (LoadEight(text.data() + i) != LoadEight(prefix.data() + i)) return false;
  }
  for (; i < prefix.size(); ++i) {
    if (text[i] != prefix[i]) return false;
  }
  return true;
}

// Same as memcmp(3).
inline int CompareBytes(const char* one, const char* other, size_t size) {
  for (; size >= 8; one += 8, other += 8, size -= 8) {
    if (LoadEight(one) != LoadEight(other)) break;
  }
  for (; size > 0; ++one, ++other, --size) {
    const int difference = static_cast<unsigned char>(*one) - static_cast<unsigned char>(*other);
    if (difference != 0) return difference;
  }
  return 0;
}

// Marks the bytes from `least` to `most`. All bytes must be below 0x80.
constexpr uint64_t IsWithin(uint64_t bytes, char least, char most) {
  const uint64_t reaches = bytes + kEachByte * (0x80u - static_cast<unsigned char>(least));
  const uint64_t exceeds = bytes + kEachByte * (0x7Fu - static_cast<unsigned char>(most));
  return reaches & ~exceeds & kEachHighBit;
}

}  // namespace ringfence
