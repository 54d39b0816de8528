// ASCII character classes, independent of the locale. A byte above 0x7F is in none of them.
#pragma once

#include <algorithm>
#include <string_view>

namespace ringfence {

constexpr bool IsDigit(int c) { return c >= '0' && c <= '9'; }
constexpr bool IsLower(int c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsUpper(int c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsLetter(int c) { return IsLower(c) || IsUpper(c); }
constexpr bool IsAlnum(int c) { return IsLetter(c) || IsDigit(c); }
constexpr bool IsAscii(char c) { return (c & 0x80) == 0; }
constexpr bool IsPrintableAscii(char c) { return c >= ' ' && c <= '~'; }

// Converts an ASCII letter; returns every other character unchanged.
template <typename Char>
constexpr Char ToLower(Char c) {
  return IsUpper(static_cast<int>(c)) ? static_cast<Char>(c + ('a' - 'A')) : c;
}
template <typename Char>
constexpr Char ToUpper(Char c) {
  return IsLower(static_cast<int>(c)) ? static_cast<Char>(c - ('a' - 'A')) : c;
}

// True if `text` has this form, in which "0" means any digit.
inline bool HasForm(std::string_view text, std::string_view form) {
  return std::ranges::equal(
      text, form, [](char c, char wanted) { return wanted == '0' ? IsDigit(c) : c == wanted; });
}

// The value of a hexadecimal digit in either case; -1 for any other character.
constexpr int HexValue(char digit) {
  if (IsDigit(digit)) return digit - '0';
  const char lower = ToLower(digit);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace ringfence
