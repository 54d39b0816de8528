#include "base/utf8.h"

#include <doctest/doctest.h>

using namespace ringfence;

namespace {

std::string Encoded(uint32_t value) {
  std::string out;
  AppendUtf8(out, value);
  return out;
}

}  // namespace

TEST_CASE("utf8: the first code point of a text is decoded with its length") {
  struct Row {
    std::string_view name;
    std::string_view text;
    uint32_t value;
    size_t length;
  };
  static constexpr Row kRows[] = {
      {"one byte", "Az", 'A', 1},
      {"NUL is a code point like any other", std::string_view("\0x", 2), 0, 1},
      {"the last of one byte", "\x7F", 0x7F, 1},
      {"the first of two bytes", "\xC2\x80", 0x80, 2},
      {"the last of two bytes", "\xDF\xBF", 0x7FF, 2},
      {"the first of three bytes", "\xE0\xA0\x80", 0x800, 3},
      {"the last before the surrogates", "\xED\x9F\xBF", 0xD7FF, 3},
      {"the first after the surrogates", "\xEE\x80\x80", 0xE000, 3},
      {"a non-character is a code point", "\xEF\xBF\xBF", 0xFFFF, 3},
      {"the first of four bytes", "\xF0\x90\x80\x80", 0x10000, 4},
      {"the last of all", "\xF4\x8F\xBF\xBF", 0x10FFFF, 4},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const CodePoint point = DecodeUtf8(row.text);
    CHECK(point.value == row.value);
    CHECK(point.length == row.length);
    CHECK(Encoded(row.value) == row.text.substr(0, row.length));
  }
}

TEST_CASE("utf8: bytes that are not UTF-8 have length 0") {
  struct Row {
    std::string_view name;
    std::string_view text;
  };
  static constexpr Row kRows[] = {
      {"nothing", ""},
      {"a continuation byte alone", "\x80"},
      {"two bytes for what fits in one", "\xC0\x80"},
      {"two bytes for a slash", "\xC1\xAF"},
      {"three bytes for what fits in two", "\xE0\x9F\xBF"},
      {"four bytes for what fits in three", "\xF0\x8F\xBF\xBF"},
      {"a high surrogate", "\xED\xA0\x80"},
      {"a low surrogate", "\xED\xBF\xBF"},
      {"one past the last code point", "\xF4\x90\x80\x80"},
      {"a lead byte that no code point needs", "\xF5\x80\x80\x80"},
      {"five bytes, as UTF-8 once had", "\xF8\x88\x80\x80\x80"},
      {"0xFF", "\xFF"},
      {"two bytes, cut", "\xC3"},
      {"three bytes, cut", "\xE2\x82"},
      {"four bytes, cut", "\xF0\x9F\x98"},
      {"a letter where a continuation byte belongs", "\xC3x"},
      {"a letter as the third byte", "\xE2\x82x"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(DecodeUtf8(row.text).length == 0);
    CHECK(IsValidUtf8(row.text) == row.text.empty());
  }
}

TEST_CASE("utf8: every code point except surrogates survives encoding and decoding") {
  for (uint32_t value = 0; value <= 0x10FFFF; ++value) {
    const std::string text = Encoded(value);
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    const CodePoint point = DecodeUtf8(text);
    if (surrogate ? point.length == 0 : (point.value == value && point.length == text.size())) {
      continue;
    }
    FAIL("code point " << value);
  }
}

TEST_CASE("utf8: a lone surrogate takes three bytes and stays different from other text") {
  CHECK(Encoded(0xD800) == "\xED\xA0\x80");
  CHECK(Encoded(0xDFFF) == "\xED\xBF\xBF");
  CHECK_FALSE(IsValidUtf8(Encoded(0xDC00)));
}

TEST_CASE("utf8: a text is valid only if all of it is") {
  CHECK(IsValidUtf8(""));
  CHECK(IsValidUtf8("caf\xC3\xA9 \xF0\x9F\x98\x80"));
  CHECK_FALSE(IsValidUtf8("caf\xC3"));
  CHECK_FALSE(IsValidUtf8("a\xE9z"));
}

TEST_CASE("utf8: trimming removes what JavaScript's trim removes, and nothing else") {
  struct Row {
    std::string_view name;
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"nothing to do", "a b", "a b"},
      {"spaces on both sides", "  a ", "a"},
      {"tab, line feed, vertical tab, form feed, carriage return", "\t\n\v\f\ra\r\f\v\n\t", "a"},
      {"no-break space",
       "\xC2\xA0"
       "a\xC2\xA0",
       "a"},
      {"ideographic space and line separator",
       "\xE3\x80\x80"
       "a\xE2\x80\xA8",
       "a"},
      {"a byte order mark counts as white space there",
       "\xEF\xBB\xBF"
       "a",
       "a"},
      {"ogham, en quad, hair space, narrow and mathematical space",
       "\xE1\x9A\x80\xE2\x80\x80\xE2\x80\x8A\xE2\x80\xAF\xE2\x81\x9F"
       "a",
       "a"},
      {"a zero width space does not",
       "\xE2\x80\x8B"
       "a",
       "\xE2\x80\x8B"
       "a"},
      {"NEL does not", "a\xC2\x85", "a\xC2\x85"},
      {"nothing but space", " \t ", ""},
      {"nothing", "", ""},
      {"bytes that are no UTF-8 stay", " \xFF\x80 ", "\xFF\x80"},
      {"a stray continuation byte before the space", "a\x80 ", "a\x80"},
      {"the tail of a broken character is not taken for a space", "a\xE3\x80", "a\xE3\x80"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(TrimSpace(row.text) == row.want);
  }
}

TEST_CASE("utf8: invisible characters are removed from both ends, and nothing else") {
  struct Row {
    std::string_view name;
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"nothing to do", "a b", "a b"},
      {"spaces, controls and a byte order mark", "\xEF\xBB\xBF \t\x01/a\x7F\r\n", "/a"},
      {"a zero width space and a mark of direction", "\xE2\x80\x8B/a\xE2\x80\x8F", "/a"},
      {"what lies between stays", "a\xE2\x80\x8B \x01z", "a\xE2\x80\x8B \x01z"},
      {"nothing but that", "\xE2\x80\x8B \x01", ""},
      {"bytes that are no UTF-8 stay", "\x01\xFF\x80\x01", "\xFF\x80"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(TrimUnseen(row.text) == row.want);
  }
}

TEST_CASE("utf8: characters without ink look blank, except the space and invisible characters") {
  static constexpr uint32_t kBlanks[] = {0xA0,   0x034F, 0x115F, 0x1160, 0x1680, 0x17B5,
                                         0x180B, 0x2000, 0x200A, 0x202F, 0x205F, 0x2800,
                                         0x3000, 0x3164, 0xFFA0, 0x1D159};
  for (const uint32_t value : kBlanks) {
    CAPTURE(value);
    CHECK(LooksBlank(value));
  }
  static constexpr uint32_t kOthers[] = {0x00,   ' ',    'a',    0x9F,   0xA1,    0xAD,
                                         0x115E, 0x1161, 0x200B, 0x2801, 0x3001,  0x3163,
                                         0x3165, 0x4E2D, 0xFF9F, 0xFFA1, 0x1F600, 0x10FFFF};
  for (const uint32_t value : kOthers) {
    CAPTURE(value);
    CHECK_FALSE(LooksBlank(value));
  }
}

TEST_CASE("utf8: characters that hide or reorder text are invisible, letters are not") {
  static constexpr uint32_t kHidden[] = {0x00,   0x1B,   0x7F,   0x85,   0xAD,   0x061C, 0x200B,
                                         0x200E, 0x2028, 0x202E, 0x2066, 0x2069, 0xFEFF, 0xE0041};
  for (const uint32_t value : kHidden) {
    CAPTURE(value);
    CHECK(IsInvisible(value));
  }
  static constexpr uint32_t kSeen[] = {' ', 'a', 0xA0, 0xE9, 0x0600, 0x4E2D, 0x1F600, 0x10FFFF};
  for (const uint32_t value : kSeen) {
    CAPTURE(value);
    CHECK_FALSE(IsInvisible(value));
  }
}
