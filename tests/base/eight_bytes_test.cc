#include "base/eight_bytes.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>

using namespace ringfence;

TEST_CASE("eight bytes: a range marks exactly the bytes in it, at every position") {
  struct Row {
    char least, most;
  };
  static constexpr Row kRows[] = {{'a', 'z'}, {'-', '9'}, {'_', '_'}, {'.', '/'}, {'\0', '\x7f'}};
  for (const Row& row : kRows) {
    CAPTURE(row.least);
    for (int value = 0; value < 0x80; ++value) {
      for (size_t place = 0; place < 8; ++place) {
        // Neighbours at both ends of the byte range cause the most carries and borrows.
        for (const char other : {'\0', '\x7f'}) {
          std::string text(8, other);
          text[place] = static_cast<char>(value);
          const uint64_t marks = IsWithin(LoadEight(text.data()), row.least, row.most);
          const bool marked = (marks >> (8 * place) & 0x80u) != 0;
          CHECK(marked == (value >= row.least && value <= row.most));
          CHECK((marks & ~kEachHighBit) == 0);
        }
      }
    }
  }
}

TEST_CASE("eight bytes: BeginsWith agrees with starts_with") {
  const std::string text = "generated/module-00001/out";
  for (size_t size = 0; size <= text.size(); ++size) {
    std::string prefix = text.substr(0, size);
    CHECK(BeginsWith(text, prefix));
    CHECK_FALSE(BeginsWith(text.substr(0, size), text + "x"));
    for (size_t i = 0; i < size; ++i) {
      std::string other = prefix;
      other[i] ^= 1;
      CHECK_FALSE(BeginsWith(text, other));
    }
  }
}

TEST_CASE("eight bytes: CompareBytes agrees with memcmp(3), whichever byte differs") {
  const auto sign = [](int difference) { return (difference > 0) - (difference < 0); };
  for (size_t size = 0; size <= 20; ++size) {
    const std::string one(size, '\x40');
    CHECK(CompareBytes(one.data(), one.data(), size) == 0);
    for (size_t at = 0; at < size; ++at) {
      for (const char value : {'\x00', '\x3f', '\x41', '\x7f', '\x80', '\xff'}) {
        std::string other = one;
        other[at] = value;
        if (at + 1 < size) other[at + 1] = '\x01';  // bytes after the difference do not matter
        const int want = sign(std::memcmp(one.data(), other.data(), size));
        CHECK(sign(CompareBytes(one.data(), other.data(), size)) == want);
        CHECK(sign(CompareBytes(other.data(), one.data(), size)) == -want);
      }
    }
  }
}
