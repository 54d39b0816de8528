// UTF-8 and code points. Text inside ringfence is UTF-8; a lone surrogate that JSON smuggles in as
// an escape is kept in its three-byte form (WTF-8), so that it stays distinct from any other text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ringfence {

struct CodePoint {
  uint32_t value = 0;
  size_t length = 0;  // bytes; 0: not UTF-8 (RFC 3629: shortest form, no surrogates, <= 10FFFF)
};

// Decodes the first code point of `text`.
CodePoint DecodeUtf8(std::string_view text);

// Appends `value` in UTF-8; a surrogate in its three-byte form.
void AppendUtf8(std::string& out, uint32_t value);

struct CodeRange {
  uint32_t first, last;
};
bool IsInRange(uint32_t value, std::span<const CodeRange> ranges);

bool IsValidUtf8(std::string_view text);

// True for the characters that JavaScript's trim() removes (ECMA-262 WhiteSpace and
// LineTerminator). The client trims paths this way; isspace() knows only the ASCII part.
bool IsTrimmed(uint32_t value);

// Trims both ends as trim() does; `text` may contain bytes that are not UTF-8.
std::string_view TrimSpace(std::string_view text);

// Returns `text` without its byte order mark, if it begins with one.
std::string_view WithoutByteOrderMark(std::string_view text);

// True for control characters, and for format characters that hide or reorder text.
bool IsInvisible(uint32_t value);

// True for characters other than U+0020 that look like a space or like nothing, although they are
// not invisible as above: other spaces, fillers of Hangul, the empty Braille pattern.
bool LooksBlank(uint32_t value);

// Trims both kinds from both ends; a server may drop them before it reads a value.
std::string_view TrimUnseen(std::string_view text);

}  // namespace ringfence
