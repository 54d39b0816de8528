#include <doctest/doctest.h>

#include "base/json_scanner.h"
#include "tests/support/scan_text.h"

using namespace ringfence;

TEST_CASE("scanner strings: escapes are decoded") {
  struct Row {
    std::string_view name;
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"the short ones", R"("\"\\\/\b\f\n\r\t")", R"("\"\\/\u0008\u000c\n\r\t")"},
      {"a code point, either case of digit", R"("\u00e9\u00E9")", "\"\xC3\xA9\xC3\xA9\""},
      {"a surrogate pair", R"("\ud83d\ude00")", "\"\xF0\x9F\x98\x80\""},
      {"the last code point", R"("\udbff\udfff")", "\"\xF4\x8F\xBF\xBF\""},
      {"a non-character", R"("\uffff")", "\"\xEF\xBF\xBF\""},
      {"NUL is told", R"("a\u0000b")", R"("a\u0000b"0)"},
      {"U+2028 and DEL need no escape", "\"\xE2\x80\xA8\x7F\"", "\"\xE2\x80\xA8\x7F\""},
      {"backslashes in a row", R"("\\\\\"")", R"("\\\\\"")"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    for (const size_t piece : {0u, 1u, 3u, 7u}) {
      CHECK(Scan(row.text, {}, {.piece = piece}) == std::string(row.want) + " .");
    }
  }
}

TEST_CASE("scanner strings: a lone surrogate is kept and reported") {
  struct Row {
    std::string_view name;
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"high at the end", R"("a\ud800")", "a\xED\xA0\x80"},
      {"high before a letter", R"("\ud800a")",
       "\xED\xA0\x80"
       "a"},
      {"high before an escape", R"("\ud800\n")", "\xED\xA0\x80\n"},
      {"high before a letter of two bytes", "\"\\ud800\xC3\xA9\"", "\xED\xA0\x80\xC3\xA9"},
      {"two high", R"("\ud800\ud801")", "\xED\xA0\x80\xED\xA0\x81"},
      {"low alone", R"("\udfff")", "\xED\xBF\xBF"},
      {"low before high", R"("\ude00\ud83d")", "\xED\xB8\x80\xED\xA0\xBD"},
      {"high, then a pair", R"("\ud800\ud83d\ude00")", "\xED\xA0\x80\xF0\x9F\x98\x80"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    TextSource source(row.text);
    JsonScanner scanner(source, {});
    REQUIRE(scanner.Next() == Token::kString);
    JsonScanner::String string;
    REQUIRE(scanner.TakeString(100, &string));
    CHECK(string.text == row.want);
    CHECK(string.has_lone_surrogate);
    CHECK_FALSE(string.has_nul);
    CHECK_FALSE(string.cut);
  }
}

TEST_CASE("scanner strings: mistakes are errors with their place") {
  struct Row {
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"\"a", "2 this string has no end"},
      {"\"a\\", "3 this string has no end"},
      {"\"a\\\"", "4 this string has no end"},
      {"\"a\nb\"", "2 a control character in a string"},
      {"\"\t\"", "1 a control character in a string"},
      {std::string_view("\"a\0\"", 4), "2 a control character in a string"},
      {"\"\\x41\"", "3 an unknown escape in a string"},
      {"\"\\'\"", "3 an unknown escape in a string"},
      {"\"\\U0041\"", "3 an unknown escape in a string"},
      {"\"\\u12\"", "5 \\u needs four hexadecimal digits"},
      {"\"\\u12g4\"", "5 \\u needs four hexadecimal digits"},
      {"\"\\u", "3 \\u needs four hexadecimal digits"},
      {"\"\\ud800\\u\"", "9 \\u needs four hexadecimal digits"},
      {"\"a\xFFz\"", "2 invalid UTF-8"},
      {"\"\xC0\xAF\"", "1 invalid UTF-8"},
      {"\"\xED\xA0\x80\"", "1 invalid UTF-8"},
      {"\"\xE2\x82\"", "1 invalid UTF-8"},
      {"\"\xF4\x90\x80\x80\"", "1 invalid UTF-8"},
      {"\"\x80\"", "1 invalid UTF-8"},
      {"{\"\xFF\":1}", "2 invalid UTF-8"},
      {"{\"a", "3 this string has no end"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    CHECK(ScanError(row.text) == row.want);
    CHECK(Scan(row.text, {}, {.piece = 1}).ends_with("! " + std::string(row.want)));
  }
}

TEST_CASE("scanner strings: only the requested length of a string is kept") {
  struct Row {
    std::string_view name;
    std::string_view text;
    size_t limit;
    std::string_view want;
  };
  static constexpr Row kRows[] = {
      {"shorter", R"("abc")", 4, R"("abc")"},
      {"just as long", R"("abc")", 3, R"("abc")"},
      {"longer", R"("abcd")", 3, R"("abc"~)"},
      {"longer, with an escape", R"("ab\ncd")", 3, R"("ab\n"~)"},
      {"nothing at all", R"("abc")", 0, R"(""~)"},
      {"nothing of nothing", R"("")", 0, R"("")"},
      {"NUL behind the cut is still told", R"("abc\u0000")", 2, R"("ab"~0)"},
      {"and so is a surrogate", R"("abc\ud800")", 2, R"("ab"~s)"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    for (const size_t piece : {0u, 1u, 2u}) {
      CHECK(Scan(row.text, {}, {.piece = piece, .string = row.limit}) ==
            std::string(row.want) + " .");
    }
  }
}

TEST_CASE("scanner strings: a string that the caller skips is still checked") {
  static constexpr std::string_view kTexts[] = {"[\"a\xFF\"]", "[\"a\\x\"]", "[\"a"};
  for (const std::string_view text : kTexts) {
    CAPTURE(text);
    CHECK_FALSE(IsAccepted(text));  // skips every string
  }
  CHECK(IsAccepted("[\"ok\",{\"a\":\"\\ud800\\u0000\"}]"));
}

TEST_CASE("scanner strings: taking a string where there is none is an error") {
  TextSource source("[1]");
  JsonScanner scanner(source, {});
  CHECK(scanner.Next() == Token::kArrayBegin);
  JsonScanner::String string;
  CHECK_FALSE(scanner.TakeString(10, &string));
  CHECK(scanner.Next() == Token::kError);
}

TEST_CASE("scanner strings: any byte value is detected at any position of an eight-byte word") {
  for (int byte = 0; byte < 256; ++byte) {
    for (size_t at = 0; at < 17; ++at) {
      std::string content(17, 'x');
      content[at] = static_cast<char>(byte);
      const bool plain = byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
      CAPTURE(byte);
      CAPTURE(at);
      REQUIRE(IsAccepted("\"" + content + "\"") == plain);
    }
  }
}

TEST_CASE("scanner strings: adjacent special bytes hide nothing") {
  static constexpr std::string_view kBytes = "\x1F\x20!\"#[\\]\x7F\x80";
  for (const char one : kBytes) {
    for (const char other : kBytes) {
      std::string text = "\"abc";
      text += one;
      text += other;
      text += "defgh\"";
      CAPTURE(text);
      REQUIRE(Scan(text) == Scan(text, {}, {.piece = 1}));
    }
  }
}

TEST_CASE("strings: the tail of a string that is too long starts with a complete character") {
  struct Row {
    std::string_view text;
    size_t limit;
    std::string_view want;
  };
  static constexpr Row kRows[] = {
      {"abc", 3, "abc"}, {"abc", 2, "bc"},        {"abc", 0, ""},   {"xé", 2, "é"},
      {"xé", 1, ""},     {"é€x", 3, "x"},         {"é€x", 4, "€x"}, {"é€x", 5, "€x"},
      {"é€x", 6, "é€x"}, {"\U0001F600x", 4, "x"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    CAPTURE(row.limit);
    const std::string json = "\"" + std::string(row.text) + "\"";
    TextSource source(json);
    JsonScanner scanner(source, {});
    REQUIRE(scanner.Next() == Token::kString);
    JsonScanner::String string;
    REQUIRE(scanner.TakeString(row.limit, &string, JsonScanner::Keep::kEnd));
    CHECK(string.text == row.want);
    CHECK(string.cut == (row.want != row.text));
  }
}
