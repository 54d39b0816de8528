#include "base/ascii.h"

#include <doctest/doctest.h>

#include <string_view>

using namespace ringfence;

TEST_CASE("ascii: only letters have another case") {
  constexpr std::string_view kLower = "az@[`{09\xE4";
  constexpr std::string_view kUpper = "AZ@[`{09\xE4";
  for (size_t i = 0; i < kLower.size(); ++i) {
    CHECK(ToUpper(kLower[i]) == kUpper[i]);
    CHECK(ToLower(kUpper[i]) == kLower[i]);
    CHECK(ToUpper(kUpper[i]) == kUpper[i]);
    CHECK(ToLower(kLower[i]) == kLower[i]);
  }
}

TEST_CASE("ascii: hexadecimal digits have a value, other characters have none") {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (size_t i = 0; i < kDigits.size(); ++i) {
    CHECK(HexValue(kDigits[i]) == static_cast<int>(i));
    CHECK(HexValue(ToUpper(kDigits[i])) == static_cast<int>(i));
  }
  for (const char c : std::string_view("/:@G`g \0", 8)) CHECK(HexValue(c) == -1);
}

TEST_CASE("ascii: a byte above 0x7F is not ASCII, a control character is not printable") {
  CHECK(IsAscii('\x7F'));
  CHECK_FALSE(IsAscii('\x80'));
  CHECK(IsPrintableAscii(' '));
  CHECK(IsPrintableAscii('~'));
  CHECK_FALSE(IsPrintableAscii('\x1F'));
  CHECK_FALSE(IsPrintableAscii('\x7F'));
  CHECK_FALSE(IsPrintableAscii('\xE4'));
}
