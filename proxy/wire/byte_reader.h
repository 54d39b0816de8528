// Takes numbers in network byte order, and blocks, off the front of bytes that a peer sent.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ringfence {

// Each function returns false and takes nothing if fewer bytes are left than it needs.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <std::unsigned_integral T>
  bool Number(T& number) {
    std::string_view bytes;
    if (!Bytes(sizeof(T), bytes)) return false;
    uint64_t value = 0;
    for (const char byte : bytes) value = value << 8 | static_cast<uint8_t>(byte);
    number = static_cast<T>(value);
    return true;
  }

  bool Bytes(size_t size, std::string_view& bytes) {
    if (rest_.size() < size) return false;
    bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }

  // Takes a number of type `Length`, and as many bytes as it says.
  template <std::unsigned_integral Length>
  bool Block(std::string_view& block) {
    ByteReader ahead = *this;
    Length size = 0;
    if (!ahead.Number(size) || !ahead.Bytes(size, block)) return false;
    *this = ahead;
    return true;
  }

  std::string_view rest() const { return rest_; }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace ringfence
