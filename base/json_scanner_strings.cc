// JsonScanner's string handling. Nearly all bytes of an event are in strings.
#include <bit>

#include "base/ascii.h"
#include "base/eight_bytes.h"
#include "base/json_scanner.h"
#include "base/utf8.h"

namespace ringfence {
namespace {

// Sets the high bit of each of the eight bytes that needs a closer look: a quote, a backslash, a
// control character, or a byte of a longer UTF-8 sequence. A borrow may also mark a byte after the
// first marked one, so only the first mark is reliable.
uint64_t SpecialBytes(uint64_t bytes) {
  const uint64_t control = bytes - kEachByte * 0x20;
  const uint64_t quote = (bytes ^ (kEachByte * '"')) - kEachByte;
  const uint64_t backslash = (bytes ^ (kEachByte * '\\')) - kEachByte;
  return (control | quote | backslash | bytes) & kEachHighBit;
}

bool NeedsNoEscape(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

// Returns the first byte at or after `at` that is not plain string content, or `end`.
const char* SkipPlain(const char* at, const char* end) {
  if constexpr (kEightBytesWork) {
    for (; end - at >= 8; at += 8) {
      const uint64_t special = SpecialBytes(LoadEight(at));
      if (special != 0) return at + std::countr_zero(special) / 8;
    }
  }
  while (at < end && NeedsNoEscape(*at)) ++at;
  return at;
}

size_t PlainPrefix(std::string_view text) {
  return static_cast<size_t>(SkipPlain(text.data(), text.data() + text.size()) - text.data());
}

bool IsOneLetterEscape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
      return true;
    default:
      return false;
  }
}

// Skips string content that need not be kept. Stops at the closing quote, at `end`, or at anything
// that needs the slow path (\u, an error, a sequence cut by the end of the chunk).
const char* SkipContent(const char* at, const char* end) {
  for (;;) {
    at = SkipPlain(at, end);
    if (at == end || *at == '"') return at;
    if (*at == '\\') {
      if (end - at < 2 || !IsOneLetterEscape(at[1])) return at;
      at += 2;
    } else if (static_cast<unsigned char>(*at) < 0x20) {
      return at;  // the slow path rejects it
    } else {
      const size_t length = DecodeUtf8({at, static_cast<size_t>(end - at)}).length;
      if (length == 0) return at;
      at += length;
    }
  }
}

}  // namespace

// State of the string being read.
struct JsonScanner::StringState {
  std::string* kept = nullptr;
  size_t limit = 0;
  Keep keep = Keep::kBeginning;
  String found;
  uint32_t high_surrogate = 0;  // waiting for its low surrogate
};

bool JsonScanner::TakeString(size_t limit, String* out, Keep keep) {
  if (!string_pending_) {
    Fail("not at a string");
    return false;
  }
  string_pending_ = false;
  return ScanString(limit, keep, out);
}

// Starts at the opening quote. A plain ASCII string in one chunk is returned as a view of the
// chunk.
bool JsonScanner::ScanString(size_t limit, Keep keep, String* out) {
  ++at_;
  const std::string_view rest = chunk_.substr(at_);
  const size_t plain = PlainPrefix(rest);
  const bool whole = keep == Keep::kBeginning || plain <= limit;
  if (whole && plain < rest.size() && rest[plain] == '"') {
    at_ += plain + 1;
    *out = String{rest.substr(0, plain < limit ? plain : limit), plain > limit};
    return true;
  }
  string_.clear();
  StringState state{.kept = &string_, .limit = limit, .keep = keep, .found = {}};
  for (int c = Peek(); c != '"'; c = Peek()) {
    if (!ScanContent(c, state)) return false;
    if (limit == 0) SkipFast();
  }
  ++at_;
  FlushSurrogate(state);
  if (keep == Keep::kEnd) CutToEnd(state);
  state.found.text = string_;
  *out = state.found;
  return true;
}

// Scans the content that begins with `c`, the byte from Peek(): one character, or a run of plain
// ones.
bool JsonScanner::ScanContent(int c, StringState& state) {
  if (failed_) return false;
  if (c < 0) return Fail("this string has no end", JsonFault::kNoStringEnd), false;
  if (c == '\\') return ScanEscape(state);
  if (c < 0x20) return Fail("a control character in a string", JsonFault::kControl), false;
  if (c >= 0x80) return ScanMultibyte(state);
  const size_t length = PlainPrefix(chunk_.substr(at_));
  Put(state, chunk_.substr(at_, length));
  at_ += length;
  return true;
}

void JsonScanner::SkipFast() {
  const char* const end = chunk_.data() + chunk_.size();
  at_ = static_cast<size_t>(SkipContent(chunk_.data() + at_, end) - chunk_.data());
}

void JsonScanner::FlushSurrogate(StringState& state) {
  if (state.high_surrogate == 0) return;
  const uint32_t lone = std::exchange(state.high_surrogate, 0);
  state.found.has_lone_surrogate = true;
  PutCodePoint(state, lone);
}

void JsonScanner::Put(StringState& state, std::string_view bytes) {
  FlushSurrogate(state);
  if (state.keep == Keep::kEnd) {
    state.kept->append(bytes);
    if (state.kept->size() > 2 * state.limit) CutToEnd(state);
    return;
  }
  const size_t room = state.limit - state.kept->size();
  if (bytes.size() > room) state.found.cut = true;
  state.kept->append(bytes.substr(0, room));
}

// Keeps at most the last `limit` bytes, starting at a code point.
void JsonScanner::CutToEnd(StringState& state) {
  std::string& kept = *state.kept;
  if (kept.size() <= state.limit) return;
  state.found.cut = true;
  size_t start = kept.size() - state.limit;
  while (start < kept.size() && (static_cast<unsigned char>(kept[start]) & 0xC0) == 0x80) ++start;
  kept.erase(0, start);
}

void JsonScanner::PutCodePoint(StringState& state, uint32_t value) {
  std::string bytes;
  AppendUtf8(bytes, value);
  Put(state, bytes);
}

bool JsonScanner::ScanEscape(StringState& state) {
  ++at_;
  const int c = Peek();
  if (c < 0) return Fail("this string has no end", JsonFault::kNoStringEnd), false;
  ++at_;
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
  if (c != 'u') {
    const size_t i = kNames.find(static_cast<char>(c));
    if (i == std::string_view::npos)
      return Fail("an unknown escape in a string", JsonFault::kEscape), false;
    Put(state, kValues.substr(i, 1));
    return true;
  }
  uint32_t unit = 0;
  if (!ScanHex(&unit)) return false;
  const bool low = unit >= 0xDC00 && unit <= 0xDFFF;
  if (low && state.high_surrogate != 0) {
    const uint32_t high = std::exchange(state.high_surrogate, 0);
    PutCodePoint(state, 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00));
    return true;
  }
  FlushSurrogate(state);
  if (unit >= 0xD800 && unit <= 0xDBFF) {
    state.high_surrogate = unit;
    return true;
  }
  if (low) state.found.has_lone_surrogate = true;
  if (unit == 0) state.found.has_nul = true;
  PutCodePoint(state, unit);
  return true;
}

bool JsonScanner::ScanHex(uint32_t* value) {
  for (int i = 0; i < 4; ++i) {
    const int c = Peek();
    const int lower = c | 0x20;
    if (!IsDigit(c) && !(lower >= 'a' && lower <= 'f')) {
      return Fail("\\u needs four hexadecimal digits", JsonFault::kEscape), false;
    }
    *value = (*value << 4) | static_cast<uint32_t>(IsDigit(c) ? c - '0' : lower - 'a' + 10);
    ++at_;
  }
  return true;
}

// Scans one code point of two to four bytes, which may span two chunks.
bool JsonScanner::ScanMultibyte(StringState& state) {
  const CodePoint here = DecodeUtf8(chunk_.substr(at_));
  if (here.length != 0) {
    Put(state, chunk_.substr(at_, here.length));
    at_ += here.length;
    return true;
  }
  const size_t start = offset();
  std::string bytes;
  while (bytes.size() < 4 && Peek() >= 0x80) {
    bytes.push_back(chunk_[at_++]);
    const CodePoint point = DecodeUtf8(bytes);
    if (point.length == 0) continue;
    Put(state, bytes);
    return true;
  }
  return FailAt(start, "invalid UTF-8", JsonFault::kEncoding), false;
}

}  // namespace ringfence
