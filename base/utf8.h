// Code points and bytes. Text inside ringfence is UTF-8; a lone surrogate that JSON smuggles in as
// an escape is kept in its three-byte form (WTF-8), so that it stays different from any other text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringfence {

struct CodePoint {
  uint32_t value = 0;
  size_t length = 0;  // bytes; 0: not UTF-8 (RFC 3629: shortest form, no surrogates, <= 10FFFF)
};

// The first code point of a text that is not empty.
CodePoint DecodeUtf8(std::string_view text);

// Appends `value` in UTF-8; a surrogate in its three-byte form.
void AppendUtf8(std::string& out, uint32_t value);

bool IsValidUtf8(std::string_view text);

// What JavaScript's trim() removes (ECMA-262 WhiteSpace and LineTerminator). The client trims paths
// by this list, while isspace() knows only its ASCII part.
bool IsTrimmed(uint32_t value);

// Removed from both ends as trim() does; `text` may hold bytes that are no UTF-8.
std::string_view TrimSpace(std::string_view text);

// `text` behind a byte order mark, if it begins with one.
std::string_view WithoutByteOrderMark(std::string_view text);

// Control characters, and format characters that hide or reorder what a person reads.
bool IsInvisible(uint32_t value);

// Removes both from both ends: what a server may drop before it reads a value.
std::string_view TrimUnseen(std::string_view text);

}  // namespace ringfence
