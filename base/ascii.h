// Classes of ASCII characters, whatever the locale. A byte above 0x7F belongs to none.
#pragma once

namespace ringfence {

constexpr bool IsDigit(int c) { return c >= '0' && c <= '9'; }
constexpr bool IsLower(int c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsUpper(int c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsLetter(int c) { return IsLower(c) || IsUpper(c); }

}  // namespace ringfence
