#include "base/case_fold.h"

#include <doctest/doctest.h>

#include <random>

#include "base/utf8.h"

using namespace ringfence;

TEST_CASE("case fold: different spellings of a name have the same fold") {
  struct Row {
    std::string_view name;
    std::string_view one, other;
  };
  static constexpr Row kRows[] = {
      {"ASCII", ".Claude/SETTINGS.json", ".claude/settings.json"},
      {"Latin with an accent", "CAF\xC3\x89", "caf\xC3\xA9"},
      {"Greek, with the final sigma", "\xCE\xA3\xCF\x82\xCF\x83", "\xCF\x83\xCF\x83\xCF\x83"},
      {"Cyrillic", "\xD0\x96", "\xD0\xB6"},
      {"Armenian", "\xD4\xB1", "\xD5\xA1"},
      {"Cherokee folds upwards", "\xEA\xAD\xB0", "\xE1\x8E\xA0"},
      {"four bytes: Deseret", "\xF0\x90\x90\x80", "\xF0\x90\x90\xA8"},
      {"the Kelvin sign is a k",
       "\xE2\x84\xAA"
       "ey",
       "key"},
      {"the long s is an s", "\xC5\xBFsh", "ssh"},
      {"the Angstrom sign", "\xE2\x84\xAB", "\xC3\xA5"},
      {"the micro sign is a mu", "\xC2\xB5", "\xCE\xBC"},
      {"the capital sharp s", "\xE1\xBA\x9E", "\xC3\x9F"},
      {"sharp s is two letters s", "pa\xC3\x9F", "pass"},
      {"a ligature", "con\xEF\xAC\x81g", "config"},
      {"the ligature of s and t", "commondir-\xEF\xAC\x86", "commondir-st"},
      {"a soft hyphen is not there", ".cla\xC2\xADude", ".claude"},
      {"a variation selector is not there", ".mcp\xEF\xB8\x8F.json", ".mcp.json"},
      {"a Hangul filler is not there", ".git\xE3\x85\xA4", ".git"},
      {"a tag character is not there", ".\xF3\xA0\x81\x87git", ".git"},
      {"titlecase digraph", "\xC7\x85", "\xC7\x86"},
      {"a zero width joiner in the middle is not there", ".g\xE2\x80\x8Dit", ".git"},
      {"a byte order mark at the front is not there", "\xEF\xBB\xBF.git", ".git"},
      {"right-to-left override at the end is not there", ".git\xE2\x80\xAE", ".git"},
      {"deprecated format characters", "\xE2\x81\xAA.git\xE2\x81\xAF", ".git"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(FoldName(row.one) == FoldName(row.other));
    CHECK(FoldsTo(row.one, FoldName(row.other)));
    CHECK(FoldsTo(row.other, FoldName(row.one)));
  }
}

TEST_CASE("case fold: different names stay different") {
  struct Row {
    std::string_view name;
    std::string_view one, other;
  };
  static constexpr Row kRows[] = {
      {"another letter", "a", "b"},
      {"a prefix", "settings", "settings.json"},
      {"nothing", "", "a"},
      {"the dotless i is not an i", "\xC4\xB1", "i"},
      {"the dotted capital I is not an i", "\xC4\xB0", "i"},
      {"a letter and the same with an accent", "e", "\xC3\xA9"},
      {"[ is not the lower case of {", "[", "{"},
      {"bytes that are no UTF-8", "\xC3", "\xE3"},
      {"a visible character of the block of specials counts", "a\xEF\xBF\xBD", "a"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(FoldName(row.one) != FoldName(row.other));
    CHECK_FALSE(FoldsTo(row.one, FoldName(row.other)));
    CHECK_FALSE(FoldsTo(row.other, FoldName(row.one)));
  }
}

TEST_CASE("case fold: folding twice equals folding once, for every code point") {
  for (uint32_t value = 1; value <= 0x10FFFF; ++value) {
    std::string text;
    AppendUtf8(text, value);
    const std::string folded = FoldName(text);
    if (FoldName(folded) != folded) FAIL("code point " << value);
    if (!FoldsTo(text, folded)) FAIL("code point " << value);
  }
}

TEST_CASE("case fold: bytes that are not UTF-8 stay as they are") {
  CHECK(FoldName("A\xFF\xC3Z") == "a\xFF\xC3z");
  CHECK(FoldName("\xED\xA0\x80") == "\xED\xA0\x80");
}

TEST_CASE("case fold: comparing without building the string gives the same result as building it") {
  static constexpr std::string_view kPieces[] = {"a",        "A",        "k",    "\xE2\x84\xAA",
                                                 "\xC3\x89", "\xC3\xA9", "\xFF", "\xE2\x80\x8D"};
  std::mt19937 random(20240611);
  const auto word = [&] {
    std::string text;
    for (size_t n = random() % 4; n > 0; --n) text += kPieces[random() % std::size(kPieces)];
    return text;
  };
  for (int i = 0; i < 20000; ++i) {
    const std::string one = word();
    const std::string other = FoldName(word());
    CAPTURE(one);
    CAPTURE(other);
    REQUIRE(FoldsTo(one, other) == (FoldName(one) == other));
  }
}
