#include "base/text.h"

#include <doctest/doctest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/utf8.h"

using namespace ringfence;

TEST_CASE("text: a JSON string escapes what JSON requires and leaves the rest readable") {
  struct Row {
    std::string_view name;
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"empty", "", R"("")"},
      {"plain", "a/b c", R"("a/b c")"},
      {"quote and backslash", R"(a"b\c)", R"("a\"b\\c")"},
      {"the named controls", "\n\t\r", R"("\n\t\r")"},
      {"other controls by number", "\x01\x1F\b", R"("\u0001\u001f\u0008")"},
      {"NUL", std::string_view("a\0b", 3), R"("a\u0000b")"},
      {"other languages stay as they are", "caf\xC3\xA9", "\"caf\xC3\xA9\""},
      {"DEL and bidi marks are JSON as they are", "\x7F\xE2\x80\xAE", "\"\x7F\xE2\x80\xAE\""},
      {"a byte that is no UTF-8", "a\xFFz", "\"a\xEF\xBF\xBDz\""},
      {"a surrogate in three bytes", "\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(JsonString(row.text) == row.want);
    std::string out = "x";
    AppendJsonString(out, row.text);
    CHECK(out == "x" + std::string(row.want));
  }
}

TEST_CASE("text: another JSON reader converts a JSON string back to the same text") {
  for (uint32_t value = 0; value <= 0x10FFFF; value += value < 0x3000 ? 1 : 97) {
    std::string text = "<";
    AppendUtf8(text, value);
    if (!IsValidUtf8(text)) continue;
    if (nlohmann::json::parse(JsonString(text)) != text) FAIL("code point " << value);
  }
}

TEST_CASE("text: a quotation for users shows every hidden character") {
  struct Row {
    std::string_view name;
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"plain", "/etc/hosts", R"("/etc/hosts")"},
      {"quotes cannot end it early", R"(a" b)", R"("a\" b")"},
      {"a terminal's escape sequence", "\x1B[2J", R"("\u001b[2J")"},
      {"right-to-left override", "a\xE2\x80\xAEz", R"("a\u202ez")"},
      {"zero width space", "a\xE2\x80\x8Bz", R"("a\u200bz")"},
      {"line separator", "a\xE2\x80\xA8z", R"("a\u2028z")"},
      {"a tag character, as two escapes", "a\xF3\xA0\x81\x81z", R"("a\udb40\udc41z")"},
      {"a no-break space", "a\xC2\xA0z", R"("a\u00a0z")"},
      {"an ideographic space and a filler of Hangul", "\xE3\x80\x80\xE3\x85\xA4",
       R"("\u3000\u3164")"},
      {"a space is as it is", "a z", R"("a z")"},
      {"DEL and C1", "\x7F\xC2\x9B", R"("\u007f\u009b")"},
      {"letters of other languages", "caf\xC3\xA9", "\"caf\xC3\xA9\""},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Quote(row.text) == row.want);
    CHECK(nlohmann::json::parse(Quote(row.text)) == row.text);
  }
}

TEST_CASE("text: a quotation is cut between characters and marked as cut") {
  CHECK(Quote("abcdef", 6) == R"("abcdef")");
  CHECK(Quote("abcdefg", 5) == R"("abcde...")");
  CHECK(Quote("a\xF0\x9F\x98\x80\xF0\x9F\x98\x80z", 3) == "\"a\xF0\x9F\x98\x80...\"");
  CHECK(Quote("\x01\x02\x03", 4) == R"("\u0001...")");
  const std::string long_text(100000, 'x');
  CHECK(Quote(long_text).size() < 210);
  CHECK(IsValidUtf8(Quote(std::string(1000, '\xF0'))));
}

TEST_CASE("text: printable text keeps quotes and shows hidden characters") {
  CHECK(Printable(R"(say "hi" \ there)") == R"(say "hi" \ there)");
  CHECK(Printable("a\x7F"
                  "b") == R"(a\u007fb)");
  CHECK(Printable("a\nb\x1B[0m") == R"(a\nb\u001b[0m)");
  CHECK(Printable("a\xE2\x80\xAE\xFFz") == "a\\u202e\xEF\xBF\xBDz");
  CHECK(PrintableLines("{\n \"a\xC2\x9B\"\n}\n\n") == "{\n \"a\\u009b\"\n}\n\n");
  CHECK(Printable("a\xE3\x80\x80z") == "a\xE3\x80\x80z");
  CHECK(PrintableLines("no end\x1B").ends_with("end\\u001b"));
  CHECK(PrintableLines("").empty());
}

TEST_CASE("text: a printable name shows blank characters, too") {
  CHECK(PrintableName("a\xE3\x80\x80z\xC2\xA0") == "a\\u3000z\\u00a0");
  CHECK(PrintableName("a\xE2\x80\xAE\nz") == "a\\u202e\\nz");
  CHECK(PrintableName("a \"b\" \\ \xE4\xB8\xAD") == "a \"b\" \\ \xE4\xB8\xAD");
}

TEST_CASE("text: the nearest word is the intended one") {
  struct Row {
    std::string_view name;
    std::string_view word, want;
  };
  static constexpr std::array<std::string_view, 5> kWords = {"allow", "ask", "deny",
                                                             "package_stores", "version"};
  static constexpr Row kRows[] = {
      {"a letter is missing", "alow", "allow"},
      {"a letter too many", "denny", "deny"},
      {"another letter", "verzion", "version"},
      {"other case", "ALLOW", "allow"},
      {"two slips in a long word", "pakage_store", "package_stores"},
      {"a dash for an underscore", "package-stores", "package_stores"},
      {"nothing like it", "permissions", ""},
      {"too short to be guessed", "xy", ""},
      {"half of it differs", "deal", ""},
      {"too long to be compared",
       "allowallowallowallowallowallowallowallowallowallowallowallow_____", ""},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Nearest(row.word, kWords) == row.want);
  }
  CHECK(Nearest("allow", {}).empty());
  // Of two equally near words, prefers the one with the same beginning; then the first one.
  static constexpr std::array<std::string_view, 4> kNear = {"zsh", "fish", "fash", "cash"};
  CHECK(Nearest("fsh", kNear) == "fish");
  constexpr std::string_view kOptions[] = {"--root", "--policy"};
  CHECK(Nearest("--rot", kOptions) == "--root");
  CHECK(Nearest("--tool", kOptions).empty());
  static constexpr std::array<std::string_view, 2> kBoth = {"bash", "dash"};
  CHECK(Nearest("xash", kBoth) == "bash");
}

TEST_CASE("text: only ASCII letters are converted to lower case") {
  CHECK(LowerAscii("AbZ-[`{09") == "abz-[`{09");
  CHECK(LowerAscii("\xC3\x89") == "\xC3\x89");
  CHECK(LowerAscii("") == "");
}

TEST_CASE("text: JSON in ASCII has the same meaning") {
  CHECK(AsciiJson(R"({"a":"b\n\\"})") == R"({"a":"b\n\\"})");
  CHECK(AsciiJson("\"\xC3\xA9\xE2\x80\xAE\xF0\x9F\x98\x80\x7F\xFF\x01\"") ==
        R"("\u00e9\u202e\ud83d\ude00\u007f\ufffd\u0001")");
  CHECK(AsciiJson("").empty());
}

TEST_CASE("text: text is taken up to and including a separator") {
  struct Row {
    std::string_view name, text, taken, rest;
  };
  static constexpr Row kRows[] = {{"the first of several", "a b c", "a", "b c"},
                                  {"the last", "c", "c", ""},
                                  {"an empty one", " b", "", "b"},
                                  {"a separator at the end", "a ", "a", ""},
                                  {"nothing is left", "", "", ""}};
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    std::string_view rest = row.text;
    CHECK(TakeUntil(rest, ' ') == row.taken);
    CHECK(rest == row.rest);
  }
}

TEST_CASE("text: words are separated by spaces and newlines") {
  CHECK(SplitWords("cpu  memory\n pids\n") == std::vector<std::string>{"cpu", "memory", "pids"});
  CHECK(SplitWords(" \n").empty());
}

TEST_CASE("text: a digest has a fixed number of hexadecimal digits in lower case") {
  CHECK(IsLowerHex("09af", 4));
  CHECK_FALSE(IsLowerHex("09a", 4));
  CHECK_FALSE(IsLowerHex("09afb", 4));
  CHECK_FALSE(IsLowerHex("09aF", 4));
  CHECK_FALSE(IsLowerHex("09ag", 4));
}

TEST_CASE("text: a line of white space is blank") {
  CHECK(IsBlankLine(""));
  CHECK(IsBlankLine(" \t\r"));
  CHECK_FALSE(IsBlankLine(" x"));
}

TEST_CASE("text: a shell reads quoted text unchanged") {
  CHECK(ShellQuoted("") == "''");
  CHECK(ShellQuoted("a b$(c)") == "'a b$(c)'");
  CHECK(ShellQuoted("it's") == "'it'\\''s'");
}
